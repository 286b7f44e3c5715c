import { expect, test } from "bun:test";
import { OPERATIONS } from "../../../src/contract/document.ts";
import { PROTOCOLS } from "../../../src/dialects/protocols.ts";
import { sceneOfFile } from "../../support/scene.ts";
import { startService } from "../../support/service.ts";

const CONSOLE = "https://console.example";
const { service, owner } = sceneOfFile({ settings: { corsOrigins: [`${CONSOLE.toUpperCase()}:443`] } });

const from = (origin: string, path: string, init: RequestInit = {}) =>
  fetch(service.url + path, {
    ...init,
    headers: { origin, authorization: `Bearer ${owner.token}`, ...(init.headers as Record<string, string>) },
  });
const preflight = (origin: string, path: string, method: string, headers = "authorization") =>
  fetch(service.url + path, {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": method, "access-control-request-headers": headers },
  });
const allowed = (response: Response): string | null => response.headers.get("access-control-allow-origin");

test("[GEN-13] pages of a configured origin use the API, refusals included, and read its headers", async () => {
  for (const path of ["/api/agents", "/api/v1/agents", "/api/agents/agt_none"]) {
    const answer = await from(CONSOLE, path);
    expect([path, allowed(answer)]).toEqual([path, CONSOLE]);
    expect(answer.headers.get("access-control-expose-headers")).toContain("X-Request-Id");
    expect(answer.headers.get("access-control-expose-headers")).toContain("RateLimit-Remaining");
    expect(answer.headers.get("access-control-expose-headers")).toContain("X-Should-Retry");
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
    expect(answer.headers.get("vary")).toContain("origin");
  }
  expect(allowed(await fetch(`${service.url}/api/agents`, { headers: { origin: CONSOLE } }))).toBe(CONSOLE);
});

test("[GEN-13] pages of another origin, and callers without one, get no CORS headers", async () => {
  for (const origin of ["https://evil.example", "null", `${CONSOLE}.evil.example`, "http://console.example"]) {
    expect([origin, allowed(await from(origin, "/api/agents"))]).toEqual([origin, null]);
    expect([origin, allowed(await preflight(origin, "/api/agents", "GET"))]).toEqual([origin, null]);
  }
  const plain = await service.call(owner, "GET", "/api/agents");
  expect([allowed(plain), plain.headers.get("vary")?.includes("origin")]).toEqual([null, true]);
});

test("[GEN-13] a preflight names the methods of the path and the headers that the API reads", async () => {
  const answer = await preflight(CONSOLE, "/api/agents/agt_x", "PATCH", "authorization,if-match,idempotency-key");
  expect([answer.status, allowed(answer)]).toEqual([204, CONSOLE]);
  expect(answer.headers.get("access-control-allow-methods")).toBe("GET, HEAD, PATCH, DELETE, OPTIONS");
  const settable = answer.headers.get("access-control-allow-headers")?.toLowerCase() ?? "";
  const ofProtocols = PROTOCOLS.flatMap(({ groups }) => groups.flatMap(({ operations }) => Object.values(operations)));
  const contracts = [...OPERATIONS.map(({ operation }) => operation), ...ofProtocols.map(({ contract }) => contract)];
  const read = contracts.flatMap(({ headers = {} }) => Object.keys(headers));
  expect(read.length).toBeGreaterThan(5);
  const besides = ["content-type", "idempotency-key", "traceparent", "tracestate", "baggage", "cache-control"];
  // Those of OpenAI's own client in a browser.
  besides.push(...["lang", "os", "runtime-version", "timeout"].map((name) => `x-stainless-${name}`));
  for (const name of [...new Set(read), ...besides])
    // Browsers set the first themselves, and pages may set the second without asking.
    if (name !== "accept-encoding" && name !== "accept") expect(settable.split(", ")).toContain(name);
  expect(Number(answer.headers.get("access-control-max-age"))).toBeGreaterThan(0);
});

test("[GEN-13] pages of any origin can read public documents and signed streams", async () => {
  expect(allowed(await from("https://any.example", "/api/openapi.json"))).toBe("*");
  expect(allowed(await preflight("https://any.example", "/api/version", "GET", "if-none-match"))).toBe("*");
  const signed = `/mcp-app/jobs/job_${"x".repeat(21)}/events`;
  const answer = await preflight("https://any.example", signed, "GET", "last-event-id");
  expect([answer.status, allowed(answer)]).toEqual([204, "*"]);
  expect(answer.headers.get("access-control-allow-headers")).toContain("Last-Event-ID");
  expect(allowed(await from("https://any.example", `${signed}?sub=a&exp=1&sig=b`))).toBe("*");
});

for (const path of ["/api/nothing", "/api/v1/nothing", "/.well-known/openid-configuration", "/mcp/x", "/nothing"]) {
  test(`[GEN-13] a page can read that ${path} is unknown, with a token too`, async () => {
    for (const origin of [CONSOLE, "https://any.example"]) {
      for (const method of ["GET", "POST", "DELETE"]) {
        const before = await preflight(origin, path, method, "authorization,traceparent");
        expect([before.status, allowed(before)]).toEqual([204, "*"]);
        expect(before.headers.get("access-control-allow-methods")?.split(", ")).toContain(method);
        const answer = await from(origin, path, { method });
        expect([answer.status, allowed(answer)]).toEqual([404, "*"]);
      }
    }
    const plain = await fetch(service.url + path, { method: "OPTIONS" });
    expect([plain.status, allowed(plain)]).toEqual([404, null]);
  });
}

test("[GEN-13] a page of any origin can read that a public document has no such method", async () => {
  for (const path of ["/api/openapi.json", "/.well-known/teamday-agent-api", "/share/abc"]) {
    const answer = await from("https://any.example", path, { method: "DELETE" });
    expect([path, answer.status, allowed(answer)]).toEqual([path, 405, "*"]);
  }
  expect(allowed(await from("https://any.example", "/api/agents", { method: "DELETE" }))).toBeNull();
});

test("[GEN-13] without configured origins the API sends no CORS headers", async () => {
  const closed = await startService();
  try {
    const by = await closed.found();
    const headers = { origin: CONSOLE, authorization: `Bearer ${by.token}` };
    const answer = await fetch(`${closed.url}/api/agents`, { headers });
    expect([answer.status, allowed(answer), answer.headers.get("vary")]).toEqual([200, null, "accept-encoding"]);
  } finally {
    await closed.stop();
  }
});
