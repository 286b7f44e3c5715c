/** The script of the reference: Scalar's, unchanged, from `vendor/`. */
import { ok } from "../../actors/fault.ts";
import { Type } from "../../actors/schema.ts";
import { operationGroup } from "../http/contract/operation.ts";
import { ENCODED } from "../http/contract/request-headers.ts";
import { Asset } from "../http/document/asset.ts";
import { operation } from "../operations/operation.ts";

export const SCALAR_VERSION = "1.72.1";

export const scalar = new Asset({
  file: new URL("../../vendor/scalar-api-reference/standalone.js.gz", import.meta.url),
  sha256: "bf091006bdc3af6067af77c2f534812e3e633e94a94e87138069f570f33b762c",
  contentType: "text/javascript; charset=utf-8",
});

export const SCALAR_PATH = `/api/reference/scalar-${scalar.version}.js` as const;

/** The script's own address: it belongs to the page of the reference, not to the contract. */
export const scalarOperations = operationGroup("Reference", "The program of the reference", {
  getScalar: operation(
    {
      method: "GET",
      path: SCALAR_PATH,
      scope: null,
      summary: "Get the program of the reference",
      headers: ENCODED,
      answers: { 200: { kind: "media", types: { "text/javascript": Type.String() } } },
    },
    async (_services, _visitor, { headers }) => ok(await scalar.answer(headers["accept-encoding"] ?? null)),
  ),
});

/**
 * Loads everything from this service and sends nothing elsewhere. Fonts, telemetry, the assistant, the MCP generator,
 * the tools of Scalar's cloud and its client would each call Scalar's servers, so they are off. A pasted token stays in
 * the page, and one field takes either kind of token.
 */
export const SCALAR_CONFIGURATION = {
  url: "/api/openapi.json",
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
  hideClientButton: true,
  persistAuth: false,
  documentDownloadType: "direct",
  operationTitleSource: "summary",
  authentication: { preferredSecurityScheme: "serviceToken" },
  modelsSectionLabel: "Schemas",
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  orderSchemaPropertiesBy: "preserve",
  customCss: ":root{color-scheme:light dark}body{background:var(--scalar-background-1)}",
} as const;
