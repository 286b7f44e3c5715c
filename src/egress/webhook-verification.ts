/** Verifies the signature of a delivery, and says exactly why it fails (HOOK-10). */
import { isSameHash } from "../../actors/sealing.ts";
import type { VerifiedSignature } from "../../actors/webhook/schema.ts";
import { SECRET_PREFIX, Signer } from "./webhook-signature.ts";

/** A timestamp may differ from now by at most this. */
const TOLERANCE_SECONDS = 300;
/** Signatures checked in one header. A delivery has two at most, and each one costs a comparison. */
const SIGNATURES = 16;
/**
 * Longest body that is parsed: longer than any delivery (HOOK-2); parsing a megabyte of brackets would take
 * seconds.
 */
const PARSED = 64 * 1024;

interface DeliveredRequest {
  /** The headers as they arrived; names in any case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Verifies a delivery under one of the secrets, and says exactly why it fails (HOOK-10). If both headers are
 * present, each is judged with its own timestamp, and the first failure is reported.
 */
export function verifySignature(
  { headers, body }: DeliveredRequest,
  secrets: readonly string[],
  nowMs: number,
): VerifiedSignature {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()]));
  const service = lower.get("service-signature");
  const given = [
    ...(service === undefined ? [] : [{ parsed: parseService(service), form: SERVICE_FORM }]),
    ...(lower.has("webhook-signature") ? [{ parsed: parseStandard(lower), form: STANDARD_FORM }] : []),
  ];
  if (given.length === 0)
    return {
      kind: "missing_signature",
      message: "Missing header: Service-Signature or webhook-signature",
    };
  const verdicts = given.map(({ parsed, form }) =>
    parsed === null
      ? ({ kind: "malformed_signature", message: `The header must have the form ${form}` } as const)
      : verdictOf(parsed, body, secrets, nowMs),
  );
  const wrong = verdicts.findIndex(({ kind }) => kind !== "valid");
  if (wrong === -1) return { kind: "valid", message: verdicts.map(({ message }) => message).join("; ") };
  const verdict = verdicts[wrong]!;
  const other =
    verdicts.length > 1 && verdicts[1 - wrong]?.kind === "valid" ? " (the other signature header verifies)" : "";
  return { kind: verdict.kind, message: `${given[wrong]!.form.split(":")[0]}: ${verdict.message}${other}` };
}

const SERVICE_FORM = "Service-Signature: t=<seconds>,v1=<hex>";
const STANDARD_FORM = "webhook-signature: v1,<base64>, with webhook-id and webhook-timestamp beside it";

/** Judges one header with its own timestamp. */
function verdictOf(
  parsed: ParsedSignature,
  body: string,
  secrets: readonly string[],
  nowMs: number,
): VerifiedSignature {
  const signatures = parsed.signatures.slice(0, SIGNATURES);
  const matching = (text: string, key: (secret: string) => string): boolean =>
    secrets.some((secret) => {
      // Compute once per text: a body may have a megabyte.
      const expected = parsed.sign(key(secret), text);
      return signatures.some((one) => isSameHash(one, expected));
    });
  const asIs = (secret: string): string => secret;
  if (matching(body, asIs)) {
    const offBy = Math.round(nowMs / 1_000) - parsed.seconds;
    if (Math.abs(offBy) <= TOLERANCE_SECONDS) return { kind: "valid", message: `The ${parsed.scheme} header verifies` };
    const when = `${Math.abs(offBy)} s ${offBy > 0 ? "ago" : "ahead"}`;
    const message = `the signature is right, but its timestamp ${parsed.seconds} is ${when}; up to ${TOLERANCE_SECONDS} s are accepted`;
    return { kind: "timestamp_out_of_tolerance", message };
  }
  const other = otherBodies(body).find(([text]) => matching(text, asIs));
  if (other !== undefined) return { kind: "body_changed", message: other[1] };
  if (matching(body, (secret) => secret.slice(SECRET_PREFIX.length)))
    return {
      kind: "wrong_secret_encoding",
      message: "it was signed with the secret without its prefix; the key is the whole whsec_… text",
    };
  return {
    kind: "signature_mismatch",
    message:
      "no signature matches this secret, body and timestamp: at least one of the three differs from what was signed",
  };
}

interface ParsedSignature {
  readonly scheme: "Service-Signature" | "webhook-signature";
  readonly seconds: number;
  readonly signatures: readonly string[];
  sign(secret: string, body: string): string;
}

function parseService(header: string): ParsedSignature | null {
  const parts = header.split(",").map((part) => part.trim().split("="));
  const seconds = parts.find(([name]) => name === "t")?.[1] ?? "";
  const signatures = parts.flatMap(([name, value]) => (name === "v1" && value !== undefined ? [value] : []));
  if (!/^\d{1,12}$/.test(seconds) || signatures.length === 0) return null;
  const sign = (secret: string, body: string): string => new Signer(secret).hex(seconds, body);
  return { scheme: "Service-Signature", seconds: Number(seconds), signatures, sign };
}

function parseStandard(headers: ReadonlyMap<string, string>): ParsedSignature | null {
  const id = headers.get("webhook-id") ?? "";
  const seconds = headers.get("webhook-timestamp") ?? "";
  const signatures = (headers.get("webhook-signature") ?? "")
    .split(" ")
    .flatMap((part) => (part.startsWith("v1,") ? [part.slice(3)] : []));
  if (id === "" || !/^\d{1,12}$/.test(seconds) || signatures.length === 0) return null;
  const sign = (secret: string, body: string): string => new Signer(secret).base64(id, seconds, body);
  return { scheme: "webhook-signature", seconds: Number(seconds), signatures, sign };
}

/** Common changes of a body on its way to the verifier. */
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

/** The body as it looks after parsing and serializing; null if it is too long or not JSON. */
function writtenAgain(body: string): string | null {
  if (body.length > PARSED) return null;
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return null;
  }
}
