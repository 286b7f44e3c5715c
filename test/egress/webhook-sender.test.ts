/** One attempt against receivers that are slow, endless or wordy (HOOK-6). */
import { afterEach, expect, test } from "bun:test";
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
    request(request) {
      asked.push(request.limits);
      return client.request({ ...request, limits: { ...request.limits, timeoutMs: endMs } });
    },
  };
  const sender = createWebhookSender({ egress, sealing, clock: systemClock, bodyOf: () => "{}" });
  const result = await sender.send(preparedFor(server.port), new AbortController().signal);
  return { server, asked, result };
}

const gone = (server: WireServer): Promise<void> =>
  until("the connection is closed", () => server.closed === server.connections);

const timedOut = { kind: "failed", error: "timeout", httpStatus: null, isTransient: true, retryAfterMs: null } as const;

for (const [what, answer] of [
  ["takes the request and says nothing", () => {}],
  ["drips its head", drip(`${HEAD}x-a: `)],
  ["says 200 and drips its body", drip(`${HEAD}content-length: 100000\r\n\r\n`)],
  ["says 200 and drips a body without a length", drip(`${HEAD}\r\n`)],
] as const satisfies readonly (readonly [string, Answer])[]) {
  test(`[HOOK-6] a receiver that ${what} is left after 15 s, which is a failure that is tried again`, async () => {
    const { server, asked, result } = await attempt(answer, 100);
    expect(asked).toEqual([{ timeoutMs: 15_000, maxResponseBytes: ANSWER_BYTES }]);
    expect(result).toMatchObject(timedOut satisfies Partial<AttemptResult>);
    await gone(server);
  });
}

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
  test(`[HOOK-6] an answer of ${size} bytes is no failure, and nothing of it is kept`, async () => {
    const body = "a".repeat(size);
    const { result } = await attempt(({ socket }) => void socket.write(reply(200, {}, body)));
    expect(result).toEqual({ kind: "delivered", httpStatus: 200, durationMs: expect.any(Number) });
  });
}

test("[HOOK-6] an answer that breaks off in its body has not been given", async () => {
  const { result } = await attempt(({ socket }) => {
    socket.write(`${HEAD}content-length: 1000\r\n\r\nhalf`, () => socket.destroy());
  });
  expect(result).toMatchObject({ kind: "failed", error: "connection_reset", isTransient: true });
});
