/** What comes of a body while its request waits counts from its head on, and a body that nobody reads is let go (FAIR-5). */
import { expect, test } from "bun:test";
import { connect } from "node:net";
import { UNREAD_BODY_BYTES, UNREAD_ORGANIZATION_PART, UNREAD_TOKEN_PART } from "../../../src/http/body/bodies.ts";
import { until } from "../../support/condition.ts";
import { HeldRequest } from "../../support/held-request.ts";
import { sceneOfFile } from "../../support/scene.ts";

const MIB = 1024 * 1024;
const LIMIT = 64 * MIB;
const REQUESTS = 40;

/** Look-ups of tokens wait for it. */
const lookUps = Promise.withResolvers<void>();
const { service, owner } = sceneOfFile({
  settings: { bodyMemoryMib: LIMIT / MIB },
  overrides: {
    services: ({ directory }) => ({
      directory: new Proxy(directory, {
        get(target, name) {
          if (name === "findToken") return async (hash: string) => lookUps.promise.then(() => target.findToken(hash));
          const value: unknown = Reflect.get(target, name);
          return typeof value === "function" ? value.bind(target) : value;
        },
      }),
    }),
  },
});

const held = (token: string): HeldRequest =>
  new HeldRequest(`${service.url}/api/v1/tasks`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "content-length": String(MIB) },
    body: "{",
  });
const answered = (requests: readonly HeldRequest[]): number => requests.filter(({ isAnswered }) => isAnswered).length;

/** So many requests that wait: all but `most` of them are refused meanwhile. Ends with nothing held. */
async function refusesAllBut(most: number, goOn: () => void): Promise<void> {
  const requests = Array.from({ length: REQUESTS }, () => held(owner.token));
  await until("what has no room is refused", () => answered(requests) === REQUESTS - most);
  expect(service.app.bodies.usage).toEqual({ count: most, bytes: most * MIB });
  const refused = requests.find(({ isAnswered }) => isAnswered)!;
  expect((await refused.answer).head).toMatch(/^HTTP\/1\.1 503 [^]*connection: close/i);
  goOn();
  for (const request of requests) request.leave();
  await until("nothing is held", () => service.app.bodies.usage.count === 0);
}

test("[FAIR-5] while its token is looked up a body counts for its address", () =>
  refusesAllBut(LIMIT / UNREAD_TOKEN_PART / MIB, () => lookUps.resolve()));

test("[FAIR-5] bodies of many unknown addresses together have the share of one organization", () => {
  const { bodies } = service.app;
  const outcomes = Array.from({ length: REQUESTS }, (_, i) =>
    bodies.beginUnread({ organizationId: null, tokenId: `address ${i}` }, 8 * MIB),
  );
  const holds = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.value] : []));
  // However long a body is: of one that nobody reads, no more is taken.
  expect(holds).toHaveLength(Math.floor(LIMIT / UNREAD_ORGANIZATION_PART / UNREAD_BODY_BYTES));
  // They take nothing of the room for bodies that are read.
  const read = bodies.begin({ organizationId: null, tokenId: "address 0" }, 1 * MIB);
  expect(read.ok).toBe(true);
  if (read.ok) read.value.release();
  for (const hold of holds) hold.release();
});

/** Requests wait for their turn until `give`. */
async function withoutTurns(run: (give: () => void) => Promise<void>): Promise<void> {
  const { turns } = service.app;
  const turn = Promise.withResolvers<boolean>();
  const [isFull, enter] = [turns.isFull.bind(turns), turns.enter.bind(turns)];
  turns.isFull = () => true;
  turns.enter = () => turn.promise;
  try {
    await run(() => turn.resolve(true));
  } finally {
    turn.resolve(true);
    [turns.isFull, turns.enter] = [isFull, enter];
  }
}

test("[FAIR-5] a body counts for its token while the request waits for the turn of its organization", async () => {
  expect((await service.call(owner, "GET", "/api/v1/tasks")).status).toBe(200);
  await withoutTurns((give) => refusesAllBut(LIMIT / UNREAD_TOKEN_PART / MIB, give));
});

test("[FAIR-5] a body that an operation does not accept is not kept until the answer", () =>
  withoutTurns(async (give) => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    // More than the kernel and Bun keep for a connection that nobody reads.
    const bytes = 32 * MIB;
    let isTaken = false;
    let answer = "";
    socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
    socket.write(
      `GET /api/agents HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${owner.token}\r\nContent-Length: ${bytes}\r\n\r\n`,
    );
    socket.write(Buffer.alloc(bytes), () => (isTaken = true));
    try {
      await until("all of it is taken", () => isTaken);
      expect(service.app.bodies.usage.count).toBe(0);
      give();
      await until("the request is refused", () => answer.startsWith("HTTP/1.1 400"));
    } finally {
      socket.destroy();
    }
  }));
