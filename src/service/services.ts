/** Makes what operations work with (`src/operations/services.ts`). A new part of the service is added there and here. */
import { RATE_BUDGET } from "../../actors/traffic/policy.ts";
import { Connections } from "../connections/connections.ts";
import { OPERATIONS } from "../contract/document.ts";
import { ERROR_CODES } from "../current/error-codes.ts";
import { CLIENT_DOCUMENT_PATH, CONNECTION_CALLBACK_PATH, CONNECTIONS_PATH } from "../http/contract/paths.ts";
import type { OpenStreams } from "../http/stream/open-streams.ts";
import { AppPlaces } from "../operations/app-places.ts";
import type { Services } from "../operations/services.ts";
import { HeldBytes } from "../runner/held-bytes.ts";
import { calendar } from "../schedule/calendar.ts";
import { buildOf, SERVICE_VERSION } from "../settings/build.ts";
import type { Config } from "../settings/settings.ts";
import { systemChance, systemClock } from "../wiring/clock.ts";
import { argumentChecks, ruleChecks } from "../wiring/schema-checks.ts";
import { dataQueries } from "../wiring/data-queries.ts";
import { SignedIdentities } from "../wiring/agent-identity.ts";
import { IdentityKeys } from "../wiring/identity-keys.ts";
import { library } from "../wiring/library.ts";
import { readingCommitted } from "../log/look-up.ts";
import { CachedMcpCatalogue } from "../wiring/mcp-catalogue.ts";
import { sandboxPreviews } from "../wiring/previews.ts";
import { actorSecretReader } from "../wiring/secret-reader.ts";
import { catalogueWithShell, toolCatalogue } from "../wiring/tool-catalogue.ts";
import { toolImports } from "../wiring/tool-imports.ts";
import { urlContents } from "../wiring/url-contents.ts";
import { webhookTools } from "../wiring/webhooks.ts";
import { AgentFinder } from "../work/agent-finder.ts";
import type { Actors } from "./actors.ts";
import { rateBudgetsOf } from "../settings/limits.ts";
import type { Resources } from "./resources.ts";

interface ServiceParts {
  readonly config: Config;
  readonly resources: Resources;
  readonly streams: OpenStreams;
  readonly appUrl: () => string;
  readonly hasPath: (path: string) => boolean;
}

export function createServices(
  actors: Actors,
  { config, resources, streams, appUrl, hasPath }: ServiceParts,
): Services {
  const { system, sealing, clock, contents } = actors;
  const { egress, sandbox, fileSandbox, models, git, shell } = resources;
  const access = new Connections({
    system,
    connections: actors.connections,
    sealing,
    egress,
    clock,
    secrets: actorSecretReader(system, sealing),
    pauses: { clock: systemClock, chance: systemChance },
    addresses: {
      page: (id) => `${appUrl()}${CONNECTIONS_PATH}/${id}`,
      callback: () => appUrl() + CONNECTION_CALLBACK_PATH,
      clientDocument: () => appUrl() + CLIENT_DOCUMENT_PATH,
    },
  });
  const identityKeys = new IdentityKeys(sealing, clock);
  const identities = new SignedIdentities(identityKeys, { clock, appUrl });
  return {
    ...actors,
    readCommitted: readingCommitted(actors.system, actors.log),
    models,
    git,
    passwords: resources.passwords,
    streams,
    appUrl,
    calendar,
    library,
    appPlaces: new AppPlaces(config.appsUrl, appUrl),
    agents: new AgentFinder(actors),
    tools: shell === null ? toolCatalogue : catalogueWithShell(config.shellHosts),
    urlContents: urlContents(egress, contents),
    queries: dataQueries({ sandbox: fileSandbox, system, contents }),
    previews: sandboxPreviews({ sandbox: fileSandbox, contents }),
    argumentChecks: argumentChecks(fileSandbox),
    ruleChecks: ruleChecks(fileSandbox),
    toolImports: toolImports(egress, fileSandbox),
    mcpCatalogue: new CachedMcpCatalogue({
      egress,
      sandbox,
      held: new HeldBytes(),
      secrets: actorSecretReader(system, sealing),
      connections: access.requests,
      identities,
      clock,
    }),
    access,
    webhookTools: webhookTools(egress),
    identityKeys,
    identities,
    facts: {
      version: SERVICE_VERSION,
      build: buildOf(config),
      budget: rateBudgetsOf(config).get("*") ?? RATE_BUDGET,
      countsV1: config.rateLimitV1,
      v1RequestsPerMinute: config.v1RequestsPerMinute,
      errorCodes: ERROR_CODES,
      operations: Object.fromEntries(OPERATIONS.map(({ id, operation }) => [id, operation])),
      hasPath,
    },
  };
}
