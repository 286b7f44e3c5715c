/**
 * Which part of a delivery does not fit its signature. It is computed here, by the browser: headers, body and secret
 * are sent nowhere. The same forms as in the guide about webhooks:
 *
 *   Service-Signature: t=<seconds>,v1=<hex>   HMAC-SHA256 of `<seconds>.<body>`, the key is the whole `whsec_…`
 *   webhook-signature: v1,<base64>            HMAC-SHA256 of `<id>.<seconds>.<body>`, the key is what follows `whsec_`,
 *                                             decoded
 */
const TOLERANCE_SECONDS_OF_SIGNATURES = 300;
const SECRET_START = "whsec_";
const PARSED_BODY_CHARACTERS = 65_536;

export interface GivenDelivery {
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  readonly secret: string;
}

export interface SignatureFinding {
  readonly header: string;
  readonly isRight: boolean;
  /** The part that differs from what was signed; null if all fit or nothing can be said. */
  readonly part: "header" | "timestamp" | "secret" | "body" | null;
  readonly words: string;
  /** What the header would be for this secret and body; null if it cannot be computed. */
  readonly expected: string | null;
}

/** Headers as lines `Name: value`, as `curl -v` prints them, or as a JSON object. */
export function readHeaders(text: string): ReadonlyMap<string, string> {
  const entries = text.trim().startsWith("{") ? entriesOfJson(text) : text.split("\n").map(entryOfLine);
  return new Map(entries.filter(([name]) => name !== "").map(([name, value]) => [name.toLowerCase(), value.trim()]));
}

function entriesOfJson(text: string): readonly (readonly [string, string])[] {
  try {
    return Object.entries(JSON.parse(text) as object).map(([name, value]) => [name, String(value)]);
  } catch {
    return [];
  }
}

function entryOfLine(line: string): readonly [string, string] {
  const at = line.indexOf(":");
  return at < 1
    ? ["", ""]
    : [
        line
          .slice(0, at)
          .replace(/^[<>\s]+/, "")
          .trim(),
        line.slice(at + 1),
      ];
}

export async function checkSignatures(given: GivenDelivery, nowSeconds: number): Promise<readonly SignatureFinding[]> {
  const forms = SIGNATURE_FORMS.filter(({ header }) => given.headers.has(header.toLowerCase()));
  if (forms.length === 0)
    return [
      {
        header: "Signature",
        isRight: false,
        part: "header",
        words: "There is neither a Service-Signature nor a webhook-signature header.",
        expected: null,
      },
    ];
  return Promise.all(forms.map((form) => checkForm(form, given, nowSeconds)));
}

interface ParsedHeader {
  readonly seconds: string;
  readonly signatures: readonly string[];
  /** What is signed before the body. */
  readonly start: string;
}

interface SignatureForm {
  readonly header: string;
  readonly shape: string;
  readonly parse: (headers: ReadonlyMap<string, string>) => ParsedHeader | null;
  /** The key of a secret; null if it has none. */
  readonly keyOf: (secret: string) => Uint8Array<ArrayBuffer> | null;
  /** Keys that others have taken by mistake, with what was wrong. */
  readonly wrongKeys: (secret: string) => readonly (readonly [Uint8Array<ArrayBuffer> | null, string])[];
  readonly write: (parsed: ParsedHeader, hmac: Uint8Array) => { readonly signature: string; readonly header: string };
}

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const base64Of = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
const withoutStart = (secret: string): string =>
  secret.startsWith(SECRET_START) ? secret.slice(SECRET_START.length) : secret;
const SIGNED_SECONDS = /^\d{1,12}$/;

const SIGNATURE_FORMS: readonly SignatureForm[] = [
  {
    header: "Service-Signature",
    shape: "t=<seconds>,v1=<hex>",
    parse(headers) {
      const parts = (headers.get("service-signature") ?? "").split(",").map((part) => part.trim().split("="));
      const seconds = parts.find(([name]) => name === "t")?.[1] ?? "";
      const signatures = parts.flatMap(([name, value]) => (name === "v1" && value !== undefined ? [value] : []));
      return SIGNED_SECONDS.test(seconds) && signatures.length > 0
        ? { seconds, signatures, start: `${seconds}.` }
        : null;
    },
    keyOf: bytesOf,
    wrongKeys: (secret) => [
      [bytesOf(withoutStart(secret)), "It was signed with the secret without whsec_; the key is the whole text."],
      [bytesOfBase64(withoutStart(secret)), "It was signed with the decoded secret; the key is the whole text."],
    ],
    write: ({ seconds }, hmac) => ({ signature: hexOf(hmac), header: `t=${seconds},v1=${hexOf(hmac)}` }),
  },
  {
    header: "webhook-signature",
    shape: "v1,<base64>, with webhook-id and webhook-timestamp beside it",
    parse(headers) {
      const [id = "", seconds = ""] = [headers.get("webhook-id"), headers.get("webhook-timestamp")];
      const signatures = (headers.get("webhook-signature") ?? "")
        .split(" ")
        .flatMap((part) => (part.startsWith("v1,") ? [part.slice("v1,".length)] : []));
      if (id === "" || !SIGNED_SECONDS.test(seconds) || signatures.length === 0) return null;
      return { seconds, signatures, start: `${id}.${seconds}.` };
    },
    keyOf: (secret) => bytesOfBase64(withoutStart(secret)),
    wrongKeys: (secret) => [
      [bytesOf(secret), "It was signed with the secret as text; the key is what follows whsec_, decoded from base64."],
    ],
    write: (_, hmac) => ({ signature: base64Of(hmac), header: `v1,${base64Of(hmac)}` }),
  },
];

async function hmacOf(key: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, bytesOf(text)));
}

async function checkForm(
  form: SignatureForm,
  { headers, body, secret }: GivenDelivery,
  nowSeconds: number,
): Promise<SignatureFinding> {
  const wrong = (part: SignatureFinding["part"], words: string, expected: string | null = null): SignatureFinding => ({
    header: form.header,
    isRight: false,
    part,
    words,
    expected,
  });
  const parsed = form.parse(headers);
  if (parsed === null) return wrong("header", `The header must have the form ${form.shape}.`);
  const key = form.keyOf(secret);
  if (key === null || key.length === 0) return wrong("secret", "The secret is not a whsec_ text with base64 after it.");
  const fits = async (one: Uint8Array<ArrayBuffer>, text: string): Promise<boolean> =>
    parsed.signatures.includes(form.write(parsed, await hmacOf(one, parsed.start + text)).signature);
  const expected = form.write(parsed, await hmacOf(key, parsed.start + body)).header;
  if (await fits(key, body)) {
    const late = nowSeconds - Number(parsed.seconds);
    if (Math.abs(late) <= TOLERANCE_SECONDS_OF_SIGNATURES)
      return { header: form.header, isRight: true, part: null, words: "The signature fits.", expected };
    const when = `${Math.abs(late).toLocaleString()} s ${late > 0 ? "ago" : "ahead"}`;
    const words = `The signature fits, but it was made ${when}; receivers accept ${TOLERANCE_SECONDS_OF_SIGNATURES} s. Compare the clocks.`;
    return wrong("timestamp", words, expected);
  }
  for (const [text, words] of changedBodies(body)) if (await fits(key, text)) return wrong("body", words, expected);
  for (const [other, words] of form.wrongKeys(secret))
    if (other !== null && other.length > 0 && (await fits(other, body))) return wrong("secret", words, expected);
  const trimmed = form.keyOf(secret.trim());
  if (trimmed !== null && trimmed.length > 0 && (await fits(trimmed, body)))
    return wrong("secret", "The secret has white space around it.", expected);
  return wrong(
    null,
    "No signature fits this secret, body and timestamp. Is the secret the one of this organization, and the body byte for byte as it arrived?",
    expected,
  );
}

/** What happens to bodies on their way. */
function changedBodies(body: string): readonly (readonly [string, string])[] {
  const bodies: (readonly [string, string])[] = [
    [body.trim(), "The body has white space around it that was not sent."],
    [`${body}\n`, "The body lacks the line break at its end."],
  ];
  if (body.length <= PARSED_BODY_CHARACTERS)
    try {
      const rewritten = JSON.stringify(JSON.parse(body));
      bodies.push([rewritten, "The body was parsed and written again: check the bytes as they arrived."]);
    } catch {
      // Not JSON: it was not written again.
    }
  return bodies.filter(([text]) => text !== body);
}
