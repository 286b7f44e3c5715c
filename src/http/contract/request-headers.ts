/** Request headers of operations, as schemas. The contract has their descriptions (`src/contract/headers.ts`). */
import { Type } from "../../../actors/schema.ts";
import { bad, good, refusedAs, textField } from "./field.ts";

/** The version of the record that the caller has read, bare or quoted; null for `*`. */
export const IF_MATCH = {
  "if-match": refusedAs(
    "version_conflict",
    textField<number | null>({ type: "string" }, (text) => {
      if (text.trim() === "*") return good(null);
      const match = /^\s*"?(\d{1,15})"?\s*$/.exec(text);
      return match === null
        ? bad("If-Match must be the version of the record, a whole number")
        : good(Number(match[1]));
    }),
  ),
} as const;

/** The entity tags that the caller has cached. */
export const IF_NONE_MATCH = { "if-none-match": Type.String() } as const;

/**
 * For a document: the content codings that the caller accepts. The contract leaves this header out, because HTTP
 * libraries set it themselves.
 */
export const ENCODED = { "accept-encoding": Type.String() } as const;
export const DOCUMENT_HEADERS = { ...IF_NONE_MATCH, ...ENCODED } as const;

/** For an operation that answers with a file: the caller's cached tags, and the range it asks for. */
export const FILE_HEADERS = {
  ...IF_NONE_MATCH,
  range: refusedAs("range_not_satisfiable", Type.String()),
  "if-range": Type.String(),
} as const;

/** The id of the last event that the client received. */
export const LAST_EVENT_ID = { "last-event-id": Type.String() } as const;
