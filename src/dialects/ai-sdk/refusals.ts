/**
 * Refusals for chat clients: their text is the whole body, because AI SDK's clients show the body of a failed request as
 * the message of the error. Status and headers are those of the current surface.
 */
import type { Dialect } from "../../http/answer/dialect.ts";
import { rewordedDialect } from "../runs/protocol.ts";

export const aiSdkDialect = (words: Dialect): Dialect =>
  rewordedDialect(words, ({ message }) => ({
    body: message,
    headers: { "content-type": "text/plain; charset=utf-8" },
  }));
