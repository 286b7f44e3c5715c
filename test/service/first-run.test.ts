import { expect, test } from "bun:test";
import { refuse } from "../../actors/fault.ts";
import { DEFAULT_SCOPES } from "../../actors/organization/principal.ts";
import { TOKEN_DAYS } from "../../actors/organization/tokens.ts";
import { firstRun, type FirstTokens } from "../../src/service/first-run.ts";
import { systemChance, systemClock } from "../../src/wiring/clock.ts";
import { serviceOfFile } from "../support/scene.ts";

const service = serviceOfFile();

const NOW = Date.UTC(2026, 0, 1);
const TIME = { pauses: { clock: systemClock, chance: systemChance }, signal: new AbortController().signal };
const run = (beforeCommit: (tokens: FirstTokens) => void, system = service.system) =>
  firstRun({ ...service, ...TIME, system, now: NOW, beforeCommit });

test("[START-31] tokens that could not be printed create no organization", async () => {
  await expect(
    run(() => {
      throw new Error("disk full");
    }),
  ).rejects.toThrow("disk full");
  expect(await service.directory.listOrganizations()).toEqual([]);
});

/** The system, whose shard has no owner for the first so many tries. */
function homeless(tries: number): typeof service.system {
  const { system } = service;
  let tried = 0;
  const dispatchGroup = (...of: Parameters<typeof system.dispatchGroup>) =>
    tried++ < tries ? refuse({ kind: "unavailable", retryAfterMs: 1_000 }) : system.dispatchGroup(...of);
  return new Proxy(system, {
    get: (target, name) => (name === "dispatchGroup" ? dispatchGroup : Reflect.get(target, name, target)),
  });
}

test("[START-31] the tokens are printed before they are valid; then everything is created at once, by whichever replica serves it by then", async () => {
  const told: FirstTokens[] = [];
  const organizations: Promise<readonly object[]>[] = [];
  const first = await run((tokens) => {
    told.push(tokens);
    organizations.push(service.directory.listOrganizations());
  }, homeless(2));
  expect(await Promise.all(organizations)).toEqual([[]]);
  const { personalToken, serviceToken, expiresAt, organizationId, agentId } = first!;
  expect(told).toEqual([{ personalToken, serviceToken, expiresAt }]);
  expect(expiresAt).toBe(new Date(NOW + TOKEN_DAYS * 86_400_000).toISOString());

  const [organization] = await service.directory.listOrganizations();
  const [owner, ...others] = await service.directory.listMembers(organizationId);
  expect([organization!.id, organization!.owners, others]).toEqual([organizationId, [owner!.id], []]);
  expect(organization!.defaultWorkspaceId).toStartWith("wsp_");
  expect(await service.directory.findAgent(agentId)).toEqual({ organizationId });
  // v1 lists it too, which the printed command executes (V1-1).
  expect((await service.directory.listAgents(organizationId, 10)).agents.map(({ id }) => id)).toEqual([agentId]);
});

test("[AUTH-1] [AUTH-12] both tokens are the owner's, only the personal one names secrets, and only their hashes are kept", async () => {
  const [organization] = await service.directory.listOrganizations();
  const tokens = await service.directory.listTokens(organization!.id);
  expect(tokens.map(({ kind, scopes, userId }) => [kind, scopes, userId])).toEqual([
    ["personal", ["*"], organization!.owners[0]!],
    ["service", [...DEFAULT_SCOPES], organization!.owners[0]!],
  ]);
  expect(JSON.stringify(tokens)).not.toMatch(/pat_|svc_/);
  const unknown = { headers: { authorization: "Bearer pat_no" } };
  expect((await fetch(`${service.url}/api/v1/agents`, unknown)).status).toBe(401);
});

test("[START-29] a database with an organization gets no other one, and no tokens are printed", async () => {
  const told: FirstTokens[] = [];
  expect(await run((tokens) => void told.push(tokens))).toBeNull();
  expect(told).toEqual([]);
  expect(await service.directory.listOrganizations()).toHaveLength(1);
});
