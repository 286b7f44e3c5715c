/** The parts of a replica's way to the others, each by itself. */
import { describe, expect, test } from "bun:test";
import { SHARD_COUNT, shardOf } from "../../actors/runtime/placement.ts";
import { Liveness } from "../../src/peers/liveness.ts";
import { PeerKey } from "../../src/peers/peer-key.ts";
import { PlacementTable } from "../../src/peers/placement-table.ts";
import { relayed } from "../../src/peers/relay.ts";
import { OWNER_WAIT_MS, Routing } from "../../src/peers/routing.ts";
import { FakeClock, settle } from "../support/fake-clock.ts";

const ORG = "org_a";
const ONE = { id: "rpl_1", url: "http://one" };
const TWO = { id: "rpl_2", url: "http://two" };

describe("the key", () => {
  const call = { to: "rpl_1", method: "POST", target: "/api/tasks?x=1", client: "10.0.0.1" };

  test("[REP-4] a seal holds for one call, one replica, one key and a minute", () => {
    let now = 1_000_000;
    const key = new PeerKey([new Uint8Array(32).fill(1)], () => now);
    const seal = key.seal(call);
    expect(key.isOurs(call, seal)).toBe(true);
    for (const other of [{ to: "rpl_2" }, { method: "GET" }, { target: "/api/tasks" }, { client: "10.0.0.2" }])
      expect(key.isOurs({ ...call, ...other }, seal)).toBe(false);
    expect(new PeerKey([new Uint8Array(32).fill(2)], () => now).isOurs(call, seal)).toBe(false);
    // While the key is changed, some replicas seal under the one and some under the other.
    const both = new PeerKey([new Uint8Array(32).fill(2), new Uint8Array(32).fill(1)], () => now);
    expect([both.isOurs(call, seal), key.isOurs(call, both.seal(call))]).toEqual([true, false]);
    for (const bad of [null, "", "x", `${now}.`, `${now + 1}.${seal.split(".")[1]}`])
      expect(key.isOurs(call, bad)).toBe(false);
    now += 60_001;
    expect(key.isOurs(call, seal)).toBe(false);
  });
});

/** A table that says what the test wants. */
function tableOf(clock: FakeClock, owner: () => string | null, gone: string[] = []) {
  const read = () =>
    Promise.resolve({
      replicas: [ONE, TWO].filter(({ id }) => id !== "rpl_2" || owner() !== "dead"),
      owners: new Map(Array.from({ length: SHARD_COUNT }, (_, shard) => [shard, owner() ?? "nobody"])),
    });
  return new PlacementTable({ read }, clock, (id) => void gone.push(id));
}

describe("routing", () => {
  test("[REP-4] an organization without an owner is looked for, and given up after a while", async () => {
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

  test("[REP-2] a hold waits for the requests under way, and new ones wait for the new owner", async () => {
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
    // One that does not end holds nothing up for long.
    routing.begin(ORG);
    const late = routing.hold(new Set([shardOf(ORG)]));
    await clock.advance(1_000);
    (await late)();
  });

  test("[REP-6] two witnesses make a death, and calls to the dead are given up", async () => {
    const clock = new FakeClock();
    let owner = "rpl_2";
    const gone: string[] = [];
    const table = tableOf(clock, () => owner, gone);
    const said: string[] = [];
    let isNobodyThere = false;
    let isFree = false;
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    const liveness = new Liveness({
      self: "rpl_1",
      table,
      client: { isNobodyThere: () => Promise.resolve(isNobodyThere) },
      clock,
      bury: (id) => {
        said.push(`bury ${id}`);
        return Promise.resolve(isFree);
      },
      onDeath: () => void said.push("dead"),
      log,
    });
    await liveness.suspect(TWO);
    expect(said).toEqual([]);
    isNobodyThere = true;
    await liveness.suspect(TWO);
    expect(said).toEqual(["bury rpl_2"]);
    isFree = true;
    await liveness.suspect(TWO);
    expect(said).toEqual(["bury rpl_2", "bury rpl_2", "dead"]);
    await liveness.suspect(ONE);
    expect(said).toHaveLength(3);
    await table.refresh();
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
      return Promise.resolve(more.shift() ?? null);
    };
    const headers = { "content-type": "text/event-stream; charset=utf-8" };
    const response = await relayed(new Response(first, { headers }), { request, onEnd: () => void ends++, again });
    return { text: await response.text(), cursors, ends };
  }

  test("[REP-5] a stream that moves goes on behind its last whole event, however its bytes are cut", async () => {
    const cut = (frame(1) + frame(2) + frame(3).slice(0, 9)).split("");
    const end = await told(body(cut, true), body([frame(3) + frame(4)]));
    expect(end).toEqual({ text: [1, 2, 3, 4].map(frame).join(""), cursors: ["2"], ends: 1 });
    for (const reason of ["deploy", "moved", "unavailable"]) {
      const moved = await told(body([frame(1), frame(2) + closing(reason)]), body([closing(reason)]), body([frame(3)]));
      expect(moved).toEqual({ text: [1, 2, 3].map(frame).join(""), cursors: ["2", "2"], ends: 1 });
    }
  });

  test("[REP-5] an end that is meant for the client is told, and so is one that nobody can mend", async () => {
    const revoked = await told(body([frame(1) + closing("revoked")]));
    expect(revoked).toEqual({ text: frame(1) + closing("revoked"), cursors: [], ends: 1 });
    const lost = await told(body([frame(1) + closing("moved")]));
    expect(lost).toEqual({ text: frame(1) + closing("moved"), cursors: ["1"], ends: 1 });
  });
});
