/**
 * Which call each stream of a session answers, so that the ids of its events can carry it (`event-cursor.ts`). The
 * SDK names a stream when it stores the stream's first event, which happens while it handles the message; so
 * messages are handled one after the other. In revisions without that first event, the messages on a stream identify
 * its call.
 */
import type { EventPlace, WaitingCall } from "./event-cursor.ts";
import type { ReplayedMessage } from "./replay-store.ts";

/** The SDK's name for the stream of a GET. */
const LISTENING = "_GET_stream";

export class CallStreams {
  private readonly calls = new Map<string | number, WaitingCall>();
  private readonly byStream = new Map<string, WaitingCall>();
  private taken: Promise<unknown> = Promise.resolve();
  private opening: WaitingCall | null = null;

  /** Whether a call with this request id waits for its answer. */
  has(id: string | number): boolean {
    return this.calls.has(id);
  }

  /** Handles a message after the streams of earlier messages are open. `call`: its call, if it waits for a job. */
  take(call: WaitingCall | null, run: () => Promise<Response>): Promise<Response> {
    if (call !== null) this.calls.set(call.id, call);
    const answer = this.taken.then(async () => {
      this.opening = call;
      const response = await run();
      // What is refused has no stream, so no answer follows.
      if (call !== null && !response.ok) this.calls.delete(call.id);
      return response;
    });
    this.taken = answer.catch(() => {}); // the caller gets the error
    return answer;
  }

  /** Where the stream resumes after this message. */
  placeOf(streamId: string, message: ReplayedMessage): EventPlace {
    if (streamId === LISTENING) return "listening";
    const sent = message as ServerMessage;
    const call = this.byStream.get(streamId) ?? this.callOf(sent);
    if (call === null) return "unknown";
    this.byStream.set(streamId, call);
    if (sent.method === "notifications/progress") call.progress = sent.params?.progress ?? call.progress;
    if (sent.method === undefined && sent.id === call.id) {
      this.byStream.delete(streamId);
      this.calls.delete(call.id);
    }
    return call;
  }

  private callOf({ jsonrpc, id, method, params }: ServerMessage): WaitingCall | null {
    if (jsonrpc === undefined) return this.opening;
    if (method === undefined) return this.calls.get(id ?? "") ?? null;
    const token = params?.progressToken;
    return token === undefined ? null : ([...this.calls.values()].find((one) => one.progressToken === token) ?? null);
  }
}

/** A message of the server. The first event of a stream has no message, so all fields are optional. */
interface ServerMessage {
  readonly jsonrpc?: string;
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly progress?: number; readonly progressToken?: string | number };
}
