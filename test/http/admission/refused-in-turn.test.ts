/** Refusals of callers whom nobody knows, over turns that the test gives. */
import { expect, test } from "bun:test";
import { refuse } from "../../../actors/fault.ts";
import { LoopTime } from "../../../actors/runtime/fairness/loop-time.ts";
import { currentDialect } from "../../../src/current/dialect.ts";
import { ClientAddresses, NO_ADDRESS } from "../../../src/http/admission/client-address.ts";
import { CrossOrigin } from "../../../src/http/answer/cross-origin.ts";
import { addressPayer } from "../../../src/http/admission/fair-turns.ts";
import { RateHeaders } from "../../../src/http/answer/rate-headers.ts";
import type { BoundOperation } from "../../../src/http/request/bound-operation.ts";
import { Surface } from "../../../src/http/request/surface.ts";
import type { SurfaceParts } from "../../../src/http/request/surface-parts.ts";
import { systemClock } from "../../../src/wiring/clock.ts";
import { settle } from "../../support/fake-clock.ts";

/** Nothing has a connection here. */
const PAYER = addressPayer(NO_ADDRESS);

test("[FAIR-2] a bad token is refused in the turn of its address, and charged to it", async () => {
  const turn = Promise.withResolvers<boolean>();
  const told: (readonly [string, string])[] = [];
  const time = new LoopTime(() => performance.now());
  const surface = new Surface(
    currentDialect(() => "https://troupe.test"),
    {
      system: { loopTime: time },
      turns: {
        isFull: () => true,
        enter: (payer: string) => (told.push(["enter", payer]), turn.promise),
        cost: (payer: string) => void told.push(["cost", payer]),
      },
      rateHeaders: new RateHeaders(systemClock),
      addresses: new ClientAddresses([]),
      admission: { principalOf: () => refuse({ kind: "unauthenticated", reason: "a bad token" }), leaveOut() {} },
      crossOrigin: new CrossOrigin([]),
      log: { info() {}, warn() {}, error() {} },
    } as unknown as SurfaceParts,
  );
  const request = new Request("http://localhost/api/agents", { headers: { host: "localhost" } });
  const operation = {
    contract: { scope: "agents:read" },
    reader: { waits: false },
    headers: null,
    keyIn: () => null,
    refusalOf: () => null,
  } as unknown as BoundOperation;
  let status = 0;
  void Promise.resolve(surface.serve(operation, request, {})).then((response) => void (status = response.status));
  await settle();
  expect([status, told]).toEqual([0, [["enter", PAYER]]]);
  turn.resolve(true);
  await settle();
  expect([status, told.at(-1)]).toEqual([401, ["cost", PAYER]]);
  expect(time.reading(1).leading[0]?.organizationId).toBe(PAYER);
});

test("[FAIR-2] a public document is answered in the turn of its reader's address, and charged to it", async () => {
  const turn = Promise.withResolvers<boolean>();
  const told: (readonly [string, string])[] = [];
  const surface = new Surface(
    currentDialect(() => "https://troupe.test"),
    {
      system: { loopTime: new LoopTime(() => performance.now()) },
      turns: {
        isFull: () => false,
        enter: (payer: string) => (told.push(["enter", payer]), turn.promise),
        cost: (payer: string) => void told.push(["cost", payer]),
      },
      rateHeaders: new RateHeaders(systemClock),
      addresses: new ClientAddresses([]),
      admission: { count: () => Promise.resolve(null), leaveOut() {} },
      crossOrigin: new CrossOrigin([]),
      log: { info() {}, warn() {}, error() {} },
    } as unknown as SurfaceParts,
  );
  const request = new Request("http://localhost/api/openapi.json", { headers: { host: "localhost" } });
  let isAdmitted = false;
  const operation = {
    contract: { scope: null },
    reader: { waits: false },
    headers: null,
    keyIn: () => null,
    readInput() {
      isAdmitted = true;
      throw new Error("the document cannot be read");
    },
  } as unknown as BoundOperation;
  const answer = Promise.resolve(surface.serve(operation, request, {}));
  await settle();
  expect([isAdmitted, told]).toEqual([false, [["enter", PAYER]]]);
  turn.resolve(true);
  expect((await answer).status).toBe(500);
  expect([isAdmitted, told.at(-1)]).toEqual([true, ["cost", PAYER]]);
});
