/** Successful calls for public documents: each is read the same way. */
import type { Happy, HappyAsk } from "./happy-ask.ts";

/** A public document: for whom it is new, and for whom it is not. */
const DOCUMENT: readonly HappyAsk[] = [
  { token: null, status: 200 },
  { token: null, headers: { "if-none-match": "*" }, status: 304 },
];

const DOCUMENT_IDS = [
  "getVersion",
  "getOpenApi",
  "getReference",
  "getRateLimitPolicy",
  "getErrorCodes",
  "getDeprecationPolicy",
  "getAgentReadiness",
  "getAgentApiManifest",
  "getAuthorizationServer",
  "getProtectedResource",
  "getProtectedMcpResource",
  "getOAuthClientDocument",
  "getIdentityKeys",
  "getLlmsText",
  "getSdkManifest",
  "getTypeScriptSdk",
  "getJavaScriptSdk",
  "getJavaScriptSdkTypes",
  "getTypeScriptAgUi",
  "getJavaScriptAgUi",
  "getJavaScriptAgUiTypes",
  "getPythonSdk",
  "getSdkExamples",
];

export const happyDocuments: Readonly<Record<string, Happy>> = Object.fromEntries(
  DOCUMENT_IDS.map((id) => [id, () => DOCUMENT]),
);
