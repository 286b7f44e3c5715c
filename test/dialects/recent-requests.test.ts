/** When a request may repeat one whose run has lost its client, without a database. */
import { beforeEach, expect, test } from "bun:test";
import { lookUp } from "../../src/log/look-up.ts";
import type { Services } from "../../src/operations/services.ts";
import { RecentRequests } from "../../src/dialects/runs/recent-requests.ts";

const FIELD = "request";
let epoch: number | null;
/** The requests of unfinished jobs, and how often they were read; null: the database cannot be reached. */
let stored: string[] | null;
let reads: number;
let requests: RecentRequests;
const mayRepeat = (digest: string, organizationId = "org_a"): Promise<boolean> =>
  requests.mayRepeat(organizationId, FIELD, digest);

beforeEach(() => {
  [epoch, stored, reads] = [1, [], 0];
  const unfinishedWith = (_: string, __: string, limit: number) => {
    reads++;
    return stored === null ? Promise.reject(new Error("unreachable")) : Promise.resolve(stored.slice(0, limit));
  };
  const readCommitted: Services["readCommitted"] = (_, read) => lookUp({ error: () => {} } as never, read());
  const parts = { system: { epochOf: () => epoch }, jobs: { unfinishedWith }, readCommitted };
  requests = new RecentRequests(parts as unknown as Services);
});

test("[DIA-27] a request that was not seen before needs no look-up, the same once more does", async () => {
  expect([await mayRepeat("a"), await mayRepeat("b"), await mayRepeat("a")]).toEqual([false, false, true]);
  expect([await mayRepeat("a", "org_b"), reads]).toEqual([false, 2]);
});

test("[DIA-2] the runs that an earlier process left unfinished are known before the first request is new", async () => {
  stored = ["left"];
  expect(await Promise.all([mayRepeat("new"), mayRepeat("left"), mayRepeat("left")])).toEqual([false, true, true]);
  expect(reads).toBe(1);
});

test("[DIA-2] what is known ends with the epoch: another process may have begun runs since", async () => {
  await mayRepeat("a");
  [epoch, stored] = [null, ["there"]];
  expect(await mayRepeat("there")).toBe(true);
  epoch = 3;
  expect([await mayRepeat("there"), await mayRepeat("a"), await mayRepeat("b")]).toEqual([true, true, false]);
});

test("[DIA-2] without an answer of the database each request may repeat one, and it is asked again", async () => {
  stored = null;
  expect([await mayRepeat("a"), await mayRepeat("b")]).toEqual([true, true]);
  stored = [];
  expect([await mayRepeat("c"), await mayRepeat("d"), reads]).toEqual([false, false, 3]);
});

test("[DIA-2] an organization with more unfinished jobs than are read: each request may repeat one", async () => {
  stored = Array.from({ length: 2_000 }, (_, at) => `job ${at}`);
  expect([await mayRepeat("a"), await mayRepeat("b"), reads]).toEqual([true, true, 1]);
});

test("[DIA-27] after many requests it forgets those before them, and reads what is unfinished again", async () => {
  for (let at = 0; at <= 50_000; at++) await mayRepeat(`request ${at}`);
  stored = ["request 0"];
  expect([await mayRepeat("request 0", "org_b"), await mayRepeat("request 7")]).toEqual([true, true]);
  expect([await mayRepeat("another"), reads]).toEqual([false, 3]);
});
