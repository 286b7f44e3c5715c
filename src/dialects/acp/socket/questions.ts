/** Requests of the service to its client over one connection, and their answers. */
import type { JsonObject } from "../../../../actors/schema.ts";
import type { EditorAnswer } from "./editor-port.ts";
import { notificationText, requestText, type RpcId, type AcpMessage } from "./json-rpc.ts";

const TAKEN_BACK: EditorAnswer = { ok: false, error: null };

export class Questions {
  private readonly send: (text: string) => void;
  private readonly open = new Map<RpcId, (answer: EditorAnswer) => void>();
  private last = 0;

  constructor(send: (text: string) => void) {
    this.send = send;
  }

  ask(method: string, params: JsonObject, signal: AbortSignal): Promise<EditorAnswer> {
    if (signal.aborted) return Promise.resolve(TAKEN_BACK);
    const id = ++this.last;
    return new Promise((resolve) => {
      const answered = (answer: EditorAnswer): void => {
        this.open.delete(id);
        signal.removeEventListener("abort", takeBack);
        resolve(answer);
      };
      const takeBack = (): void => {
        this.send(notificationText("$/cancel_request", { requestId: id }));
        answered(TAKEN_BACK);
      };
      signal.addEventListener("abort", takeBack, { once: true });
      this.open.set(id, answered);
      this.send(requestText(id, method, params));
    });
  }

  /** An answer to a question that was taken back is nothing. */
  take({ id, result, error }: Extract<AcpMessage, { readonly kind: "response" }>): void {
    this.open.get(id)?.(error === null ? { ok: true, result } : { ok: false, error });
  }

  /** The connection is closed. */
  end(): void {
    for (const answered of this.open.values()) answered(TAKEN_BACK);
  }
}
