/**
 * What an upload declares about its bytes: their range in the content, and the digest of the whole (RFC 9110, RFC
 * 9530).
 */
import { bad, good, textField } from "../../http/contract/field.ts";

/** Bytes `first` to `last` of `size`; without them the caller asks how many have arrived. */
export interface ContentRange {
  readonly part: { readonly first: number; readonly last: number } | null;
  readonly size: number;
}

const PART = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/i;
const UNSATISFIED_RANGE = /^bytes \*\/(\d{1,15})$/i;
const SHA256 = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):\s*(?:,|$)/;

const WRONG_RANGE =
  "Content-Range of an upload is `bytes <first>-<last>/<size>` with the bytes of this part, or `bytes */<size>` without any";

/** The digest of the whole content, parsed to hex. */
export const DIGEST_HEADER = {
  "repr-digest": textField<string>({ type: "string" }, (text) => {
    const digest = SHA256.exec(text)?.[1];
    if (digest === undefined) return bad("Repr-Digest must have `sha-256=:<base64>:` of the whole content");
    return good(Buffer.from(digest, "base64").toString("hex"));
  }),
} as const;

export const CONTENT_HEADERS = {
  "content-range": textField<ContentRange>({ type: "string" }, (text) => {
    const whole = UNSATISFIED_RANGE.exec(text.trim());
    if (whole !== null) return good({ part: null, size: Number(whole[1]) });
    const [first, last, size] = (PART.exec(text.trim()) ?? []).slice(1).map(Number);
    if (first === undefined || last === undefined || size === undefined) return bad(WRONG_RANGE);
    return first <= last && last < size ? good({ part: { first, last }, size }) : bad(WRONG_RANGE);
  }),
  ...DIGEST_HEADER,
} as const;
