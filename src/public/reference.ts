/**
 * The interactive reference (DOC-2): the page of `@elysiajs/swagger`, over our own document and with the vendored
 * script. The plugin is an app that only `getReference` asks, so its page is served like every public document, and its
 * own routes shadow none of ours (docs/decisions/0050).
 */
import { Elysia } from "elysia";
import { pathPrefixOf } from "../http/request/path-prefix.ts";
import { ICON } from "../http/document/page.ts";
import type { Services } from "../operations/services.ts";
import { SCALAR_CONFIGURATION, SCALAR_PATH } from "./scalar.ts";

export const REFERENCE_PATH = "/api/reference";

/** The text of the element that holds the configuration: browsers take it for a script, without a type. */
const BLANK = "\n    ";

/**
 * The page can load from and send to this service only. Styles must be allowed inline, because Scalar's script inserts
 * them.
 */
const REFERENCE_POLICY = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${new Bun.CryptoHasher("sha256").update(BLANK).digest("base64")}'`,
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export const REFERENCE_FORM = {
  contentType: "text/html; charset=utf-8",
  cacheControl: "no-cache",
  headers: {
    "content-security-policy": REFERENCE_POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  },
};

/** The plugin is loaded with the first request for the page: a start has no use for it. */
export async function referencePage({ appUrl, facts }: Services): Promise<string> {
  const { swagger } = await import("@elysiajs/swagger");
  const prefix = pathPrefixOf(appUrl());
  const url = prefix + SCALAR_CONFIGURATION.url;
  const plugin = new Elysia().use(
    swagger({
      path: REFERENCE_PATH,
      documentation: {
        info: { title: "Troupe · API reference", description: "Every operation, to try", version: facts.version },
      },
      // The document is ours.
      exclude: [/.*/],
      scalarCDN: prefix + SCALAR_PATH,
      // The plugin was written for an older Scalar: it knows the setting of the address by its former name, and lacks
      // some of the others.
      scalarConfig: { ...SCALAR_CONFIGURATION, url, spec: undefined, favicon: ICON } as object,
    }),
  );
  return (await plugin.handle(new Request(`http://localhost${REFERENCE_PATH}`))).text();
}
