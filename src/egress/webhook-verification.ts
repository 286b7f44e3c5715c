/** Says exactly whether and why not the signature of a delivery verifies (HOOK-10). */
import { timingSafeEqual } from "node:crypto";
import { SECRET_PREFIX, Signer } from "./webhook-signature.ts";

/** A signature of another time than this around now is not taken. */
const TOLERANCE_SECONDS = 300;
/** Signatures of one header that are looked at. A delivery has two at most, and each one costs a comparison. */
const SIGNATURES = 16;
/** Characters of a body that is parsed: more than any delivery has (HOOK-2); a megabyte of brackets would take seconds. */
const PARSED = 64 * 1024;

/** Why a signature does not verify; `valid` where it does. */
interface Verification {
  readonly kind:
    | "valid"
    | "missing_signature"
    | "malformed_signature"
    | "timestamp_out_of_tolerance"
    | "wrong_secret_encoding"
    | "body_changed"
    | "signature_mismatch";
  readonly message: string;
}

interface Delivered {
  /** As they arrived; names in any case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Says exactly whether and why not a delivery verifies under one of the secrets (HOOK-10). */
export function verifySignature({ headers, body }: Delivered, secrets: readonly string[], nowMs: number): Verification {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()]));
  const service = lower.get("service-signature");
  const standard = lower.get("webhook-signature");
  if (service === undefined && standard === undefined)
    return {
      kind: "missing_signature",
      message: "There is neither a Service-Signature nor a webhook-signature header",
    };
  const parsed = service === undefined ? parseStandard(lower) : parseService(service);
  if (parsed === null) {
    const form = service === undefined ? "webhook-signature: v1,<base64>" : "Service-Signature: t=<seconds>,v1=<hex>";
    return { kind: "malformed_signature", message: `The header has not the form ${form}` };
  }
  const signatures = parsed.signatures.slice(0, SIGNATURES);
  const matching = (text: string, key: (secret: string) => string): boolean =>
    secrets.some((secret) => {
      // Once for each text: a body may have a megabyte.
      const expected = parsed.sign(key(secret), text);
      return signatures.some((given) => isSame(given, expected));
    });
  const asIs = (secret: string): string => secret;
  if (matching(body, asIs)) {
    const offBy = Math.round(nowMs / 1_000) - parsed.seconds;
    if (Math.abs(offBy) <= TOLERANCE_SECONDS) return { kind: "valid", message: `The ${parsed.scheme} header verifies` };
    const message = `The signature is right, but its time is ${Math.abs(offBy)} s ${offBy > 0 ? "ago" : "ahead"}; ${TOLERANCE_SECONDS} s are usual`;
    return { kind: "timestamp_out_of_tolerance", message };
  }
  const other = otherBodies(body).find(([text]) => matching(text, asIs));
  if (other !== undefined) return { kind: "body_changed", message: other[1] };
  if (matching(body, (secret) => secret.slice(SECRET_PREFIX.length)))
    return {
      kind: "wrong_secret_encoding",
      message:
        "It was signed with the secret without its prefix: Service-Signature is keyed with the whole whsec_… text",
    };
  return {
    kind: "signature_mismatch",
    message: "No signature is by this secret over these bytes: another secret, another body, or another time",
  };
}

interface Parsed {
  readonly scheme: "Service-Signature" | "webhook-signature";
  readonly seconds: number;
  readonly signatures: readonly string[];
  sign(secret: string, body: string): string;
}

function parseService(header: string): Parsed | null {
  const parts = header.split(",").map((part) => part.trim().split("="));
  const seconds = parts.find(([name]) => name === "t")?.[1] ?? "";
  const signatures = parts.flatMap(([name, value]) => (name === "v1" && value !== undefined ? [value] : []));
  if (!/^\d{1,12}$/.test(seconds) || signatures.length === 0) return null;
  const sign = (secret: string, body: string): string => new Signer(secret).hex(seconds, body);
  return { scheme: "Service-Signature", seconds: Number(seconds), signatures, sign };
}

function parseStandard(headers: ReadonlyMap<string, string>): Parsed | null {
  const id = headers.get("webhook-id") ?? "";
  const seconds = headers.get("webhook-timestamp") ?? "";
  const signatures = (headers.get("webhook-signature") ?? "")
    .split(" ")
    .flatMap((part) => (part.startsWith("v1,") ? [part.slice(3)] : []));
  if (id === "" || !/^\d{1,12}$/.test(seconds) || signatures.length === 0) return null;
  const sign = (secret: string, body: string): string => new Signer(secret).base64(id, seconds, body);
  return { scheme: "webhook-signature", seconds: Number(seconds), signatures, sign };
}

/** What commonly becomes of a body on its way to the verifier. */
function otherBodies(body: string): readonly (readonly [string, string])[] {
  const bodies: [string, string][] = [
    [body.trim(), "The body has white space around it that was not sent"],
    [`${body}\n`, "The body lacks the line break at its end"],
  ];
  const rewritten = writtenAgain(body);
  if (rewritten !== null)
    bodies.push([rewritten, "The body was parsed and written again: verify the bytes as they arrived"]);
  return bodies.filter(([text]) => text !== body);
}

/** The body as its verifier may have had it from a parser; null where nobody has parsed it. */
function writtenAgain(body: string): string | null {
  if (body.length > PARSED) return null;
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return null;
  }
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
