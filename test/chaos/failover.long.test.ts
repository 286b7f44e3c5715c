/**
 * The service on a PostgreSQL whose primary is killed and followed by its standby, which Patroni does. How often:
 * TROUPE_TEST_FAILOVERS (3 unless set).
 */
import { expect, test } from "bun:test";
import { ChaosLoad } from "../support/chaos-load.ts";
import { FailoverService } from "../support/failover-service.ts";
import { guardedFolder } from "../support/guarded-folder.ts";
import { failovers } from "../support/long.ts";
import { HAS_PATRONI, PatroniCluster } from "../support/patroni-cluster.ts";
import { eventually } from "../support/troupe-process.ts";

const REPLICAS = 2;
const ORGANIZATIONS = 4;
const CLIENTS = 2;
const CALM_MS = 1_500;
/** Of the service, after a failover. */
const BACK_MS = 60_000;
const ASYNCHRONOUS = "the standbys of PostgreSQL are asynchronous";

test.skipIf(!HAS_PATRONI)(
  "[PG-2] a primary that is killed again and again costs nothing that was acknowledged, where commits wait for the standby",
  async () => {
    const folder = guardedFolder();
    let cluster: PatroniCluster | null = null;
    let service: FailoverService | null = null;
    try {
      cluster = await PatroniCluster.start(folder, { isSynchronous: true });
      service = await FailoverService.start(folder, cluster.url, REPLICAS);
      expect(service.log.filter(({ msg }) => msg.startsWith(ASYNCHRONOUS))).toEqual([]);
      const load = await ChaosLoad.start(service, ORGANIZATIONS, CLIENTS, 1);
      const told: string[] = [];
      for (let round = 0; round < failovers(); round++) {
        await Bun.sleep(CALM_MS);
        // The server alone, or the machine with its Patroni, which is noticed later.
        const [name, kill] =
          round % 3 === 1
            ? (["machine", () => cluster!.killPrimaryNode()] as const)
            : (["server", () => cluster!.killPrimary()] as const);
        const from = performance.now();
        await kill();
        const taken = Math.round(performance.now() - from);
        await cluster.whole();
        await service.serve();
        const { acknowledged } = load;
        await eventually("clients are served again", () => load.acknowledged > acknowledged, BACK_MS);
        told.push(`${name} ${taken} (${load.silence(from, performance.now())})`);
      }
      await Bun.sleep(CALM_MS);
      await load.stop();
      const verdict = await load.judge();
      const ends = service.slots.map((slot) => slot.ends);
      console.log(
        `failover: ${load.acknowledged} acknowledgements; until there was a primary (longest time without an acknowledgement), in ms: ${told.join(", ")}; processes started anew: ${ends.join(", ")}`,
      );
      expect(verdict).toEqual({ lost: [], twice: [], wrong: [] });
    } finally {
      await service?.close();
      await cluster?.close();
      await folder.remove();
    }
  },
);

test.skipIf(!HAS_PATRONI)(
  "[PG-3] where commits do not wait for the standby, the start warns, and what a failover loses is gone from memory too",
  async () => {
    const folder = guardedFolder();
    let cluster: PatroniCluster | null = null;
    let service: FailoverService | null = null;
    try {
      cluster = await PatroniCluster.start(folder, { isSynchronous: false });
      service = await FailoverService.start(folder, cluster.url, 1);
      expect(service.log.filter(({ msg }) => msg.startsWith(ASYNCHRONOUS))).toHaveLength(1);
      const token = await service.firstToken();
      const ask = async (method: string, path: string, body?: object) => {
        const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
        const request = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
        const answer = await fetch(`${service!.urls[0] ?? "http://127.0.0.1:1"}${path}`, request).catch(() => null);
        return { status: answer?.status ?? 0, json: ((await answer?.json()) ?? {}) as Record<string, unknown> };
      };
      const made = async (title: string) => ask("POST", "/api/tasks", { title });
      const kept = await made("kept");
      const renewals = new Set<number>();
      // Until the standby has it: the next one alone is to be lost.
      await cluster.caughtUp();
      await cluster.stopReplication();
      const lost = await made("lost");
      const renamed = await ask("PATCH", `/api/tasks/${String(kept.json["id"])}`, { title: "renamed" });
      expect([kept.status, lost.status, renamed.status]).toEqual([201, 201, 200]);
      await cluster.killPrimary();
      // Nobody asks for anything meanwhile: what is in memory is what the former primary had.
      await cluster.asksPrimary((sql) =>
        eventually("the lease is renewed at the new primary, twice", async () => {
          const [row] = await sql<{ until: Date }[]>`select lease_until as until from replica where not dead`;
          renewals.add(row?.until.getTime() ?? 0);
          return renewals.size > 2;
        }),
      );
      const read = (task: { json: Record<string, unknown> }) => ask("GET", `/api/tasks/${String(task.json["id"])}`);
      expect(await read(lost)).toMatchObject({ status: 404 });
      expect(await read(kept)).toMatchObject({ status: 200, json: { title: "kept" } });
      // What is written now is based on what is stored, not on what was lost.
      const again = await ask("PATCH", `/api/tasks/${String(kept.json["id"])}`, { title: "again" });
      expect(again).toMatchObject({ status: 200, json: { title: "again" } });
      expect((await made("new")).status).toBe(201);
      expect(service.log.filter(({ msg }) => msg.endsWith("a bug"))).toEqual([]);
    } finally {
      await service?.close();
      await cluster?.close();
      await folder.remove();
    }
  },
);
