/** The counting of quotas, over tables of the test's: what is taken back, measured again, and never passed. */
import { beforeEach, expect, test } from "bun:test";
import { taskTable } from "../../actors/organization/schema.ts";
import type { RecordWrite } from "../../actors/runtime/store.ts";
import type { Verdict } from "../../actors/runtime/turns/write-admission.ts";
import { DEFAULT_QUOTAS, type QuotaLimits } from "../../actors/usage/quota.ts";
import { Quotas } from "../../src/wiring/quotas.ts";

const ORG = "org_1";
const NEW_TASK: RecordWrite[] = [
  {
    table: taskTable.name,
    record: { id: "task-1", organizationId: ORG, version: 1, createdAt: "", updatedAt: "" },
  },
];

let nowMs = 0;
let stored = 0;
let measurements = 0;
let isAway = false;
let hold: Promise<void> | null = null;
let own: Partial<QuotaLimits> = {};
let quotas: Quotas;

beforeEach(() => {
  [nowMs, stored, measurements, isAway, hold, own] = [10_000, 0, 0, false, null, { tasks: 2 }];
  quotas = new Quotas({
    directory: {
      async measure(_org, quota) {
        if (quota !== "tasks") return 0;
        measurements++;
        await hold;
        if (isAway) throw new Error("the database is away");
        return stored;
      },
      quotasOf: () => (isAway ? Promise.reject(new Error("away")) : Promise.resolve(own)),
    },
    defaults: DEFAULT_QUOTAS,
    clock: { now: () => nowMs, monotonic: () => nowMs },
    log: { error() {} },
  });
});

/** The verdict once it is known. */
async function verdict(): Promise<Verdict | null> {
  for (;;) {
    const given = quotas.admit(ORG, NEW_TASK, { events: 0, bytes: 10 });
    if (given?.kind !== "wait") return given;
    await given.until;
  }
}
const admitted = async () => {
  const given = await verdict();
  if (given?.kind !== "admitted") throw new Error(`not admitted: ${JSON.stringify(given)}`);
  return given;
};

test("[QUOTA-2] a count is undone if its group is not stored", async () => {
  const [first] = [await admitted(), await admitted()];
  expect(await verdict()).toMatchObject({ kind: "refused", fault: { quota: "tasks", limit: 2, used: 2 } });
  first.ended(false);
  (await admitted()).ended(true);
  expect((await verdict())?.kind).toBe("refused");
});

test("[QUOTA-2] changes in flight during a measurement count at least once", async () => {
  stored = 1;
  const first = await admitted();
  const { promise, resolve } = Promise.withResolvers<void>();
  hold = promise;
  nowMs += 60_000;
  const waiting = verdict();
  // It is stored while the tables are looked at.
  stored = 2;
  first.ended(true);
  resolve();
  expect((await waiting)?.kind).toBe("refused");
  hold = null;
  nowMs += 60_000;
  stored = 1;
  await admitted();
  expect((await verdict())?.kind).toBe("refused");
});

test("[QUOTA-2] at a limit it is measured at most once in a second, however many ask", async () => {
  stored = 2;
  expect((await verdict())?.kind).toBe("refused");
  const before = measurements;
  for (let i = 0; i < 100; i++) expect((await verdict())?.kind).toBe("refused");
  expect(measurements).toBe(before);
  nowMs += 1_000;
  await Promise.all(Array.from({ length: 100 }, verdict));
  expect(measurements).toBe(before + 1);
});

test("[QUOTA-2] while the tables cannot be read, work continues with the service's own limits", async () => {
  isAway = true;
  for (let i = 0; i < 5; i++) await admitted();
});
