/** Whether a webhook is what the service sent. */
import { WebhookSignatureError } from "./errors.ts";
import type { WebhookEvent } from "../../typescript/troupe.ts";

/** Seconds that a signature may be old, or ahead of this clock. */
const TOLERANCE_SECONDS = 300;

/** A webhook as it has arrived. */
export interface ReceivedWebhook {
  /** All headers of the request, whatever their case. */
  readonly headers: Headers | { readonly [name: string]: string | readonly string[] | undefined };
  /** The body as it has come, before anything reads it as JSON: the signature is over its bytes. */
  readonly body: string | Uint8Array;
  /** The signing secret, `whsec_…`. Give the old one too while it is being replaced. */
  readonly secret: string | readonly string[];
  /** Default 300. */
  readonly toleranceSeconds?: number;
  /** In place of the present, in Unix milliseconds. */
  readonly now?: number;
}

/**
 * Answers the event of a webhook that was signed with the secret, and throws `WebhookSignatureError` for any
 * other. It takes `Service-Signature` and the headers of Standard Webhooks, and compares in constant time.
 * An event may come more than once: its `id` is the same each time.
 */
export async function verifyWebhook<E = WebhookEvent>(received: ReceivedWebhook): Promise<E> {
  const bytes = typeof received.body === "string" ? new TextEncoder().encode(received.body) : received.body;
  const header = readerOf(received.headers);
  const secrets = typeof received.secret === "string" ? [received.secret] : received.secret;
  const own = header("service-signature");
  const signed = own === null ? standardSignature(header) : serviceSignature(own);
  const ageSeconds = (received.now ?? Date.now()) / 1_000 - signed.timestamp;
  if (!(Math.abs(ageSeconds) <= (received.toleranceSeconds ?? TOLERANCE_SECONDS)))
    throw new WebhookSignatureError("The signature is too old, or of another clock");
  const message = joined(new TextEncoder().encode(signed.prefix), bytes);
  for (const secret of secrets) {
    const bytesOfKey = signed.keyOf(secret);
    if (bytesOfKey.length === 0) throw new WebhookSignatureError("The secret is none");
    const key = await hmacKey(bytesOfKey);
    for (const signature of signed.signatures)
      if (await crypto.subtle.verify("HMAC", key, signature, message))
        return JSON.parse(new TextDecoder().decode(bytes)) as E;
  }
  throw new WebhookSignatureError("The signature is of another secret or another body");
}

interface Signed {
  /** Unix seconds. */
  readonly timestamp: number;
  /** What is signed before the body. */
  readonly prefix: string;
  readonly signatures: readonly Uint8Array<ArrayBuffer>[];
  readonly keyOf: (secret: string) => Uint8Array<ArrayBuffer>;
}

/** `t=<timestamp>,v1=<hex>`, with another `v1` while a secret is being replaced. */
function serviceSignature(header: string): Signed {
  const parts = header.split(",").map((part) => part.trim());
  const timestamp = parts.find((part) => part.startsWith("t="))?.slice(2) ?? "";
  const signatures = parts.filter((part) => part.startsWith("v1=")).map((part) => bytesOfHex(part.slice(3)));
  return {
    timestamp: secondsOf(timestamp),
    prefix: `${timestamp}.`,
    signatures,
    keyOf: (secret) => new TextEncoder().encode(secret),
  };
}

/** `webhook-id`, `webhook-timestamp` and `webhook-signature: v1,<base64> …`. */
function standardSignature(header: (name: string) => string | null): Signed {
  const timestamp = header("webhook-timestamp") ?? "";
  const signatures = (header("webhook-signature") ?? "")
    .split(" ")
    .filter((part) => part.startsWith("v1,"))
    .map((part) => bytesOfBase64(part.slice(3)));
  return {
    timestamp: secondsOf(timestamp),
    prefix: `${header("webhook-id") ?? ""}.${timestamp}.`,
    signatures,
    keyOf: (secret) => bytesOfBase64(secret.replace(/^whsec_/, "")),
  };
}

function secondsOf(text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw new WebhookSignatureError("There is no signature, or it has no timestamp");
  return Number(text);
}

function readerOf(headers: ReceivedWebhook["headers"]): (name: string) => string | null {
  if (headers instanceof Headers) return (name) => headers.get(name);
  const values = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => {
    const value = values.get(name);
    return typeof value === "string" ? value : (value?.[0] ?? null);
  };
}

const hmacKey = (bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> =>
  crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);

function bytesOfHex(text: string): Uint8Array<ArrayBuffer> {
  if (!/^(?:[0-9a-f]{2})*$/i.test(text)) return new Uint8Array();
  return new Uint8Array((text.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)));
}

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) return new Uint8Array();
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
