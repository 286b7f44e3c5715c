/** The program of the reference: Scalar's, unchanged, from `vendor/`. */
import { Asset } from "../http/asset.ts";

export const SCALAR_VERSION = "1.72.1";

export const scalar = new Asset({
  file: new URL("../../vendor/scalar-api-reference/standalone.js.gz", import.meta.url),
  sha256: "bf091006bdc3af6067af77c2f534812e3e633e94a94e87138069f570f33b762c",
  contentType: "text/javascript; charset=utf-8",
});

export const SCALAR_PATH = `/api/reference/scalar-${scalar.version}.js`;

/**
 * How it shows the contract: everything from here, nothing sent elsewhere. Fonts, telemetry, the
 * assistant, the MCP generator, the tools of Scalar's own cloud and its client would each ask a
 * server of Scalar's, so they are off. A token that is pasted lives in the page only, and either kind
 * goes into the one field.
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
  customCss: ":root{--scalar-custom-header-height:48px}",
} as const;
