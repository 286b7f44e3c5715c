/**
 * What the service has asked the editor. After a lost connection the service asks again, by the same names: what the
 * editor is still asked, or has answered meanwhile, is not asked twice.
 */
import type { JsonObject } from "../../actors/schema.ts";
import { ownMeta } from "../dialects/acp/own-meta.ts";
import type { AcpError } from "../dialects/acp/error-codes.ts";
import type { RpcId } from "../dialects/acp/socket/json-rpc.ts";

export type GivenAnswer = { readonly result: unknown } | { readonly error: AcpError };

interface AskedOnce {
  readonly editorId: string;
  readonly sessionId: string;
  /** The service's request; null: the connection by which it came is lost. */
  serviceId: RpcId | null;
  answer: GivenAnswer | null;
}

export class AskedEditor {
  private readonly byName = new Map<string, AskedOnce>();
  private last = 0;

  /** The service asks. Null: the editor was asked before; its answer is given if there is one. */
  take(serviceId: RpcId, params: JsonObject): { readonly editorId: string } | { readonly answer: GivenAnswer } | null {
    const given = ownMeta(params["_meta"])["ask"];
    const name = typeof given === "string" ? given : `${this.last} ${serviceId}`;
    const known = this.byName.get(name);
    if (known === undefined) {
      const editorId = `troupe-${++this.last}`;
      this.byName.set(name, { editorId, sessionId: String(params["sessionId"]), serviceId, answer: null });
      return { editorId };
    }
    known.serviceId = serviceId;
    return known.answer === null ? null : { answer: known.answer };
  }

  /** The editor answers; the service's request, or null if it must ask again first. */
  answered(editorId: RpcId, answer: GivenAnswer): RpcId | null {
    for (const asked of this.byName.values()) {
      if (asked.editorId !== editorId) continue;
      asked.answer = answer;
      return asked.serviceId;
    }
    return null;
  }

  /** The service takes its question back: the editor's id of it. */
  takenBack(serviceId: RpcId): string | null {
    for (const [name, { serviceId: own, editorId, answer }] of this.byName) {
      if (own !== serviceId) continue;
      this.byName.delete(name);
      return answer === null ? editorId : null;
    }
    return null;
  }

  /** The connection is lost. */
  lost(): void {
    for (const asked of this.byName.values()) asked.serviceId = null;
  }

  /** A prompt of the session is over: the service asks nothing of it again. */
  forget(sessionId: string): void {
    for (const [name, asked] of this.byName) if (asked.sessionId === sessionId) this.byName.delete(name);
  }
}
