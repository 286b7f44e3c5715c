/** The editor at the other end of a connection: notifications to it, and requests. */
import type { Json, JsonObject } from "../../../../actors/schema.ts";
import type { AcpError } from "../error-codes.ts";

export type EditorAnswer =
  | { readonly ok: true; readonly result: Json }
  /** Null: the question was taken back, or the editor is gone. */
  | { readonly ok: false; readonly error: AcpError | null };

export interface EditorPort {
  notify(method: string, params: JsonObject): void;
  /**
   * Asks the editor. `name` is the same when the same thing is asked again over another connection. An abort takes the
   * question back.
   */
  ask(
    method: string,
    params: JsonObject,
    of: { readonly name: string; readonly signal: AbortSignal },
  ): Promise<EditorAnswer>;
  /** Resolves when the editor has taken what was sent; null: it keeps up. */
  room(): Promise<void> | null;
}
