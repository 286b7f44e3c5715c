/**
 * The public documents, mounted on the current surface: they count, and they say the version of the
 * contract, as everything there (RATE-2, VER-1).
 */
import { Elysia } from "elysia";
import { ok } from "../../actors/fault.ts";
import { API_VERSION, SUPPORTED_VERSIONS } from "../http/api-version.ts";
import { JSON_FORM, once, PublicDocument, TEXT_FORM } from "../http/document.ts";
import { operationRoutes } from "../http/operation-routes.ts";
import type { Shown } from "../http/operation.ts";
import type { Surface, Visit } from "../http/surface.ts";
import { contract } from "./contract.ts";
import { agentApiManifest, agentReadiness, llmsText } from "./manifests.ts";
import { publicOperations } from "./operations.ts";
import type { PublicParts } from "./parts.ts";
import { deprecationPolicy, rateLimitPolicy } from "./policies.ts";
import { REFERENCE_FORM, referencePage } from "./reference.ts";
import { scalar, SCALAR_PATH } from "./scalar.ts";
import { sdkHandlers } from "./sdk.ts";
import type { ServiceVersion } from "./schema.ts";

export function publicRoutes(current: Surface, parts: PublicParts) {
  const serve = (make: () => PublicDocument) => {
    const document = once(make);
    return (visit: Visit) => Promise.resolve(ok(document().answer(visit)));
  };
  const json = (make: (of: PublicParts) => object) => serve(() => PublicDocument.json(make(parts)));
  const routes = operationRoutes(current, publicOperations, {
    getVersion: serve(() => PublicDocument.json(serviceVersion(parts), { ...JSON_FORM, cacheControl: "no-cache" })),
    getOpenApi: async (visit) => ok(await contract(visit)),
    getReference: serve(() => new PublicDocument(referencePage(parts), REFERENCE_FORM)),
    getRateLimitPolicy: json(rateLimitPolicy),
    getDeprecationPolicy: json(deprecationPolicy),
    getAgentReadiness: json(agentReadiness),
    getAgentApiManifest: json(agentApiManifest),
    ...sdkHandlers(parts),
    getLlmsText: serve(() => new PublicDocument(llmsText(parts), TEXT_FORM)),
  });
  const program = current.open({ run: async (visit) => ok(await scalar.answer(visit)) });
  return new Elysia({ name: "public" }).use(routes).get(SCALAR_PATH, program);
}

/** What is deployed (VER-2). The model is that of a job that names none. */
function serviceVersion({ version, build, models }: PublicParts): Shown<typeof ServiceVersion> {
  const model = models.describe(null);
  return {
    version,
    api_version: API_VERSION,
    supported_versions: [...SUPPORTED_VERSIONS],
    commit: build.commit,
    built_at: build.builtAt,
    runner: model.ok
      ? { model: `${model.value.provider}:${model.value.name}`, demo: model.value.demo }
      : { model: null, demo: false },
  };
}
