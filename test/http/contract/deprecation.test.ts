/** The headers of what is to go, and the policy that it is announced by. */
import { expect, test } from "bun:test";
import { ok, refuse } from "../../../actors/fault.ts";
import { currentDialect } from "../../../src/current/dialect.ts";
import { type Deprecation, deprecationHeaders } from "../../../src/http/contract/deprecation.ts";
import { policyBreaches } from "../../support/deprecation-policy.ts";
import { operationGroup, operationsOver } from "../../../src/http/contract/operation.ts";
import { operationRoutes } from "../../../src/http/request/routes.ts";
import { ClientAddresses } from "../../../src/http/admission/client-address.ts";
import { CrossOrigin } from "../../../src/http/answer/cross-origin.ts";
import { RateHeaders } from "../../../src/http/answer/rate-headers.ts";
import { Surface } from "../../../src/http/request/surface.ts";
import type { SurfaceParts } from "../../../src/http/request/surface-parts.ts";
import { Type } from "../../../actors/schema.ts";
import { LoopTime } from "../../../actors/runtime/fairness/loop-time.ts";
import { systemClock } from "../../../src/wiring/clock.ts";

const announced: Deprecation = {
  announcedAt: "2027-01-01T00:00:00.000Z",
  deprecatedAt: "2027-07-01T00:00:00.000Z",
  sunsetAt: "2028-01-02T00:00:00.000Z",
  successor: "/api/agents",
};

test("[VER-3] the headers are those of RFC 9745 and RFC 8594, with links to the policy and the successor", () => {
  expect(deprecationHeaders(announced)).toEqual({
    deprecation: "@1814400000",
    sunset: "Sun, 02 Jan 2028 00:00:00 GMT",
    link: '</api/deprecation-policy>; rel="deprecation", </api/deprecation-policy>; rel="sunset", </api/agents>; rel="successor-version"',
  });
});

test("[VER-3] without a date of its end an operation has no sunset, but its own guide if there is one", () => {
  const { announcedAt, deprecatedAt } = announced;
  expect(deprecationHeaders({ announcedAt, deprecatedAt, guide: "/docs/moving" })).toEqual({
    deprecation: "@1814400000",
    link: '</docs/moving>; rel="deprecation"',
  });
});

test("[VER-3] the policy: 180 days of notice, 365 before the sunset, 12 months of compatibility", () => {
  const breaches = (change: Partial<Deprecation>): string[] => policyBreaches({ ...announced, ...change });
  expect(breaches({})).toEqual([]);
  expect(breaches({ deprecatedAt: "2027-06-30T00:00:00.000Z" })).toEqual([]);
  expect(breaches({ deprecatedAt: "2027-06-29T23:59:59.000Z" })).toEqual(["less than 180 days of notice"]);
  expect(breaches({ sunsetAt: "2028-01-01T00:00:00.000Z" })).toEqual([]);
  expect(breaches({ sunsetAt: "2027-12-31T23:59:59.000Z" })).toEqual([
    "less than 365 days of notice before the sunset",
    "gone before 12 months have passed",
  ]);
  // 2028 is a leap year: 365 days are not twelve months.
  expect(
    breaches({
      announcedAt: "2028-01-01T00:00:00.000Z",
      deprecatedAt: "2028-07-01T00:00:00.000Z",
      sunsetAt: "2028-12-31T12:00:00.000Z",
    }),
  ).toEqual(["gone before 12 months have passed"]);
  expect(breaches({ deprecatedAt: "soon" })).toEqual(["a time that is none"]);
});

/** A surface that lets everybody ask and nobody in. */
const surface = new Surface(
  currentDialect(() => "https://troupe.test"),
  {
    system: { loopTime: new LoopTime(() => 0) },
    turns: { isFull: () => false, enter: () => null, cost() {} },
    addresses: new ClientAddresses([]),
    rateHeaders: new RateHeaders(systemClock),
    admission: {
      count: () => Promise.resolve(null),
      principalOf: () => Promise.resolve(refuse({ kind: "unauthenticated", reason: "nobody" })),
      leaveOut() {},
    },
    crossOrigin: new CrossOrigin([]),
    log: { info() {}, warn() {}, error() {} },
  } as unknown as SurfaceParts,
);
const operation = operationsOver<null>();
const group = operationGroup("Test", "Operations of this test", {
  old: operation(
    {
      method: "GET",
      path: "/api/old",
      scope: null,
      query: { fail: Type.String() },
      summary: "Old",
      answers: { 200: Type.Object({ fails: Type.Boolean() }) },
      deprecation: announced,
    },
    (_services, _visitor, { query }) => {
      if (query.fail === "yes") throw new Error("a bug");
      return ok({ fails: false });
    },
  ),
  oldForSome: operation(
    {
      method: "POST",
      path: "/api/old/{id}",
      scope: "agents:write",
      summary: "Old",
      answers: { 200: Type.Object({}) },
      deprecation: announced,
    },
    () => Promise.resolve(refuse({ kind: "forbidden", message: "never" })),
  ),
  young: operation(
    { method: "GET", path: "/api/young", scope: null, summary: "Young", answers: { 200: Type.Object({}) } },
    () => ok({}),
  ),
});

const routes = operationRoutes(surface, [group], null);

test("[VER-3] every response of a deprecated operation says so, refusals and failures too", async () => {
  const asked = [
    [200, "GET", "/api/old"],
    [500, "GET", "/api/old?fail=yes"],
    [401, "POST", "/api/old/1"],
  ] as const;
  for (const [status, method, path] of asked) {
    const response = await routes.handle(new Request(`http://localhost${path}`, { method }));
    const { deprecation, sunset, link } = Object.fromEntries(response.headers);
    const heard: Record<string, unknown> = { status: response.status, deprecation, sunset, link };
    expect(heard).toEqual({
      status,
      ...deprecationHeaders(announced),
    });
  }
  const young = await routes.handle(new Request("http://localhost/api/young"));
  expect([young.status, young.headers.get("deprecation"), young.headers.get("link")]).toEqual([200, null, null]);
});
