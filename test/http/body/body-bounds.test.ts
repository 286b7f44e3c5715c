/** What bodies that are on their way may take: memory by token, organization and in all, and time (FAIR-5, FAIR-6). */
import { expect, test } from "bun:test";
import type { Outcome } from "../../../actors/fault.ts";
import {
  Bodies,
  BODY_BYTES_PER_SECOND,
  BODY_GRACE_MS,
  type BodyHold,
  LEAST_BODY_BYTES,
  ORGANIZATION_PART,
  STREAM_BODY_BYTES,
  STREAM_BYTES_PER_SECOND,
  STREAM_ORGANIZATION_PART,
  TOKEN_PART,
} from "../../../src/http/body/bodies.ts";
import { BodyTooSlow, StreamedBody } from "../../../src/http/body/raw-body.ts";
import { until } from "../../support/condition.ts";
import { FakeClock, settle } from "../../support/fake-clock.ts";
import { HeldRequest } from "../../support/held-request.ts";
import { sceneOfFile } from "../../support/scene.ts";

const MIB = 1024 * 1024;
const LIMIT = 32 * MIB;
const TOKEN_BYTES = LIMIT / TOKEN_PART;

const clock = new FakeClock();
const { service, owner } = sceneOfFile({
  settings: { bodyMemoryMib: LIMIT / MIB },
  overrides: { services: () => ({ clock }) },
});

const heads = (announced: number | null): Record<string, string> => ({
  authorization: `Bearer ${owner.token}`,
  "content-type": "application/json",
  ...(announced === null ? { "transfer-encoding": "chunked" } : { "content-length": String(announced) }),
});
const held = (path: string, announced: number | null, body = "{"): HeldRequest =>
  new HeldRequest(`${service.url}${path}`, { method: "POST", headers: heads(announced), body });

/** So many bodies are being read, and none waits for that. */
const reads = (count: number): boolean => {
  const { usage, unreadCount } = service.app.bodies;
  return usage.count === count && unreadCount === 0;
};

const holdOf = (outcome: Outcome<BodyHold>): BodyHold => {
  if (!outcome.ok) throw new Error(`refused: ${outcome.fault.kind}`);
  return outcome.value;
};

test("[FAIR-5] bodies of a token, of an organization and of all fill their limits, and one byte more is refused", () => {
  const bodies = new Bodies(new FakeClock(), LIMIT);
  const of = (organizationId: string, tokenId: string) => ({ organizationId, tokenId });
  const fill = (organizationId: string, tokenId: string): BodyHold =>
    holdOf(bodies.begin(of(organizationId, tokenId), TOKEN_BYTES));
  const refused = (organizationId: string, tokenId: string): boolean =>
    !bodies.begin(of(organizationId, tokenId), 1).ok;
  const first = fill("a", "a1");
  expect([refused("a", "a1"), refused("a", "a2")]).toEqual([true, false]);
  bodies.begin(of("a", "a2"), 1);
  first.release();
  first.release();
  fill("a", "a1");
  expect(bodies.begin(of("a", "a3"), (TOKEN_PART / ORGANIZATION_PART - 1) * TOKEN_BYTES).ok).toBe(false);
  for (let i = 0; i < TOKEN_PART - 2; i++) fill(`b${Math.floor(i / 2)}`, `b-${i}`);
  expect(bodies.begin(of("c", "c1"), TOKEN_BYTES).ok).toBe(false);
  expect(refused("c", "c1")).toBe(false);
});

test("[FAIR-5] streamed bodies have their own limit, by their announced length, and use no room of others", () => {
  const limit = 8 * STREAM_BODY_BYTES;
  const bodies = new Bodies(new FakeClock(), limit);
  const begin = (organizationId: string, announced: number) =>
    bodies.beginStream({ organizationId, tokenId: `${organizationId}1` }, announced);
  const most = 8 / STREAM_ORGANIZATION_PART;
  const uploads = Array.from({ length: most }, () => holdOf(begin("a", Number.POSITIVE_INFINITY)));
  expect(bodies.usage).toEqual({ count: most, bytes: limit / STREAM_ORGANIZATION_PART });
  expect(begin("a", 1)).toEqual({ ok: false, fault: { kind: "overloaded", retryAfterMs: 1_000 } });
  // Others upload, and what the organization sends besides is read.
  expect(begin("b", 1_000 * MIB).ok).toBe(true);
  expect(bodies.begin({ organizationId: "a", tokenId: "a1" }, limit / TOKEN_PART).ok).toBe(true);
  for (let i = 0; i < most - 1; i++) expect(begin(`c${i}`, STREAM_BODY_BYTES).ok).toBe(true);
  expect(begin("d", LEAST_BODY_BYTES).ok).toBe(false);
  uploads[0]?.end();
  for (let i = 0; i < STREAM_BODY_BYTES / LEAST_BODY_BYTES; i++) expect(begin("d", 1).ok).toBe(true);
  expect(begin("d", 1).ok).toBe(false);
});

test("[FAIR-5] an upload past the limit of its organization is refused unread, and accepted when another one has ended", async () => {
  const { "content-type": _, ...head } = heads(MIB);
  const put = (n: number, body = "") =>
    new HeldRequest(`${service.url}/api/workspaces/${owner.workspaceId}/files/content?path=many/f${n}.bin`, {
      method: "PUT",
      headers: head,
      body,
    });
  const most = LIMIT / STREAM_ORGANIZATION_PART / MIB;
  const open: HeldRequest[] = [];
  // One after the other: before they are read they have less room.
  for (let n = 0; n < most; n++) {
    open.push(put(n));
    await until("it is on its way", () => reads(n + 1));
  }
  const refused = await put(most, "x").answer;
  expect(refused.head).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: 1\r\n/i);
  expect(refused.body).toMatchObject({ code: "overloaded" });
  for (const one of open.slice(1)) one.leave();
  open[0]!.send("y".repeat(MIB));
  await until("it is answered", async () => {
    // It may wait for its turn.
    await clock.advance(1);
    return open[0]!.isAnswered;
  });
  expect((await open[0]!.answer).head).toMatch(/^HTTP\/1\.1 201 /);
  await until("nothing is held", () => service.app.bodies.usage.count === 0);
});

test("[FAIR-5] a small body counts as a minimum, and one of an unknown sender for all of them", () => {
  const bodies = new Bodies(new FakeClock(), LIMIT);
  const stranger = { organizationId: null, tokenId: null };
  const most = LIMIT / ORGANIZATION_PART / LEAST_BODY_BYTES;
  for (let i = 0; i < most; i++) expect(bodies.begin(stranger, 1).ok).toBe(true);
  expect(bodies.begin(stranger, 1).ok).toBe(false);
  expect(bodies.usage).toEqual({ count: most, bytes: LIMIT / ORGANIZATION_PART });
});

test("[FAIR-5] bodies held open by a token are refused past its limit, on both surfaces, with Retry-After and a closed connection; other tokens are served", async () => {
  const open = Array.from({ length: TOKEN_BYTES / MIB }, () => held("/api/v1/tasks", MIB));
  await until("the bodies are on their way", () => reads(open.length));
  expect(service.app.bodies.usage.bytes).toBe(TOKEN_BYTES);
  const v1 = await held("/api/v1/tasks", 100).answer;
  expect(v1.head).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: 1\r\n/i);
  expect(v1.head).toMatch(/connection: close/i);
  expect(v1.body).toMatchObject({ error: true, statusCode: 503 });
  // Without a length it counts as the longest that there may be.
  const current = await held("/api/agents", null, "1\r\n{\r\n").answer;
  expect(current.body).toMatchObject({ code: "overloaded", status: 503 });
  const other = await service.found();
  expect((await service.call(other, "POST", "/api/v1/tasks", { title: "Served" })).status).toBe(200);
  // Those that leave make room.
  open[0]!.leave();
  await until("one has left", () => service.app.bodies.usage.count === open.length - 1);
  expect((await service.call(owner, "POST", "/api/v1/tasks", { title: "Served" })).status).toBe(200);
  for (const one of open) one.leave();
  await until("all have left", () => service.app.bodies.usage.count === 0);
});

test("[FAIR-6] a trickling body is 408 after its time limit, in the error format of its surface, and nothing is executed", async () => {
  const announced = 4 * BODY_BYTES_PER_SECOND;
  const requests = [held("/api/v1/tasks", announced), held("/api/agents", announced)];
  await until("the bodies are on their way", () => reads(2));
  await clock.advance(BODY_GRACE_MS + 3_000);
  for (const request of requests) request.send(" ");
  expect(requests.some(({ isAnswered }) => isAnswered)).toBe(false);
  await clock.advance(2_000);
  const [v1, current] = await Promise.all(requests.map(({ answer }) => answer));
  expect(v1?.head).toMatch(/^HTTP\/1\.1 408 [^]*connection: close/i);
  expect(v1?.body).toMatchObject({ error: true, statusCode: 408, statusMessage: "Request Timeout" });
  expect(current?.body).toMatchObject({ code: "request_timeout", status: 408 });
  await until("nothing is held", () => service.app.bodies.usage.count === 0);
});

test("[FAIR-6] a stalled upload is 408", async () => {
  const target = `/api/workspaces/${owner.workspaceId}/files/content?path=slow.txt`;
  const { "content-type": _, ...head } = heads(1_000_000);
  const upload = new HeldRequest(`${service.url}${target}`, { method: "PUT", headers: head, body: "" });
  await until("it is on its way", () => reads(1));
  await clock.advance(BODY_GRACE_MS - 2_000);
  expect(upload.isAnswered).toBe(false);
  await clock.advance(4_000);
  expect((await upload.answer).body).toMatchObject({ code: "request_timeout" });
  await until("nothing is held", () => service.app.bodies.usage.count === 0);
});

test("[FAIR-6] a streamed body may be slow as long as it makes progress", async () => {
  const own = new FakeClock();
  const bodies = new Bodies(own, LIMIT);
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const [writer, seconds] = [writable.getWriter(), 60];
  const hold = holdOf(bodies.beginStream({ organizationId: "a", tokenId: "a1" }, MIB));
  const streamed = new StreamedBody({ body: readable, headers: new Headers() }, MIB, { hold, isHashed: false });
  void writer.write(new Uint8Array(seconds * STREAM_BYTES_PER_SECOND));
  expect((await streamed.read()).value).toHaveLength(seconds * STREAM_BYTES_PER_SECOND);
  const rest = streamed.read().catch((cause: unknown) => cause);
  await own.advance(BODY_GRACE_MS + (seconds - 1) * 1_000);
  expect([streamed.fault, bodies.usage.count]).toEqual([null, 1]);
  await own.advance(2_000);
  expect(await rest).toBeInstanceOf(BodyTooSlow);
  expect([streamed.fault, bodies.usage.count]).toEqual([{ kind: "request_timeout" }, 0]);
});

test("[FAIR-10] the service reads a large upload in slices while others are active", async () => {
  const { loopTime } = service.system;
  let status = 0;
  const headers = { authorization: `Bearer ${owner.token}` };
  const target = `/api/workspaces/${owner.workspaceId}/files/content?path=large.bin`;
  const body = new Uint8Array(8 * MIB);
  const upload = fetch(`${service.url}${target}`, { method: "PUT", headers, body });
  void upload.then((answer) => (status = answer.status));
  await until("it waits for its turn", () => {
    loopTime.charge("org_others", "requests", 100);
    // Other timers of bodies are a second away.
    return (clock.nextInMs ?? Infinity) < 500;
  });
  expect(status).toBe(0);
  const waits = new Set<number>();
  await until("it has been received", async () => {
    if (clock.nextInMs !== null && clock.nextInMs < 500) waits.add(clock.monotonic());
    await clock.advance(1);
    return status !== 0;
  });
  expect(status).toBe(201);
  expect(waits.size).toBeGreaterThan(1);
});

test("[FAIR-5] a stream keeps nothing of what was read, however long it continues", async () => {
  const bodies = new Bodies(new FakeClock(), LIMIT);
  const hold = holdOf(bodies.beginStream({ organizationId: "a", tokenId: "a1" }, MIB));
  let left = 64;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (left-- > 0) controller.enqueue(new Uint8Array(MIB / 4));
      else controller.close();
    },
  });
  const streamed = new StreamedBody({ body, headers: new Headers() }, LIMIT, { hold, isHashed: false });
  const pieces: WeakRef<Uint8Array>[] = [];
  for (let next = await streamed.read(); !next.done; next = await streamed.read()) {
    pieces.push(new WeakRef(next.value));
    // A weak reference holds its object up to the next turn of the loop.
    await settle();
  }
  Bun.gc(true);
  // The stack may still name the last of them.
  expect(pieces.filter((piece) => piece.deref() !== undefined).length).toBeLessThan(pieces.length / 4);
  expect(streamed.bytes).toBe(64 * (MIB / 4));
});
