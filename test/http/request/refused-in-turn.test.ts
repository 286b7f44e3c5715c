/** Refusals of callers whom nobody knows, over turns that the test gives. */
import { expect, test } from "bun:test";
import { refuse } from "../../../actors/fault.ts";
import { LoopTime } from "../../../actors/runtime/loop-time.ts";
import { currentDialect } from "../../../src/current/dialect.ts";
import { ClientAddresses } from "../../../src/http/request/client-address.ts";
import { CrossOrigin } from "../../../src/http/request/cross-origin.ts";
import { RateHeaders } from "../../../src/http/request/rate-headers.ts";
import type { BoundOperation } from "../../../src/http/request/operations.ts";
import { Surface } from "../../../src/http/request/surface.ts";
import type { SurfaceParts } from "../../../src/http/request/surface-parts.ts";
import { systemClock } from "../../../src/wiring/clock.ts";
import { settle } from "../../support/fake-clock.ts";

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
  const exchange = surface.begin(new Request("http://localhost/api/agents", { headers: { host: "localhost" } }));
  const operation = {
    contract: { scope: "agents:read" },
    reader: { waits: false },
    refusalOf: () => null,
  } as unknown as BoundOperation;
  let status = 0;
  void Promise.resolve(surface.admit(exchange, operation)).then((response) => void (status = response?.status ?? 0));
  await settle();
  expect([status, told]).toEqual([0, [["enter", exchange.payer]]]);
  turn.resolve(true);
  await settle();
  expect([status, told.at(-1)]).toEqual([401, ["cost", exchange.payer]]);
  expect(exchange.payer).toStartWith("address ");
  expect(time.reading(1).leading[0]?.organizationId).toBe(exchange.payer);
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
  const exchange = surface.begin(new Request("http://localhost/api/openapi.json", { headers: { host: "localhost" } }));
  const operation = { contract: { scope: null }, reader: { waits: false } } as unknown as BoundOperation;
  let isAdmitted = false;
  void Promise.resolve(surface.admit(exchange, operation)).then((answer) => void (isAdmitted = answer === undefined));
  await settle();
  expect([isAdmitted, told]).toEqual([false, [["enter", exchange.payer]]]);
  turn.resolve(true);
  await settle();
  expect(isAdmitted).toBe(true);
  surface.failed(exchange, new Error("the document cannot be read"));
  expect(told.at(-1)).toEqual(["cost", exchange.payer]);
});
