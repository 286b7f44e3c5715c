/** Limits of the contents of a body, besides those of JSON itself (ERR-5), in bytes of UTF-8. */
import { ok, type Outcome, refuse } from "../../../actors/fault.ts";
import type { JsonObject } from "../../../actors/schema.ts";

export const MESSAGE_TEXT_BYTES = 256 * 1024;
export const METADATA_BYTES = 16 * 1024;
/**
 * Arguments that a person changes in a call: a job stores those of up to 64 calls, and rewrites them with each
 * decision.
 */
export const ARGUMENTS_BYTES = 64 * 1024;

/** Refuses a message that is too long; `field` is the surface's name of the field. */
export const withinMessage = (content: string, field?: string): Outcome<null> =>
  checkBytes(content, MESSAGE_TEXT_BYTES, field);

/** Refuses metadata that is too large as JSON. */
export const withinMetadata = (metadata: JsonObject): Outcome<null> =>
  checkBytes(JSON.stringify(metadata), METADATA_BYTES, "metadata");

/** Refuses arguments of a tool call that are too large as JSON. */
export const withinArguments = (given: JsonObject, field: string): Outcome<null> =>
  checkBytes(JSON.stringify(given), ARGUMENTS_BYTES, field);

/** One result of a client tool: the default limit of every tool's result (RUN-3). */
export const RESULT_BYTES = 64 * 1024;

/** Refuses a tool result that is too long. */
export const withinResult = (content: string, field: string): Outcome<null> => checkBytes(content, RESULT_BYTES, field);

const checkBytes = (text: string, limitBytes: number, field?: string): Outcome<null> =>
  Buffer.byteLength(text) > limitBytes
    ? refuse({ kind: "payload_too_large", limitBytes, ...(field === undefined ? {} : { field }) })
    : ok(null);
