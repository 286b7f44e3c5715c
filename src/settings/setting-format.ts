/**
 * Converts the text of an environment variable to a typed value, by the schema of its setting: type, limits and format.
 * Independent of specific settings.
 */
import { limitOf } from "../../actors/money.ts";
import { isIP } from "node:net";
import type { TSchema } from "../../actors/schema.ts";
import { inputEntry, thinkingEntry, windowEntry } from "../../actors/job/model-entry.ts";
import { isHiddenQuery } from "../../actors/job/model-provider.ts";
import { RATE_BUDGET } from "../../actors/traffic/policy.ts";
import { quotaEntry } from "../../actors/usage/quota.ts";
import { isPostgresUrl, withUrl } from "./postgres-url.ts";
import { isHostRule } from "./shell.ts";

/** The required form of a PostgreSQL URL. */
export const POSTGRES_URL_FORM =
  "a URL such as postgres://user:password@host:5432/database; with several hosts (a,b) also ?target_session_attrs=read-write";

/** The result for an invalid text. */
export const INVALID = Symbol("invalid");

const LEAST_SECRET_BYTES = 32;

/** Whether values of this format are URLs, which may contain a password. */
export const isUrlFormat = (format: unknown): boolean =>
  typeof format === "string" && /url|origin/.test(format) && format !== "replica-url";

/** The typed value of `raw`, or INVALID. */
export function parseSetting(schema: TSchema, raw: string): unknown {
  switch (schema["type"]) {
    case "integer":
      return parseInteger(raw, Number(schema["minimum"]), Number(schema["maximum"]));
    case "boolean":
      return /^(true|1)$/i.test(raw) ? true : /^(false|0)$/i.test(raw) ? false : INVALID;
    case "array": {
      const items = raw.split(/[\s,]+/).filter((item) => item !== "");
      const values = items.map((item) => parseSetting(schema["items"] as TSchema, item));
      return values.includes(INVALID) ? INVALID : values;
    }
    case "Uint8Array":
      return parseSecret(raw);
    default:
      return parseString(schema, raw);
  }
}

function parseInteger(raw: string, minimum: number, maximum: number): number | typeof INVALID {
  const value = /^\d+$/.test(raw) ? Number(raw) : Number.NaN;
  return value >= minimum && value <= maximum ? value : INVALID;
}

function parseSecret(raw: string): Uint8Array | typeof INVALID {
  const bytes = Buffer.from(raw, "base64");
  const isWhole = bytes.toString("base64").replace(/=+$/, "") === raw.replace(/=+$/, "");
  return isWhole && bytes.length === LEAST_SECRET_BYTES ? new Uint8Array(bytes) : INVALID;
}

function parseString(schema: TSchema, raw: string): string | typeof INVALID {
  const values = schema["enum"] as readonly string[] | undefined;
  if (values !== undefined) return values.includes(raw.toLowerCase()) ? raw.toLowerCase() : INVALID;
  const format = FORMATS[schema["format"] as keyof typeof FORMATS];
  return format(raw) ? (WITHOUT_SLASH.has(String(schema["format"])) ? raw.replace(/\/$/, "") : raw) : INVALID;
}

/** Formats of addresses to which paths are appended. */
const WITHOUT_SLASH: ReadonlySet<string> = new Set(["origin", "base-url", "replica-url"]);

const FORMATS = {
  word: (text: string) => !/\s/.test(text),
  path: (text: string) => !text.includes("\0"),
  host: (text: string) => isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text),
  "service-key": (text: string) => parseSecret(text) !== INVALID,
  "model-input": (text: string) => inputEntry(text) !== null,
  "model-thinking": (text: string) => thinkingEntry(text) !== null,
  "model-window": (text: string) => windowEntry(text) !== null,
  amount: (text: string) => limitOf(text) !== null,
  quota: (text: string) => quotaEntry(text) !== null,
  "rate-budget": (text: string) => Number(/^(?:org_[\w-]+|\*)=(\d{1,9})$/.exec(text)?.[1] ?? 0) >= RATE_BUDGET,
  commit: (text: string) => /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text),
  time: (text: string) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text)),
  network: isNetwork,
  "host-or-network": (text: string) => isNetwork(text) || isHostName(text) || isOrigin(text),
  "host-rule": isHostRule,
  "otel-pairs": (text: string) => pairsOf(text) !== null,
  ratio: (text: string) => /^(?:0|1|0?\.\d{1,12}|1\.0{1,12})$/.test(text),
  origin: isOrigin,
  /** An origin, with an optional path of a proxy: segments of plain characters. */
  "base-url": (text: string) => {
    const [, origin = "", path = ""] = /^(https?:\/\/[^/]+)(.*)$/i.exec(text) ?? [];
    return isOrigin(origin) && /^(?:\/[a-z0-9_~-][a-z0-9._~-]*)*\/?$/i.test(path);
  },
  "replica-url": (text: string) => text === "auto" || (isOrigin(text) && text.startsWith("http:")),
  /** A star may replace the first label of the host. */
  "apps-origin": (text: string) => isOrigin(text.replace("//*.", "//")) && !text.replace("//*.", "//").includes("*"),
  "http-url": (text: string) => urlWith(text, ["http:", "https:"]) !== null,
  "issuer-url": (text: string) => {
    const url = urlWith(text, ["http:", "https:"]);
    return url !== null && url.search + url.hash + url.username + url.password === "" && !/[?#\s]/.test(text);
  },
  /** A display name: short, on one line. */
  name: (text: string) => text.length <= 40 && !/\p{Cc}/u.test(text),
  "s3-url": (text: string) => {
    const url = urlWith(text, ["s3:"]);
    const endpoint = url?.searchParams.get("endpoint") ?? "https://s3";
    return url !== null && url.hostname !== "" && urlWith(endpoint, ["http:", "https:"]) !== null;
  },
  "smtp-url": (text: string) => {
    const url = urlWith(text, ["smtp:", "smtps:"]);
    return url !== null && url.hostname !== "" && url.search + url.hash === "" && ["", "/"].includes(url.pathname);
  },
  "mail-sender": (text: string) => /^(?:[^<>@\p{Cc}"]{1,80} <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u.test(text),
  "postgres-url": isPostgresUrl,
} as const;

function isOrigin(text: string): boolean {
  const url = urlWith(text, ["http:", "https:"]);
  return url !== null && url.pathname === "/" && url.search + url.hash + url.username + url.password === "";
}

function urlWith(text: string, protocols: readonly string[]): URL | null {
  const url = URL.parse(text);
  return url !== null && protocols.includes(url.protocol) ? url : null;
}

/** `10.0.0.1`, `10.0.0.0/8`, `fd00::/8`. */
function isNetwork(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** A host name. Its last label must not be a number: that would be a mistyped address. */
function isHostName(text: string): boolean {
  return (
    text.length <= 253 &&
    /^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*(?!\d+$|0x[0-9a-f]*$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(text)
  );
}

/** Masks the password, each parameter whose name suggests one, and all values in the query of a web address. */
export function maskUrl(text: string): string {
  return withUrl(text, (url) => {
    if (url.password !== "") url.password = "redacted";
    const isWeb = url.protocol.startsWith("http");
    for (const name of new Set(url.searchParams.keys()))
      if (isWeb ? isHiddenQuery(name) : /pass|secret|key|token/i.test(name)) url.searchParams.set(name, "redacted");
  });
}

/** Parses `key=value,other=value` with percent-decoding; null if the text has another form. */
export function pairsOf(text: string): Readonly<Record<string, string>> | null {
  const pairs: Record<string, string> = {};
  for (const entry of text.split(",").filter((part) => part.trim() !== "")) {
    const [, name, value] = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*([^\r\n]*?)\s*$/.exec(entry) ?? [];
    if (name === undefined || value === undefined) return null;
    try {
      pairs[name] = decodeURIComponent(value);
    } catch {
      return null;
    }
    if (/\p{Cc}/u.test(pairs[name])) return null;
  }
  return pairs;
}
