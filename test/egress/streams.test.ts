/** Streamed responses: bounded, at the reader's pace, and closed at the server when they are over. */
import { afterEach, expect, test } from "bun:test";
import type { EgressRequest } from "../../src/egress/egress.ts";
import { EgressInterrupted } from "../../src/egress/failure.ts";
import { until } from "../support/condition.ts";
import { createEgressWorld, type EgressWorld, get } from "../support/egress-world.ts";
import { type Answer, pour, reply, type WireServer } from "../support/wire-server.ts";

const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
const PIECE = Buffer.alloc(65_536, "a");
const endless: Answer = (request, server) => {
  request.socket.write(HEAD);
  pour(request, server, PIECE);
};
const silent: Answer = ({ socket }) => void socket.write(`${HEAD}first`);

let world: EgressWorld;
afterEach(() => world.end());

const gone = (server: WireServer): Promise<void> =>
  until("the connection is closed", () => server.closed === server.connections);

async function open(answer: Answer, more: Partial<EgressRequest> = {}) {
  world = createEgressWorld();
  const server = await world.serve(answer);
  const response = await world.client().open(get(`https://a.test:${server.port}/`, more));
  return { server, response };
}

async function opened(answer: Answer, more: Partial<EgressRequest> = {}) {
  const { server, response } = await open(answer, more);
  if (response.kind === "failed") throw new Error(response.error);
  return { server, response, reader: response.body.getReader() };
}

/** How the rest of the stream ends. */
async function endOf(reader: { read(): Promise<{ readonly done: boolean }> }): Promise<string> {
  try {
    while (!(await reader.read()).done);
    return "closed";
  } catch (cause) {
    return cause instanceof EgressInterrupted ? cause.error : String(cause);
  }
}

test("[HOOK-11] a stream passes each piece on as it arrives", async () => {
  const { response, server, reader } = await opened(({ socket }) => void socket.write(`${HEAD}one`));
  expect(response).toMatchObject({ status: 200, finalUrl: `https://a.test:${server.port}/` });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe("one");
  server.requests[0]?.socket.end("two");
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe("two");
  expect(await reader.read()).toMatchObject({ done: true });
});

test("[HOOK-11] a response without a body is an empty stream", async () => {
  expect(await endOf((await opened(({ socket }) => void socket.write("HTTP/1.1 204 No Content\r\n\r\n"))).reader)).toBe(
    "closed",
  );
});

test("[HOOK-11] a stream whose reader pauses makes the server wait", async () => {
  const { server, reader } = await opened(endless, { limits: { timeoutMs: 60_000, maxResponseBytes: 2 ** 40 } });
  await reader.read();
  let before = -1;
  let sameTurns = 0;
  await until("the server waits", () => {
    sameTurns = server.poured === before ? sameTurns + 1 : 0;
    before = server.poured;
    return sameTurns > 100;
  });
  expect(server.poured).toBeLessThan(32 * 1024 * 1024);
  await reader.cancel();
  await gone(server);
});

test("[HOOK-11] a stream ends at its limit as too_large", async () => {
  const { server, reader } = await opened(endless, { limits: { timeoutMs: 60_000, maxResponseBytes: 100_000 } });
  expect(await endOf(reader)).toBe("too_large");
  await gone(server);
});

test("[HOOK-11] a stream ends at its deadline, read or not", async () => {
  const limits = { timeoutMs: 3_000, maxResponseBytes: 100 };
  const read = await opened(silent, { limits });
  const its = world;
  const left = await opened(silent, { limits });
  expect(await endOf(read.reader)).toBe("timeout");
  await Promise.all([gone(read.server), gone(left.server)]);
  await its.end();
});

test("[HOOK-11] the head of a stream may have its own deadline", async () => {
  const limits = { timeoutMs: 60_000, maxResponseBytes: 100, headTimeoutMs: 3_000 };
  // Only the first request gets a head.
  const { server, reader } = await opened(
    ({ socket }, { requests }) => void (requests.length === 1 && socket.write(HEAD)),
    { limits },
  );
  const headless = await world.client().open(get(`https://a.test:${server.port}/`, { limits }));
  expect(headless).toEqual({ kind: "failed", error: "timeout" });
  // The deadline of the first head was earlier, so it has passed too, and the stream goes on.
  server.requests[0]?.socket.end("late");
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe("late");
  await gone(server);
});

test("[HOOK-11] a stream that breaks ends as connection_reset", async () => {
  const { server, reader } = await opened(
    ({ socket }) => void socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\npart"),
  );
  await reader.read();
  server.requests[0]?.socket.destroy();
  expect(await endOf(reader)).toBe("connection_reset");
});

for (const [what, answer] of [
  ["before the head", () => {}],
  ["within the body", silent],
] as const satisfies readonly (readonly [string, Answer])[]) {
  test(`[HOOK-11] the caller's signal closes the connection ${what}`, async () => {
    world = createEgressWorld();
    const server = await world.serve(answer);
    const stop = new AbortController();
    const result = world.client().request(get(`https://a.test:${server.port}/`, { signal: stop.signal }));
    await until("the request is there", () => server.requests.length === 1);
    stop.abort();
    expect(await result).toEqual({ kind: "failed", error: "aborted" });
    await gone(server);
  });
}

test("[HOOK-11] the caller's signal ends a stream", async () => {
  const stop = new AbortController();
  const { server, reader } = await opened(silent, { signal: stop.signal });
  await reader.read();
  stop.abort();
  expect(await endOf(reader)).toBe("aborted");
  await gone(server);
});

test("[HOOK-11] with an already aborted signal nothing is sent", async () => {
  world = createEgressWorld();
  const server = await world.serve(silent);
  expect(await world.client().request(get(`https://a.test:${server.port}/`, { signal: AbortSignal.abort() }))).toEqual({
    kind: "failed",
    error: "aborted",
  });
  expect(server.connections).toBe(0);
});

test("[HOOK-11] a cancelled stream closes its connection, and a finished one keeps it", async () => {
  const { server, reader } = await opened(endless);
  await reader.cancel();
  await gone(server);
  await world.end();
  const kept = await opened(({ socket }) => void socket.write(reply(200, {}, "whole")));
  expect(await endOf(kept.reader)).toBe("closed");
  expect(kept.server.closed).toBe(0);
});
