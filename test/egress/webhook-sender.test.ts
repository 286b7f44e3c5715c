/** One attempt against receivers that are slow, endless or wordy (HOOK-6). */
import { afterEach, expect, test } from "bun:test";
import { notFound } from "../../actors/fault.ts";
import type { AttemptResult, Prepared } from "../../actors/webhook/protocol.ts";
import { signingContext } from "../../actors/webhook/schema.ts";
import { systemClock } from "../../src/wiring/clock.ts";
import type { Egress, EgressLimits } from "../../src/egress/egress.ts";
import { createWebhookSender } from "../../src/egress/webhook-sender.ts";
import { newSigningSecret } from "../../src/egress/webhook-signature.ts";
import { createSealing } from "../../src/service/service-key.ts";
import { until } from "../support/condition.ts";
import { createEgressWorld, type EgressWorld } from "../support/egress-world.ts";
import { type Answer, drip, pour, reply, type WireServer } from "../support/wire-server.ts";

const ORG = "org_1";
const HEAD = "HTTP/1.1 200 OK\r\n";
const ANSWER_BYTES = 16 * 1024;
const sealing = createSealing(new Uint8Array(32));

let world: EgressWorld;
afterEach(() => world.end());

const fields = { organizationId: ORG, version: 1, createdAt: "", updatedAt: "" };
/** An attempt that leads to this server. */
function preparedFor(port: number): Prepared {
  const secret = { sealed: sealing.seal("webhook", newSigningSecret(), signingContext(ORG)), last4: "abcd" };
  const attempt = { ...fields, id: "dlv_1", attempt: 1, deliveryKey: "dlk_1" };
  const event = { ...fields, id: "evt_1", type: "agent.updated" };
  const destination = { ...fields, id: "webhook", url: `https://a.test:${port}/`, secret, formerSecret: null };
  // What the sender does not look at is left out.
  return { attempt, event, destination } as unknown as Prepared;
}

/** One attempt, with the limits that it has asked for; its exchange is ended after `endMs` instead. */
async function attempt(answer: Answer, endMs = 5_000) {
  world = createEgressWorld();
  const server = await world.serve(answer);
  const client = world.client();
  const asked: EgressLimits[] = [];
  const egress: Egress = {
    ...client,
    open(request) {
      asked.push(request.limits);
      return client.open({ ...request, limits: { ...request.limits, timeoutMs: endMs } });
    },
  };
  const pushBodyOf = async () => notFound("job");
  const sender = createWebhookSender({ egress, sealing, clock: systemClock, bodyOf: () => "{}", pushBodyOf });
  const result = await sender.send(preparedFor(server.port), new AbortController().signal);
  return { server, asked, result };
}

const gone = (server: WireServer): Promise<void> =>
  until("the connection is closed", () => server.closed === server.connections);

const timedOut = { kind: "failed", error: "timeout", httpStatus: null, isTransient: true, retryAfterMs: null } as const;

for (const [what, answer] of [
  ["takes the request and says nothing", () => {}],
  ["drips its head", drip(`${HEAD}x-a: `)],
] as const satisfies readonly (readonly [string, Answer])[]) {
  test(`[HOOK-6] a receiver that ${what} is disconnected after 15 s, and the attempt is retried`, async () => {
    const { server, asked, result } = await attempt(answer, 100);
    expect(asked).toEqual([{ timeoutMs: 15_000, maxResponseBytes: ANSWER_BYTES }]);
    expect(result).toMatchObject(timedOut satisfies Partial<AttemptResult>);
    await gone(server);
  });
}

const breaking =
  (head: string): Answer =>
  ({ socket }) =>
    void socket.write(`${head}half`, () => socket.destroy());
const lines = (status: string, ...headers: readonly string[]): string =>
  [`HTTP/1.1 ${status}`, ...headers, "", ""].join("\r\n");

for (const [what, answer] of [
  ["drips its body", drip(lines("200 OK", "content-length: 100000"))],
  ["drips a body without a length", drip(lines("202 Accepted"))],
  ["breaks off in its body", breaking(lines("200 OK", "content-length: 1000"))],
  ["breaks off in a small body", breaking(lines("204 No Content", "content-length: 5"))],
  ["breaks off in a chunk", breaking(lines("201 Created", "transfer-encoding: chunked") + "ff\r\n")],
  ["sends no chunk", breaking(lines("200 OK", "transfer-encoding: chunked"))],
  ["packs what is no gzip", breaking(lines("200 OK", "content-encoding: gzip", "content-length: 4"))],
] as const satisfies readonly (readonly [string, Answer])[]) {
  test(`[HOOK-6] a receiver that answers 2xx and ${what} has the event`, async () => {
    const { server, asked, result } = await attempt(answer, 500);
    expect(asked).toEqual([{ timeoutMs: 15_000, maxResponseBytes: ANSWER_BYTES }]);
    expect(result).toMatchObject({ kind: "delivered" });
    await gone(server);
  });
}

test("[HOOK-6] a refusal whose body breaks off counts by its status, with its `Retry-After`", async () => {
  const head = lines("503 Service Unavailable", "retry-after: 7", "content-length: 1000");
  const { result } = await attempt(breaking(head));
  const told = { kind: "failed", error: "http_error", httpStatus: 503, isTransient: true, retryAfterMs: 7_000 };
  expect(result).toMatchObject(told);
});

for (const [what, head, piece] of [
  ["without an end", `${HEAD}\r\n`, "a".repeat(65_536)],
  ["of a terabyte", `${HEAD}content-length: 1099511627776\r\n\r\n`, "a".repeat(65_536)],
  ["in chunks without an end", `${HEAD}transfer-encoding: chunked\r\n\r\n`, `10000\r\n${"a".repeat(65_536)}\r\n`],
] as const) {
  test(`[HOOK-6] of an answer ${what} 16 KiB are read, and its status counts`, async () => {
    const { server, result } = await attempt((request, it) => {
      request.socket.write(head);
      pour(request, it, Buffer.from(piece));
    });
    expect(result).toMatchObject({ kind: "delivered", httpStatus: 200 });
    await gone(server);
  });
}

for (const size of [ANSWER_BYTES, ANSWER_BYTES + 1]) {
  test(`[HOOK-6] an answer of ${size} bytes is not a failure, and none of it is kept`, async () => {
    const body = "a".repeat(size);
    const { result } = await attempt(({ socket }) => void socket.write(reply(200, {}, body)));
    expect(result).toEqual({ kind: "delivered", httpStatus: 200, durationMs: expect.any(Number) });
  });
}

test("[HOOK-7] the names of the headers are sent as the interface writes them, each once", async () => {
  const { server } = await attempt(({ socket }) => void socket.write(reply(204, {})));
  const names = server.requests[0]?.names ?? [];
  expect(names).toEqual(
    expect.arrayContaining([
      "Content-Type",
      "Service-Event-Id",
      "Service-Event-Type",
      "Service-Delivery-Attempt",
      "Service-Timestamp",
      "Service-Signature",
      "Idempotency-Key",
    ]),
  );
  const lowered = names.map((name) => name.toLowerCase());
  expect(new Set(lowered).size).toBe(lowered.length);
});
