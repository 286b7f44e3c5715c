/**
 * Which call each stream of a session answers, so that the ids of its events can say it (`event-cursor.ts`). The SDK
 * names a stream when it stores its first event, which leaves while the message is taken: so messages are taken one
 * after the other. Revisions without that first event are known by what the stream says.
 */
import type { EventPlace, WaitingCall } from "./event-cursor.ts";
import type { Message } from "./replay-store.ts";

/** The SDK's name of the stream on which a client listens. */
const LISTENING = "_GET_stream";

export class CallStreams {
  private readonly calls = new Map<string | number, WaitingCall>();
  private readonly byStream = new Map<string, WaitingCall>();
  private taken: Promise<unknown> = Promise.resolve();
  private opening: WaitingCall | null = null;

  /** Takes a message, once the streams of those before it are open. `call`: what it is, where it waits for a job. */
  take(call: WaitingCall | null, run: () => Promise<Response>): Promise<Response> {
    const answer = this.taken.then(() => {
      this.opening = call;
      if (call !== null) this.calls.set(call.id, call);
      return run();
    });
    this.taken = answer.catch(() => {}); // the caller gets the error
    return answer;
  }

  /** Where the stream goes on behind this message. */
  placeOf(streamId: string, message: Message): EventPlace {
    if (streamId === LISTENING) return "listening";
    const said = message as Said;
    const call = this.byStream.get(streamId) ?? this.callOf(said);
    if (call === null) return "unknown";
    this.byStream.set(streamId, call);
    if (said.method === "notifications/progress") call.progress = said.params?.progress ?? call.progress;
    if (said.method === undefined && said.id === call.id) {
      this.byStream.delete(streamId);
      this.calls.delete(call.id);
    }
    return call;
  }

  private callOf({ jsonrpc, id, method, params }: Said): WaitingCall | null {
    if (jsonrpc === undefined) return this.opening;
    if (method === undefined) return this.calls.get(id ?? "") ?? null;
    const token = params?.progressToken;
    return token === undefined ? null : ([...this.calls.values()].find((one) => one.progressToken === token) ?? null);
  }
}

/** A message of the server; the first event of a stream has none. */
interface Said {
  readonly jsonrpc?: string;
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly progress?: number; readonly progressToken?: string | number };
}
