/** The public documents. The first request for a document makes it; later requests all get the same one. */
import { mapped, ok } from "../../actors/fault.ts";
import type { MaybePromise } from "../../actors/maybe-promise.ts";
import { API_VERSION, SUPPORTED_VERSIONS } from "../http/contract/api-version.ts";
import { API_RESOURCE, MCP_RESOURCE } from "../http/contract/oauth-paths.ts";
import type { Handlers, Shown } from "../http/contract/operation.ts";
import { type DocumentRequest, JSON_FORM, oncePer, PublicDocument, TEXT_FORM } from "../http/document/document.ts";
import { pathPrefixOf } from "../http/request/path-prefix.ts";
import type { Visitor } from "../http/request/caller.ts";
import type { Services } from "../operations/services.ts";
import { contract } from "./contract.ts";
import { agentApiManifest, agentReadiness, llmsText } from "./manifests.ts";
import { authorizationServer, protectedResource } from "./oauth-metadata.ts";
import type { publicOperations } from "./operations.ts";
import { deprecationPolicy, rateLimitPolicy } from "./policies.ts";
import { PAGE_HEADERS, PAGE_TYPE } from "../http/document/page.ts";
import { errorsPage } from "./errors-page.ts";
import { REFERENCE_FORM, referencePage } from "./reference.ts";
import { scalar, type scalarOperations } from "./scalar.ts";
import type { ServiceVersion } from "./schema.ts";
import { sdkExamples, sdkManifest, sdkSource, sdkTypes } from "./sdk.ts";

/** The handler of a document. */
function serve(make: (services: Services) => MaybePromise<PublicDocument>) {
  const documentOf = oncePer(make);
  return async (services: Services, _: Visitor, { headers }: { readonly headers: DocumentRequest }) =>
    ok(await (await documentOf(services)).answer(headers));
}

const json = (make: (services: Services) => object) => serve((services) => PublicDocument.json(make(services)));

const ERRORS_FORM = { contentType: PAGE_TYPE, cacheControl: JSON_FORM.cacheControl, headers: PAGE_HEADERS };

export const publicHandlers: Handlers<typeof publicOperations.operations, Services> = {
  getVersion: serve((services) =>
    PublicDocument.json(serviceVersion(services), { ...JSON_FORM, cacheControl: "no-cache" }),
  ),
  getOpenApi: async ({ appUrl }, _visitor, { headers, query }) =>
    ok(await (await contract(query.surface, pathPrefixOf(appUrl()))).answer(headers)),
  getReference: serve(async (services) => new PublicDocument(await referencePage(services), REFERENCE_FORM)),
  getErrorCodes: serve((services) => new PublicDocument(errorsPage(services), ERRORS_FORM)),
  getRateLimitPolicy: json(rateLimitPolicy),
  getDeprecationPolicy: json(deprecationPolicy),
  getAgentReadiness: json(agentReadiness),
  getAgentApiManifest: json(agentApiManifest),
  getAuthorizationServer: json(authorizationServer),
  getProtectedResource: json((services) => protectedResource(services, API_RESOURCE)),
  getProtectedMcpResource: json((services) => protectedResource(services, MCP_RESOURCE)),
  getSdkManifest: serve(async (services) => PublicDocument.json(await sdkManifest(services))),
  getTypeScriptSdk: serve(() => sdkSource("typescript")),
  getJavaScriptSdk: serve(() => sdkSource("javascript")),
  getJavaScriptSdkTypes: serve(() => sdkTypes("javascript")),
  getPythonSdk: serve(() => sdkSource("python")),
  getSdkExamples: serve(async (services) => PublicDocument.json(await sdkExamples(services))),
  getLlmsText: serve((services) => new PublicDocument(llmsText(services), TEXT_FORM)),
};

/** The script of the reference belongs to its page, not to the contract. */
export const scalarHandlers: Handlers<typeof scalarOperations.operations, Services> = {
  getScalar: async (_services, _visitor, { headers }) => ok(await scalar.answer(headers["accept-encoding"] ?? null)),
};

/** The deployed version (VER-2). The model is the default one of jobs. */
function serviceVersion({ facts, models }: Services): Shown<typeof ServiceVersion> {
  const runner = mapped(models.describe(null), ({ provider, name, demo }) => ({ model: `${provider}:${name}`, demo }));
  return {
    version: facts.version,
    api_version: API_VERSION,
    supported_versions: [...SUPPORTED_VERSIONS],
    commit: facts.build.commit,
    built_at: facts.build.builtAt,
    runner: runner.ok ? runner.value : { model: null, demo: false },
  };
}
