/** Preconditions of writes on the content that the caller has seen, by entity tag (RFC 9110). */
import type { Precondition } from "../../../actors/workspace/protocol.ts";
import { bad, good, refusedAs, textField } from "../../http/contract/field.ts";
import { CONTENT_HEADERS } from "./content-range.ts";

/** The digest is the tag: equal content has the same tag everywhere. */
export const etagOf = ({ sha256 }: { readonly sha256: string }): string => `"${sha256}"`;

const TAG = /^(?:W\/)?"([0-9a-f]{64})"$/;

/** The digests in a list of tags; null for `*`. Foreign tags match nothing. */
function digestsOf(text: string): readonly string[] | null {
  if (text.trim() === "*") return null;
  return text.split(",").flatMap((tag) => TAG.exec(tag.trim())?.[1] ?? []);
}

/** `If-Match` on a file: one of these tags, or `*` for any existing file. */
const SEEN = {
  "if-match": refusedAs(
    "version_conflict",
    textField<Precondition>({ type: "string" }, (text) => good({ kind: "present", sha256: digestsOf(text) })),
  ),
} as const;

/** `If-None-Match: *`: only if there is no file. */
const UNSEEN = {
  "if-none-match": textField<Precondition>({ type: "string" }, (text) =>
    text.trim() === "*"
      ? good({ kind: "absent" })
      : bad("If-None-Match of a write must be *, which writes only if the path does not exist"),
  ),
} as const;

/** The headers of a delete. */
export const DELETE_HEADERS = SEEN;
/** The headers of a write. */
export const WRITE_HEADERS = { ...SEEN, ...UNSEEN, ...CONTENT_HEADERS };
