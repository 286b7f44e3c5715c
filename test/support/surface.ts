/** A surface for operations of a test's own, over the actors of a service. */
import type { Clock } from "../../actors/runtime/ports.ts";
import { currentDialect } from "../../src/current/dialect.ts";
import { Admission } from "../../src/http/admission/admission.ts";
import { Authentication } from "../../src/http/admission/authentication.ts";
import { ClientAddresses } from "../../src/http/admission/client-address.ts";
import { Bodies } from "../../src/http/body/bodies.ts";
import { LongBodies } from "../../src/http/body/long-bodies.ts";
import { CrossOrigin } from "../../src/http/answer/cross-origin.ts";
import { AT_ONCE } from "../../actors/runtime/fairness/bulk-work.ts";
import { FairTurns } from "../../src/http/admission/fair-turns.ts";
import { RateHeaders } from "../../src/http/answer/rate-headers.ts";
import { RateLimits } from "../../src/http/admission/rate-limits.ts";
import { Surface } from "../../src/http/request/surface.ts";
import { systemClock } from "../../src/wiring/clock.ts";
import { type Service, testSealing } from "./service.ts";

/** Strict, as the current surface is; requests are not counted. */
export function testSurface({ system, directory }: Service, clock: Clock = systemClock): Surface {
  const log = { info() {}, warn() {}, error() {} };
  const limits = new RateLimits({ system, clock, addresses: new ClientAddresses([]), budgets: new Map() });
  const appUrl = (): string => "https://troupe.test";
  const authentication = new Authentication({ system, directory, limits, clock, log, appUrl });
  return new Surface(
    currentDialect(() => "https://troupe.test"),
    {
      system,
      sealing: testSealing,
      clock,
      rateHeaders: new RateHeaders(clock),
      addresses: new ClientAddresses([]),
      admission: new Admission({
        system,
        sealing: testSealing,
        clock,
        authentication,
        limits,
        isCounting: false,
        takesSessions: false,
        resource: null,
      }),
      turns: new FairTurns({ time: system.loopTime, clock: systemClock, later: setImmediate }),
      bulk: AT_ONCE,
      bodies: new Bodies(clock),
      longBodies: new LongBodies(AT_ONCE),
      crossOrigin: new CrossOrigin([]),
      log,
      isStrict: true,
    },
  );
}
