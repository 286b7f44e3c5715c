/** Headers that operations take, as schemas. Their descriptions are in the contract (`src/contract/headers.ts`). */
import { Type } from "../../../actors/schema.ts";
import { bad, good, textField } from "./field.ts";

/** The version of the record that the caller has read, bare or quoted; null for `*`. */
export const IF_MATCH = {
  "if-match": textField<number | null>({ type: "string" }, (text) => {
    if (text.trim() === "*") return good(null);
    const match = /^\s*"?(\d{1,15})"?\s*$/.exec(text);
    return match === null ? bad("If-Match must be the version of the record, a whole number") : good(Number(match[1]));
  }),
} as const;

/** The entity tags that the caller has. */
export const IF_NONE_MATCH = { "if-none-match": Type.String() } as const;

/**
 * Of a document: what the caller has of it, and the content codings that it accepts. The contract leaves the second
 * out, because HTTP libraries choose it by themselves.
 */
export const ENCODED = { "accept-encoding": Type.String() } as const;
export const DOCUMENT_HEADERS = { ...IF_NONE_MATCH, ...ENCODED } as const;

/** Of an operation that answers with a file: the tags that the caller has, and the part that it wants. */
export const FILE_HEADERS = { ...IF_NONE_MATCH, range: Type.String(), "if-range": Type.String() } as const;

/** The id of the last event that the client has. */
export const LAST_EVENT_ID = { "last-event-id": Type.String() } as const;
