/** A connection's actor and the jobs that wait for it, where time, crashes and races matter; over all actors in memory. */
import { beforeEach, describe, expect, test } from "bun:test";
import type { ConnectionCommand, RefreshOutcome, SealedTokens } from "../../../actors/connection/protocol.ts";
import { type Connection, connectionRef, MAX_CONNECTION_JOBS } from "../../../actors/connection/schema.ts";
import type { ModelCall } from "../../../actors/job/ports.ts";
import type { Job } from "../../../actors/job/schema.ts";
import type { EffectRow } from "../../../actors/runtime/store.ts";
import { use } from "../../support/approval-scene.ts";
import { until } from "../../support/condition.ts";
import { settle } from "../../support/fake-clock.ts";
import { FakeModel } from "../../support/fake-model.ts";
import { FakeTools } from "../../support/fake-tools.ts";
import { type JobReplica, ORG, startJobs } from "../../support/job-replica.ts";
import { World } from "../../support/replica.ts";

const ID = "con_1";
const REF = connectionRef(ORG, ID);
const BY = { userId: "usr_1", isOwner: false };
const ORIGIN = { userId: "usr_1", tokenId: null, address: null };
const RESOURCE = "https://crm.test/mcp";
const [MINUTE, DAY] = [60_000, 86_400_000];
const SUBJECT = { ownerId: BY.userId, resource: RESOURCE, scopes: [], resourceMetadata: null, client: null };

let world: World;
let model: FakeModel;
let tools: FakeTools;
let replica: JobReplica;
/** Effects of connections that have begun, and do not end by themselves. */
let begun: EffectRow[];

beforeEach(async () => {
  world = new World();
  model = new FakeModel();
  tools = new FakeTools();
  begun = [];
  await start();
});

async function start(): Promise<void> {
  const held = { run: async (effect: EffectRow) => void begun.push(effect), recover: async () => {} };
  const effects = () => ({ refresh_connection: held, revoke_connection: held });
  replica = await startJobs(world, { model, tools, effects });
}

const kinds = (): readonly string[] => begun.map(({ kind }) => kind);
const record = (): Connection => world.database.record("connection", ORG, ID) as Connection;

async function tell<C extends ConnectionCommand>(command: C) {
  const outcome = await replica.system.dispatch(REF, command);
  await settle();
  return outcome;
}

async function told<C extends ConnectionCommand>(command: C) {
  const outcome = await tell(command);
  if (!outcome.ok) throw new Error(`refused: ${JSON.stringify(outcome.fault)}`);
  return outcome.value;
}

const tokensFor = (ms: number, scopes: readonly string[] = []): SealedTokens => ({
  sealed: `tokens-${world.clock.now()}`,
  expiresAt: new Date(world.clock.now() + ms).toISOString(),
  isRefreshable: true,
  scopes,
});

const begin = (stateHash: string) =>
  told({ kind: "begin_consent", by: BY, stateHash, sealed: "consent", issuer: "https://as.test" });
const finishing = (stateHash: string, tokens = tokensFor(10 * MINUTE)) =>
  ({
    kind: "finish_consent",
    by: BY,
    stateHash,
    issuer: "https://as.test",
    sealedClient: "client",
    tokens,
    origin: ORIGIN,
  }) as const;

async function consent(stateHash = "s1", tokens = tokensFor(10 * MINUTE)): Promise<void> {
  await begin(stateHash);
  await told({ kind: "take_consent", by: BY, stateHash });
  await told(finishing(stateHash, tokens));
}

async function connected(): Promise<void> {
  await told({ kind: "want_connection", by: BY, subject: SUBJECT });
  await consent();
}

const ask = (spent: number | null = null) => told({ kind: "use_connection", spent });

/** A token that has nearly expired is asked for: its refresh, which is under way. */
async function refreshing(): Promise<EffectRow> {
  await world.clock.leap(9 * MINUTE + 1_000);
  expect(await ask()).toEqual({ kind: "refreshing" });
  await until("the refresh has begun", () => kinds().includes("refresh_connection"));
  return begun.findLast(({ kind }) => kind === "refresh_connection")!;
}

const endOf = (effect: EffectRow, outcome: RefreshOutcome, generation = 1) =>
  told({ kind: "end_refresh", effectId: effect.id, generation, outcome });
const renewed = (): RefreshOutcome => ({ kind: "refreshed", tokens: tokensFor(10 * MINUTE), sealedClient: "client" });

describe("consent", () => {
  test("[ACC-8] of two consents only the newest counts, and its repetition changes nothing", async () => {
    await told({ kind: "want_connection", by: BY, subject: SUBJECT });
    await begin("s1");
    await begin("s2");
    for (const stale of [{ kind: "take_consent", by: BY, stateHash: "s1" } as const, finishing("s1")])
      expect(await tell(stale)).toMatchObject({ ok: false, fault: { kind: "not_found" } });
    expect(await told({ kind: "take_consent", by: BY, stateHash: "s2" })).toMatchObject({ kind: "redeem" });
    expect(await told({ kind: "take_consent", by: BY, stateHash: "s2" })).toEqual({ kind: "unknown" });
    await told(finishing("s2"));
    const { version } = record() as Connection & { version: number };
    await told(finishing("s2"));
    expect(await told({ kind: "take_consent", by: BY, stateHash: "s2" })).toEqual({ kind: "finished" });
    expect(record()).toMatchObject({ status: "connected", generation: 1, version });
  });

  test("[ACC-8] a consent is over after 15 minutes", async () => {
    await told({ kind: "want_connection", by: BY, subject: SUBJECT });
    await begin("s1");
    await world.clock.leap(15 * MINUTE);
    expect(await tell({ kind: "take_consent", by: BY, stateHash: "s1" })).toMatchObject({ ok: false });
    expect(record().status).toBe("required");
  });
});

test("[ACC-9] servers that ask for other scopes each time do not fill the record", async () => {
  const batch = (n: number) => Array.from({ length: 90 }, (_, i) => `scope-${n}-${i}`);
  for (const n of [1, 2, 3, 4, 1])
    await told({ kind: "want_connection", by: BY, subject: { ...SUBJECT, scopes: batch(n) } });
  expect(record().askedScopes).toEqual([...batch(3).slice(-20), ...batch(4), ...batch(1)]);
});

describe("refresh", () => {
  test("[ACC-10] many requests begin one refresh, and all get its token", async () => {
    await connected();
    const effect = await refreshing();
    const uses = await Promise.all([ask(), ask(), ask(1)]);
    expect(uses.map(({ kind }) => kind)).toEqual(["refreshing", "refreshing", "refreshing"]);
    await endOf(effect, renewed());
    expect(kinds()).toEqual(["refresh_connection"]);
    expect(await ask(1)).toMatchObject({ kind: "ready", generation: 2 });
  });

  test("[ACC-10] a refusal ends the connection; a late answer to the same tokens does not bring it back", async () => {
    await connected();
    const effect = await refreshing();
    await endOf(effect, { kind: "refused", message: "no more" });
    expect(record()).toMatchObject({ status: "ended", tokens: null, end: { reason: "refused" } });
    await endOf(effect, renewed());
    expect(record()).toMatchObject({ status: "ended", tokens: null });
    expect(await ask()).toEqual({ kind: "lacking" });
  });

  test("[ACC-7] a connection that is removed during its refresh stays removed, and what the refresh gave is revoked", async () => {
    await connected();
    const effect = await refreshing();
    await told({ kind: "remove_connection", by: BY, origin: ORIGIN });
    await endOf(effect, renewed());
    expect(record()).toMatchObject({ status: "required", tokens: null, sealedClient: null, refresh: null });
    expect(record().removedAt).toBeString();
    await until("both are revoked", () => kinds().filter((kind) => kind === "revoke_connection").length === 2);
    expect(await ask()).toEqual({ kind: "lacking" });
    for (const { kind, id } of begun)
      if (kind === "revoke_connection") await told({ kind: "end_revocation", effectId: id, again: null });
    expect(record().revocation).toBeNull();
    expect(world.database.effects()).toEqual([]);
    // The next consent is not disturbed by anything late.
    await told({ kind: "want_connection", by: BY, subject: SUBJECT });
    await consent("s2");
    await endOf(effect, renewed());
    expect(record()).toMatchObject({ status: "connected", generation: 2, revocation: null });
  });

  test("[ACC-10] a server that is away for long is asked at most once a minute, and nothing ends", async () => {
    await connected();
    let effect = await refreshing();
    await world.clock.leap(5 * MINUTE);
    const pauses: number[] = [];
    for (let failures = 0; failures < 12; failures++) {
      await endOf(effect, { kind: "failed" });
      const use = await ask();
      if (use.kind !== "unavailable") throw new Error(`unexpected: ${use.kind}`);
      pauses.push(Date.parse(use.retryAt) - world.clock.now());
      await world.clock.leap(pauses.at(-1)!);
      expect(await ask()).toEqual({ kind: "refreshing" });
      await until("it has begun", () => kinds().length === failures + 2);
      effect = begun.at(-1)!;
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60, 60].map((seconds) => seconds * 1_000));
    await endOf(effect, renewed());
    expect(record()).toMatchObject({ status: "connected", refreshFailures: 0, lostRefreshes: 0, refreshAfter: null });
  });

  test("[ACC-10] a clock that is set back does not lengthen the pause after a failed refresh", async () => {
    await connected();
    await endOf(await refreshing(), { kind: "failed" });
    world.clock.setForward(-DAY);
    // By this clock the token is valid for a day; its server knows better.
    expect(await ask()).toMatchObject({ kind: "ready", generation: 1 });
    expect(await ask(1)).toEqual({ kind: "refreshing" });
  });
});

describe("jobs that wait", () => {
  const need = (scopes: readonly string[]) => ({
    connectionId: ID,
    name: "crm",
    resource: RESOURCE,
    owner: "person" as const,
    ownerId: BY.userId,
    scopes: [...scopes],
    resourceMetadata: null,
    link: "https://troupe.test/connections/con_1",
  });

  /** `look` in the first step, `send` in the second, which lacks the connection until it has all scopes. */
  function lacksLater(scopes: () => readonly string[]): void {
    model.script = ({ entries }: ModelCall) => {
      const text = JSON.stringify(entries.at(-1));
      if (!text.includes("tool_result")) return [use("c1", "look")];
      return text.includes("look done") && !text.includes("c2") ? [use("c2", "send")] : [{ say: `Got: ${text}` }];
    };
    tools.script = async ({ name }) => {
      if (name === "look") return { content: "look done", isError: false };
      const wanted = scopes();
      const usable = await replica.system.dispatch(REF, { kind: "use_connection", spent: null });
      const has = usable.ok && usable.value.kind === "ready" ? usable.value.scopes : null;
      if (has !== null && wanted.every((scope) => has.includes(scope))) return { content: "sent", isError: false };
      return { content: "", isError: true, lacks: need(wanted) };
    };
  }

  const reached = async (id: string, status: string): Promise<Job> => {
    await until(`the job is ${status}`, () => replica.job(id)?.status === status);
    return replica.job(id);
  };

  test("[ACC-9] a job that needs the connection in its second step keeps the first, and goes on with the consent", async () => {
    lacksLater(() => []);
    const id = await replica.send("go");
    expect(await reached(id, "blocked")).toMatchObject({ blockedReason: "auth_required" });
    await until("it waits", () => record()?.waiting.includes(id));
    await consent();
    expect((await reached(id, "completed")).result).toContain("sent");
    expect(tools.calls.map(({ name }) => name)).toEqual(["look", "send", "send"]);
    expect(record().waiting).toEqual([]);
    expect(world.database.alarms()).toEqual([]);
  });

  test("[ACC-9] after seven days a job goes on without it, also if no process ran at that time", async () => {
    lacksLater(() => []);
    const id = await replica.send("go");
    await reached(id, "blocked");
    await world.clock.leap(7 * DAY - 5 * MINUTE);
    expect(replica.job(id).status).toBe("blocked");
    replica.crash();
    world.clock.jump(10 * MINUTE);
    await start();
    await world.clock.advance(31_000);
    const job = await reached(id, "completed");
    expect(job.result).toContain("Nobody connected it in time");
    expect(job.authorizations).toMatchObject([{ outcome: "expired" }]);
    // A late consent wakes nobody.
    await consent();
    expect(replica.job(id)).toMatchObject({ status: "completed", attempt: job.attempt });
  });

  test("[ACC-9] jobs that have ended without the connection do not take the place of those that wait for it", async () => {
    lacksLater(() => []);
    const id = await replica.send("go");
    await reached(id, "blocked");
    await until("it waits", () => record()?.waiting.includes(id));
    const others = Array.from({ length: MAX_CONNECTION_JOBS }, (_, at) => `job_${at}`);
    await Promise.all(
      others.map((jobId) => replica.system.dispatch(REF, { kind: "await_connection", jobId, subject: SUBJECT })),
    );
    expect(record().waiting).toEqual(others);
    expect((await reached(id, "completed")).result).toContain("1000 jobs wait");
  });

  test("[ACC-9] a server that wants another scope after each consent ends the wait, not the people's patience", async () => {
    let wanted = 0;
    lacksLater(() => [`scope-${wanted++}`]);
    const id = await replica.send("go");
    let consents = 0;
    for (;;) {
      await until("it waits or is over", () => {
        const { status } = replica.job(id) ?? {};
        return status === "completed" || (status === "blocked" && record()?.waiting.includes(id));
      });
      if (replica.job(id).status === "completed") break;
      await consent(`s${++consents}`);
      expect(consents).toBeLessThan(50);
    }
    expect(consents).toBe(10);
    expect(replica.job(id).result).toContain("does not accept the connection");
  });
});
