/** The parts of a replica's way to the others, each by itself. */
import { systemClock } from "../../src/wiring/clock.ts";
import { SHARD_COUNT, shardOf } from "../../actors/runtime/placement/placement.ts";
import { Liveness } from "../../src/peers/liveness.ts";
import { answeredBy, bodySeal, IN_PIECES, SEALED_WITHOUT_BODY, PeerKey } from "../../src/peers/peer-key.ts";
import { type INVOKE_PATH, NotReached, PeerClient } from "../../src/peers/peer-client.ts";
import { openPeerServer } from "../../src/peers/peer-server.ts";
import { PlacementTable } from "../../src/peers/placement-table.ts";
import { relayResponse } from "../../src/peers/relay.ts";
import { OWNER_WAIT_MS, Routing } from "../../src/peers/routing.ts";
import { BodyBroken, openedPieces, SEALED_PIECE_BYTES, sealedPieces } from "../../src/peers/sealed-body.ts";
import { UsedNumbers } from "../../src/peers/used-numbers.ts";
import { FakeClock, settle } from "../support/fake-clock.ts";
import { describe, expect, spyOn, test } from "bun:test";

const ORG = "org_a";
const ONE = { id: "rpl_1", url: "http://one" };
const TWO = { id: "rpl_2", url: "http://two" };

describe("the key", () => {
  const call = { method: "POST", target: "/api/tasks?x=1", client: "10.0.0.1" };
  const keyOf = (id: string, now = () => 1_000_000, byte = 1) => new PeerKey([new Uint8Array(32).fill(byte)], id, now);

  test("[REP-4] a seal holds for one call, one body, one key, a minute, and once", () => {
    let now = 1_000_000;
    const sender = keyOf("rpl_1");
    const receiver = keyOf("rpl_2", () => now);
    const body = bodySeal("a body");
    const { header, ...sealed } = sender.seal("rpl_2", call, body);
    for (const other of [{ method: "GET" }, { target: "/api/tasks" }, { client: "10.0.0.2" }])
      expect(receiver.open({ ...call, ...other }, header)).toBeNull();
    expect(keyOf("rpl_2", () => now, 2).open(call, header)).toBeNull();
    const parts = header.split(".");
    for (const at of parts.keys()) {
      const changed = parts.with(at, at === 4 ? bodySeal("another") : at % 2 === 0 ? "9" : "rpl_3").join(".");
      expect(receiver.open(call, changed)).toBeNull();
    }
    for (const bad of [null, "", "x", `${header}0`]) expect(receiver.open(call, bad)).toBeNull();
    expect(receiver.open(call, header)).toEqual({ to: "rpl_2", body, ...sealed });
    expect(receiver.open(call, header)).toBeNull();
    const late = sender.seal("rpl_2", call, SEALED_WITHOUT_BODY).header;
    now += 60_001;
    expect(receiver.open(call, late)).toBeNull();
  });

  test("[REP-4] an answer names its replica and its call", () => {
    const sender = keyOf("rpl_1");
    const asked = sender.seal("rpl_2", call, SEALED_WITHOUT_BODY);
    const answer = keyOf("rpl_3").sealAnswer(asked);
    expect(answeredBy(asked, answer)).toBe("rpl_3");
    expect(answeredBy(sender.seal("rpl_2", call, SEALED_WITHOUT_BODY), answer)).toBeNull();
    const another = keyOf("rpl_3").sealAnswer({ ...asked, key: new Uint8Array(32) });
    for (const bad of [null, "", answer.replace("rpl_3", "rpl_2"), another]) expect(answeredBy(asked, bad)).toBeNull();
  });

  test("[REP-4] during a key change replicas that have both keys accept each other's calls and answers", () => {
    const [former, next] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
    const changing = new PeerKey([next, former], "rpl_2", () => 1_000_000);
    const behind = keyOf("rpl_1");
    const asked = behind.seal("rpl_2", call, SEALED_WITHOUT_BODY);
    expect(answeredBy(asked, changing.sealAnswer(changing.open(call, asked.header)!))).toBe("rpl_2");
    expect(behind.open(call, changing.seal("rpl_1", call, SEALED_WITHOUT_BODY).header)).toBeNull();
  });

  test("[REP-4] each number is accepted once in any order, and numbers far behind count as used", () => {
    const used = new UsedNumbers(1_000);
    const order = [3, 1, 2, 65_536, 65_537, 70_000, 4_465];
    expect(order.map((number) => used.use("rpl_1", number, 0))).toEqual(order.map(() => true));
    for (const number of [...order, 4_464]) expect(used.use("rpl_1", number, 0)).toBe(false);
    expect(used.use("rpl_2", 1, 0)).toBe(true);
    // Nothing was heard of either for long.
    expect(used.use("rpl_3", 1, 2_000)).toBe(true);
    expect(used.use("rpl_1", 1, 2_000)).toBe(true);
  });

  describe("of a body in pieces", () => {
    const key = keyOf("rpl_1");
    const sealing = key.seal("rpl_2", call, IN_PIECES);
    const streamOf = (...pieces: readonly Uint8Array[]) => new Response(new Blob([...pieces])).body!;
    const sealed = async (bytes: Uint8Array) =>
      new Uint8Array(await new Response(sealedPieces(streamOf(bytes), sealing)).arrayBuffer());
    const opened = (bytes: Uint8Array) => new Response(openedPieces(streamOf(bytes), sealing)).arrayBuffer();

    test("[REP-4] the body arrives unchanged, however its bytes are split", async () => {
      for (const length of [0, 1, SEALED_PIECE_BYTES, 3 * SEALED_PIECE_BYTES + 7]) {
        const bytes = crypto.getRandomValues(new Uint8Array(65_536)).subarray(0, length);
        const body = length <= 65_536 ? bytes : new Uint8Array(length).fill(7);
        const whole = await sealed(body);
        expect(Bun.hash(await opened(whole))).toBe(Bun.hash(body));
        if (length > 1) continue;
        const left = [...whole];
        const bytewise = new ReadableStream<Uint8Array>({
          pull: (sink) => (left.length > 0 ? sink.enqueue(Uint8Array.of(left.shift()!)) : sink.close()),
        });
        expect(new Uint8Array(await new Response(openedPieces(bytewise, sealing)).arrayBuffer())).toEqual(body);
      }
    });

    test("[REP-4] no reference is kept to a used buffer, which its owner may reuse", async () => {
      const body = new Uint8Array(5 * 1_000).fill(7);
      const parts = [0, 1, 2, 3, 4].map((n) => body.subarray(n * 1_000, (n + 1) * 1_000));
      // Each piece comes in memory of its own, which is gone when the next one is asked for.
      let last: Uint8Array<ArrayBuffer> | null = null;
      const source = sealedPieces(
        new ReadableStream({
          pull(sink) {
            const part = parts.shift();
            if (part === undefined) sink.close();
            else sink.enqueue(part);
          },
        }),
        sealing,
      ).getReader();
      const taken = new ReadableStream<Uint8Array>(
        {
          async pull(sink) {
            if (last !== null) structuredClone(last.buffer, { transfer: [last.buffer] });
            const { done, value } = await source.read();
            if (done) return sink.close();
            sink.enqueue((last = new Uint8Array(value)));
          },
        },
        { highWaterMark: 0 },
      );
      const reader = openedPieces(taken, sealing).getReader();
      let length = 0;
      for (let next = await reader.read(); !next.done; next = await reader.read()) length += next.value.length;
      expect(length).toBe(body.length);
    });

    test("[REP-4] a changed byte, a missing or misplaced piece, and a missing end break the body", async () => {
      const one = await sealed(Buffer.from("first"));
      const head = one.subarray(0, 36 + 5);
      const end = one.subarray(36 + 5);
      for (let at = 0; at < one.length; at++) {
        const changed = new Uint8Array(one);
        changed[at]! ^= 1;
        await expect(opened(changed)).rejects.toThrow(BodyBroken);
      }
      for (const bad of [head, end, one.subarray(0, -1), Buffer.concat([head, one]), Buffer.concat([one, end])])
        await expect(opened(bad)).rejects.toThrow(BodyBroken);
      const another = key.seal("rpl_2", call, IN_PIECES);
      await expect(new Response(openedPieces(streamOf(one), another)).text()).rejects.toThrow(BodyBroken);
    });
  });
});

describe("calls", () => {
  const key = (id: string) => new PeerKey([new Uint8Array(32).fill(1)], id, () => 1_000_000);
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

  test("[REP-4] [REP-6] [UPG-2] nothing of an answer from a wrong replica or a stranger reaches a client", async () => {
    const server = openPeerServer({
      self: "rpl_2",
      key: key("rpl_2"),
      hostname: "127.0.0.1",
      port: 0,
      maxRequestBodyBytes: 1_000,
      questions: () => {
        throw new Error("nobody asks");
      },
      clock: systemClock,
      onLook: () => Promise.resolve(),
      onRead: () => Promise.resolve(),
      serve: () => (request) => request.text().then((text) => new Response(`${request.method} ${text}`)),
      log,
    });
    const stranger = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("of a stranger") });
    try {
      const client = new PeerClient(key("rpl_1"));
      const url = `http://127.0.0.1:${server.port}`;
      const pass = (owner: { id: string; url: string }, body: ArrayBuffer | ReadableStream<Uint8Array>) => {
        const request = new Request("http://client/api/x?y=1", { method: "POST" });
        const { signal } = new AbortController();
        return client.pass(owner, { request, target: "/api/x?y=1", body, requestId: "r", client: "10.0.0.1", signal });
      };
      const bytes = new TextEncoder().encode("a body").buffer;
      for (const body of [bytes, new Response("a body").body!]) {
        const answer = await pass({ id: "rpl_2", url }, body);
        expect([answer.status, await answer.text()]).toEqual([200, "POST a body"]);
      }
      await expect(pass({ id: "rpl_3", url }, bytes)).rejects.toThrow(NotReached);
      const elsewhere = { id: "rpl_2", url: stranger.url.origin };
      await expect(pass(elsewhere, bytes)).rejects.toThrow("but is not a replica of this service");
      // What a replica of an earlier release does not know has done nothing there, and may be asked of the next owner.
      const later = "/.replica/later" as string as typeof INVOKE_PATH;
      expect(await client.ask({ id: "rpl_2", url }, later, "{}")).toBeNull();
      expect(await client.isNobodyThere({ id: "rpl_2", url })).toBe(false);
      expect(await client.isNobodyThere({ id: "rpl_3", url })).toBe(true);
      expect(await client.isNobodyThere(elsewhere)).toBe(false);
    } finally {
      await server.stop();
      await stranger.stop(true);
    }
  });
});

test("[REP-4] a stranger's answer that breaks off ends no process: what fails while it is dropped is taken", async () => {
  const key = new PeerKey([new Uint8Array(32).fill(1)], "rpl_1", () => Date.now());
  const unhandled: unknown[] = [];
  const note = (cause: unknown): void => void unhandled.push(cause);
  process.on("unhandledRejection", note);
  const broken = new Response(new ReadableStream({ cancel: () => Promise.reject(new Error("it broke off")) }));
  using fetched = spyOn(globalThis, "fetch").mockResolvedValue(broken);
  try {
    expect(await new PeerClient(key).isNobodyThere(TWO)).toBe(false);
    await new Promise((resolve) => setImmediate(resolve));
    expect([fetched.mock.calls.length, unhandled]).toEqual([1, []]);
  } finally {
    process.off("unhandledRejection", note);
  }
});

/** A table that says what the test wants. */
function tableOf(clock: FakeClock, owner: () => string | null, gone: string[] = []) {
  const read = () =>
    Promise.resolve({
      replicas: [ONE, TWO].filter(({ id }) => id !== "rpl_2" || owner() !== "dead"),
      owners: new Map(Array.from({ length: SHARD_COUNT }, (_, shard) => [shard, owner() ?? "nobody"])),
    });
  return new PlacementTable({ read }, clock, ({ id }) => void gone.push(id));
}

describe("routing", () => {
  test("[REP-4] a request waits for an owner of its organization, and gives up after a while", async () => {
    const clock = new FakeClock();
    let owner: string | null = null;
    const table = tableOf(clock, () => owner);
    const routing = new Routing({ self: "rpl_1", table, clock, serves: () => false });
    const found = routing.placeOf(ORG);
    await clock.advance(1_000);
    owner = "rpl_2";
    await clock.advance(1_000);
    expect(await found).toEqual({ kind: "there", owner: TWO });
    owner = null;
    await clock.advance(0);
    const refreshed = table.refresh();
    await clock.advance(100);
    await refreshed;
    const never = routing.placeOf(ORG);
    await clock.advance(OWNER_WAIT_MS + 1_000);
    expect(await never).toBeNull();
  });

  test("[REP-4] a silent database delays no request past its deadline, and none for a shard that is served here", async () => {
    const clock = new FakeClock();
    let isServed = false;
    const table = new PlacementTable({ read: () => new Promise(() => {}) }, clock, () => {});
    const routing = new Routing({ self: "rpl_1", table, clock, serves: () => isServed });
    const never = routing.placeOf(ORG);
    await clock.advance(OWNER_WAIT_MS);
    expect(Bun.peek(never)).toBeNull();
    const found = routing.placeOf(ORG);
    await clock.advance(100);
    isServed = true;
    routing.wake();
    await settle();
    expect(Bun.peek(found)).toEqual({ kind: "here" });
  });

  test("[REP-2] a hand-over waits for the requests in progress, and new requests wait for the new owner", async () => {
    const clock = new FakeClock();
    let owner = "rpl_1";
    const routing = new Routing({ self: "rpl_1", table: tableOf(clock, () => owner), clock, serves: () => true });
    expect(routing.placeNow(ORG)).toEqual({ kind: "here" });
    const done = routing.begin(ORG);
    const ends: string[] = [];
    const held = routing.hold(new Set([shardOf(ORG)])).then((letGo) => {
      ends.push("held");
      return letGo;
    });
    const next = routing.placeOf(ORG);
    await settle();
    expect([ends, routing.placeNow(ORG)]).toEqual([[], null]);
    done();
    done();
    const letGo = await held;
    owner = "rpl_2";
    await clock.advance(200);
    expect(await next).toEqual({ kind: "there", owner: TWO });
    letGo();
    expect(routing.placeNow(ORG)).toEqual({ kind: "here" });
    // Two holds at once: neither forgets the other's shards, or that it waits.
    const busy = routing.begin(ORG);
    const both = [new Set([shardOf(ORG)]), new Set([shardOf(ORG)])].map((shards) => routing.hold(shards));
    busy();
    const [first, second] = await Promise.all(both);
    first!();
    expect(routing.placeNow(ORG)).not.toEqual({ kind: "here" });
    second!();
    expect(routing.placeNow(ORG)).toEqual({ kind: "here" });
    // One that does not end holds nothing up for long.
    routing.begin(ORG);
    const late = routing.hold(new Set([shardOf(ORG)]));
    await clock.advance(1_000);
    (await late)();
  });

  test("[REP-6] a replica is dead when two others say so, and calls to it are given up", async () => {
    const clock = new FakeClock();
    let owner = "rpl_2";
    const gone: string[] = [];
    const table = tableOf(clock, () => owner, gone);
    const said: string[] = [];
    let isNobodyThere = false;
    let silence: PromiseWithResolvers<boolean> | null = null;
    let isFree = false;
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    const liveness = new Liveness({
      self: "rpl_1",
      table,
      client: { isNobodyThere: () => silence?.promise ?? Promise.resolve(isNobodyThere) },
      clock,
      bury: (id) => {
        said.push(`bury ${id}`);
        return Promise.resolve(isFree);
      },
      onDeath: () => void said.push("dead"),
      log,
    });
    await table.refresh();
    await liveness.suspect(TWO);
    expect(said).toEqual([]);
    // Nobody waits past the deadline.
    silence = Promise.withResolvers<boolean>();
    const bounded = liveness.suspect(TWO, clock.monotonic() + 100);
    await clock.advance(100);
    expect(Bun.peek.status(bounded)).toBe("fulfilled");
    silence.resolve(false);
    await settle();
    silence = null;
    isNobodyThere = true;
    await liveness.suspect(TWO);
    expect(said).toEqual(["bury rpl_2"]);
    isFree = true;
    await liveness.suspect(TWO);
    expect(said).toEqual(["bury rpl_2", "bury rpl_2", "dead"]);
    await liveness.suspect(ONE);
    expect(said).toHaveLength(3);
    owner = "dead";
    const again = table.refresh();
    await clock.advance(100);
    await again;
    expect(gone).toEqual(["rpl_2"]);
  });
});

describe("the relay", () => {
  const frame = (seq: number) => `event: x\ndata: {"seq":${seq}}\nid: ${seq}\n\n`;
  const closing = (reason: string) => `event: stream.closing\ndata: {"reason":"${reason}","resume_after":null}\n\n`;
  /** A body of these pieces, which then ends or breaks. */
  const body = (pieces: readonly string[], isBroken = false) => {
    const left = [...pieces];
    const pull = (sink: ReadableStreamDefaultController<Uint8Array>): void => {
      const piece = left.shift();
      if (piece !== undefined) sink.enqueue(new TextEncoder().encode(piece));
      else if (isBroken) sink.error(new Error("cut"));
      else sink.close();
    };
    return new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 });
  };
  const request = new Request("http://client/api/chats/c/events");
  /** What a client is told of the first body and of those that follow, and where each was asked for. */
  async function told(first: ReadableStream<Uint8Array>, ...more: (ReadableStream<Uint8Array> | null)[]) {
    const cursors: (string | null)[] = [];
    let ends = 0;
    const again = (cursor: string | null) => {
      cursors.push(cursor);
      const next = more.shift() ?? null;
      return Promise.resolve(next === null ? 0 : { body: next, end: () => {} });
    };
    const headers = { "content-type": "text/event-stream; charset=utf-8" };
    const response = await relayResponse(new Response(first, { headers }), {
      request,
      onEnd: () => void ends++,
      again,
      cursor: null,
    });
    return { text: await response.text(), cursors, ends };
  }

  test("[REP-5] a moved stream continues after its last whole event, however its bytes are split", async () => {
    const cut = (frame(1) + frame(2) + frame(3).slice(0, 9)).split("");
    const end = await told(body(cut, true), body([frame(3) + frame(4)]));
    expect(end).toEqual({ text: [1, 2, 3, 4].map(frame).join(""), cursors: ["2"], ends: 1 });
    for (const reason of ["deploy", "moved", "unavailable"]) {
      const moved = await told(body([frame(1), frame(2) + closing(reason)]), body([closing(reason)]), body([frame(3)]));
      expect(moved).toEqual({ text: [1, 2, 3].map(frame).join(""), cursors: ["2", "2"], ends: 1 });
    }
  });

  test("[REP-5] the client learns of an end that is meant for it, and of one that cannot be repaired", async () => {
    const revoked = await told(body([frame(1) + closing("revoked")]));
    expect(revoked).toEqual({ text: frame(1) + closing("revoked"), cursors: [], ends: 1 });
    const lost = await told(body([frame(1) + closing("moved")]));
    expect(lost).toEqual({ text: frame(1) + closing("moved"), cursors: ["1"], ends: 1 });
  });
});
