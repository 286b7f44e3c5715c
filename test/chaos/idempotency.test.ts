/**
 * Requests under an idempotency key whose commits are broken, one after the other: a client that repeats the request
 * gets an answer, and it was done once. In the long tests the process is killed instead.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../support/condition.ts";
import { answered, COMMITS, countOf, FLUSH, operations } from "../support/broken-commits.ts";
import { keyed } from "../support/keyed.ts";
import { PostgresProxy, type WireFault } from "../support/postgres-proxy.ts";
import { sceneOfFile } from "../support/scene.ts";
import { createAgent } from "../support/v1.ts";

let proxy: PostgresProxy;
let agent: string;

const { service, owner } = sceneOfFile({
  async through(url) {
    proxy = await PostgresProxy.open(url);
    return proxy.urlOf(url);
  },
});
beforeAll(async () => void (agent = await createAgent(service, owner)));
afterAll(() => proxy.close());

const HERE = operations(
  () => agent,
  () => owner.workspaceId,
);

for (const [name, { request, effect }] of Object.entries(HERE)) {
  for (const fault of ["request_lost", "cut_short", "reply_lost"] as const satisfies readonly WireFault[]) {
    test(`[IDEM-3] ${name}: ${fault} at each commit, then the request again: one effect`, async () => {
      let hits = 0;
      for (let commit = 0; commit < COMMITS; commit++) {
        const marker = `${name} ${fault} ${commit}`;
        const ask = () => keyed(service, owner, marker, request(marker));
        await calm();
        const struck = strikeAt(proxy, fault, commit);
        const first = await ask();
        const isHit = struck.forgive();
        const second = first.status < 300 ? first : await answered(ask);
        // The commit of the request's event, which comes after its answer, may be the one that was struck.
        const third = await answered(ask);
        expect([second.status, third.status, third.key]).toEqual([second.status, second.status, "replayed"]);
        expect(third.text).toBe(second.text);
        expect(await countOf(service.database.read, effect, marker)).toBe(1);
        if (!isHit) break;
        hits++;
        expect(commit).toBeLessThan(COMMITS - 1);
      }
      expect(hits).toBeGreaterThan(0);
    });
  }
}

/** The service serves, and nothing of an earlier request is left to commit. */
const calm = (): Promise<void> =>
  until("the service is calm", async () => {
    const left = await service.database.read`select 1 from actor_message limit 1`;
    return left.count === 0 && service.system.isReady;
  });

function strikeAt(at: PostgresProxy, fault: WireFault, commit: number): { readonly forgive: () => boolean } {
  let isHit = false;
  let isOver = false;
  void at.strike(FLUSH, fault, commit).then(() => (isHit ||= !isOver));
  return {
    forgive() {
      isOver = true;
      at.forgive();
      return isHit;
    },
  };
}
