/** What the messages of a batch cost their organization, over turns and a time that the test gives. */
import { expect, test } from "bun:test";
import { ok, refuse } from "../../../actors/fault.ts";
import { LoopTime } from "../../../actors/runtime/fairness/loop-time.ts";
import { LONG_BODY_BYTES, LongBodies } from "../../../src/http/body/long-bodies.ts";
import { CROWDED } from "../../../src/http/admission/fair-turns.ts";
import { Batches } from "../../../src/http/request/batches.ts";
import { type Caller, chargeTo, detachCaller } from "../../../src/http/request/caller.ts";
import { Exchange } from "../../../src/http/request/exchange.ts";
import type { SurfaceParts } from "../../../src/http/request/surface-parts.ts";
import { bulkRig } from "../../support/bulk-rig.ts";
import { settle } from "../../support/fake-clock.ts";

const PAYER = "org_1";
const caller = { principal: { organizationId: PAYER }, requestId: "req_1", address: null, keepOpen() {} };

function paced(isTurn: Promise<boolean> | null) {
  let now = 0;
  const loopTime = new LoopTime(() => now);
  const costs: (readonly [string, number])[] = [];
  const turns = { enter: () => isTurn, cost: (payer: string, ms: number) => void costs.push([payer, ms]) };
  const batches = new Batches({ system: { loopTime }, turns } as unknown as SurfaceParts);
  return { batches, loopTime, costs, work: (ms: number) => void (now += ms) };
}

test("[MCP-9] [FAIR-2] what a message of a batch costs after it has waited counts against the next turns, too", async () => {
  const { batches, loopTime, costs, work } = paced(null);
  const read = Promise.withResolvers<void>();
  const answer = batches.inTurn(caller as unknown as Caller, async (by) => {
    chargeTo(by, () => work(2));
    await read.promise;
    chargeTo(detachCaller(by), () => work(3));
    return "done";
  });
  await settle();
  expect(costs).toEqual([]);
  expect(loopTime.readUse(PAYER).totalMs.requests).toBe(2);
  read.resolve();
  expect(await answer).toEqual({ ok: true, value: "done" });
  expect(costs).toEqual([[PAYER, 5]]);
  expect(loopTime.readUse(PAYER).totalMs.requests).toBe(5);
});

test("[FAIR-7] long messages are parsed in a slice of their organization, and short ones at once", async () => {
  const { bulk, turn } = bulkRig({ isShared: false });
  const batches = new Batches({ longBodies: new LongBodies(bulk) } as unknown as SurfaceParts);
  const parsed: number[] = [];
  const parse = (bytes: number) => batches.parse(caller as unknown as Caller, bytes, () => parsed.push(bytes));
  const long = parse(LONG_BODY_BYTES + 1);
  expect(await parse(LONG_BODY_BYTES)).toEqual(ok(1));
  expect(parsed).toEqual([LONG_BODY_BYTES]);
  await turn();
  expect(await long).toEqual(ok(2));
});

test("[FAIR-5] long messages count among the bodies of requests until they are parsed, and short ones do not", async () => {
  const { bulk, turn } = bulkRig({ isShared: false });
  const batches = new Batches({ longBodies: new LongBodies(bulk) } as unknown as SurfaceParts);
  const told: string[] = [];
  let hasRoom = true;
  const begin = (bytes: number) => {
    told.push(`begin ${bytes}`);
    return hasRoom ? ok({ release: () => void told.push("release") }) : refuse(CROWDED);
  };
  const exchange = Object.create(Exchange.prototype, {
    principal: { value: caller.principal },
    timed: { value: (run: () => unknown) => run() },
    bodies: { value: { begin } },
  }) as Exchange;
  const parse = (bytes: number) => batches.parse(exchange, bytes, () => void told.push(`parse ${bytes}`));
  const long = parse(LONG_BODY_BYTES + 1);
  await parse(10);
  expect(told).toEqual([`begin ${LONG_BODY_BYTES + 1}`, "parse 10"]);
  await turn();
  await long;
  expect(told.slice(2)).toEqual([`parse ${LONG_BODY_BYTES + 1}`, "release"]);
  hasRoom = false;
  expect(await parse(LONG_BODY_BYTES + 1)).toEqual({ ok: false, fault: CROWDED });
  expect(told.slice(4)).toEqual([`begin ${LONG_BODY_BYTES + 1}`]);
});

test("[MCP-9] a message of a batch that gets no turn is refused, and one that fails is paid for", async () => {
  const refused = paced(Promise.resolve(false));
  expect(await refused.batches.inTurn(caller as unknown as Caller, () => Promise.reject(new Error("begun")))).toEqual({
    ok: false,
    fault: CROWDED,
  });
  expect(refused.costs).toEqual([]);
  const { batches, costs, work } = paced(null);
  const failing = batches.inTurn(caller as unknown as Caller, (by) =>
    chargeTo(by, () => {
      work(4);
      return Promise.reject(new Error("broken"));
    }),
  );
  expect(failing).rejects.toThrow("broken");
  await failing.catch(() => {});
  expect(costs).toEqual([[PAYER, 4]]);
});
