/** Uploads give way to other work: order, slices and pauses, on a clock and a loop that the test moves. */
import { expect, test } from "bun:test";
import { LEAST_PART } from "../../../actors/runtime/fairness/bulk-work.ts";
import {
  BodyPace,
  BODY_ENDING_MS,
  MOST_BODY_WAIT_MS,
  MS_PER_BYTE,
  type PacedBody,
  QUIET_BODY_PART,
  READ_AT_ONCE_BYTES,
  WITH_FOLLOWING,
} from "../../../src/http/body/body-pace.ts";
import { Bodies, STREAM_BYTES_PER_SECOND } from "../../../src/http/body/bodies.ts";
import { StreamedBody } from "../../../src/http/body/raw-body.ts";
import { FakeClock, settle } from "../../support/fake-clock.ts";

const MIB = 1024 * 1024;
/** A piece as Bun has it ready when a body has waited. */
const PIECE = MIB;
/** What others wait for beside a loop that is busy, after a piece. */
const PAUSE_MS = PIECE * MS_PER_BYTE * (1 / LEAST_PART - 1);

/** Beside others that use this part of the loop, with the turns and commits that follow from it. */
function rig(busyPart: number) {
  const clock = new FakeClock();
  const time = { directPart: busyPart / WITH_FOLLOWING };
  const pace = new BodyPace({ time, clock, later: (run) => void clock.after(0, run) });
  const read: { readonly name: string; readonly at: number }[] = [];
  /** Reads a piece each time that it may. */
  const begin = (organizationId: string, name: string, pieces: number): PacedBody => {
    const body = pace.begin(organizationId);
    const run = async (): Promise<void> => {
      for (let i = 0; i < pieces; i++) {
        await body.turn();
        read.push({ name, at: clock.monotonic() });
        body.arrived(PIECE);
      }
      await body.turn();
      body.ended();
      read.push({ name: `${name} ends`, at: clock.monotonic() });
    };
    void run();
    return body;
  };
  return { clock, time, pace, read, begin, names: () => read.map(({ name }) => name) };
}

test("[FAIR-10] while nobody else is active bodies are read as they arrive", async () => {
  const { begin, names, clock } = rig(QUIET_BODY_PART / 2);
  begin("a", "x", 20);
  begin("b", "y", 20);
  await settle();
  expect(names()).toHaveLength(42);
  expect(clock.pending).toBe(0);
});

test("[FAIR-10] a small body never waits for the work of others", async () => {
  const { pace, begin, names } = rig(1);
  begin("a", "large", 100);
  for (let n = 0; n < 50; n++) {
    const small = pace.begin("a");
    small.arrived(READ_AT_ONCE_BYTES);
    expect(small.turn()).toBeNull();
    small.ended();
  }
  await settle();
  expect(names()).toEqual(["large"]);
});

test("[FAIR-10] beside other work bodies get an eighth of the time, one piece after the other", async () => {
  const { begin, read, clock } = rig(0.5);
  for (const name of ["x", "y", "z"]) begin("a", name, 100);
  await clock.advance(0);
  const before = read.length;
  await clock.advance(50 * PAUSE_MS);
  const after = read.slice(before);
  expect(after.length).toBeGreaterThan(45);
  expect(after.length).toBeLessThanOrEqual(50);
  // Never two at the same moment.
  expect(new Set(after.map(({ at }) => at)).size).toBe(after.length);
});

test("[FAIR-10] the less other work there is, the more bodies are read", async () => {
  const counts: number[] = [];
  for (const busyPart of [0.5, 0.04, 0.02]) {
    const { begin, read, clock } = rig(busyPart);
    begin("a", "x", 10_000);
    await clock.advance(1_000);
    counts.push(read.length);
  }
  const [least = 0, more = 0, most = 0] = counts;
  expect(more).toBeGreaterThan(2 * least);
  expect(most).toBeGreaterThan(2 * more);
});

test("[FAIR-10] organizations take turns, and so do the bodies of one", async () => {
  const { begin, names, clock } = rig(0.5);
  for (const name of ["a1", "a2", "a3"]) begin("a", name, 50);
  begin("b", "b1", 50);
  await clock.advance(12.5 * PAUSE_MS);
  const order = names().slice(4);
  expect(order.slice(0, 8)).toEqual(["a1", "b1", "a2", "b1", "a3", "b1", "a1", "b1"]);
});

test("[FAIR-10] bodies that end together are finished one after the other", async () => {
  const { begin, read, clock } = rig(0.5);
  for (let n = 0; n < 10; n++) begin("a", `x${n}`, 1);
  await clock.advance(10 * (PAUSE_MS + BODY_ENDING_MS / LEAST_PART));
  const ends = read.filter(({ name }) => name.endsWith("ends")).map(({ at }) => at);
  expect(ends).toHaveLength(10);
  for (const [i, at] of ends.slice(1).entries())
    expect(at - ends[i]!).toBeGreaterThanOrEqual(Math.floor(PAUSE_MS + BODY_ENDING_MS * (1 / LEAST_PART - 1)));
});

test("[FAIR-10] however many bodies wait, of whichever organization, none waits for long", async () => {
  const { begin, read, clock } = rig(1);
  for (let n = 0; n < 900; n++) begin("many", `m${n}`, 40);
  for (let n = 0; n < 30; n++) begin(`one${n}`, `o${n}`, 4_000);
  await clock.advance(6 * MOST_BODY_WAIT_MS);
  const last = new Map<string, number>();
  let longest = 0;
  for (const { name, at } of read) {
    longest = Math.max(longest, at - (last.get(name) ?? at));
    last.set(name, at);
  }
  for (const at of last.values()) longest = Math.max(longest, clock.monotonic() - at);
  expect(last.size).toBe(930);
  expect(longest).toBeLessThanOrEqual(2 * MOST_BODY_WAIT_MS);
});

test("[FAIR-10] [FAIR-6] no body times out while it waits for its turn, and a streamed body is read at its turn", async () => {
  const { clock, pace, begin } = rig(1);
  // What has arrived before a body waits is worth more than the longest waits.
  expect((READ_AT_ONCE_BYTES / STREAM_BYTES_PER_SECOND) * 1_000).toBeGreaterThan(20 * MOST_BODY_WAIT_MS);
  const bodies = new Bodies(clock, 64 * MIB, pace);
  const begun = bodies.beginStream({ organizationId: "a", tokenId: "a1" }, MIB);
  const hold = begun.ok ? begun.value : null;
  let pulled = 0;
  const body = new ReadableStream<Uint8Array>({ pull: (sink) => sink.enqueue(new Uint8Array(++pulled && PIECE)) });
  const streamed = new StreamedBody({ body, headers: new Headers() }, 64 * MIB, { hold, isHashed: false });
  expect((await streamed.read()).value).toHaveLength(PIECE);
  for (let n = 0; n < 1_000; n++) begin("a", `x${n}`, 10_000);
  // They wait before it.
  await settle();
  const next = streamed.read();
  await clock.advance(MOST_BODY_WAIT_MS / 2);
  // One that nobody has asked for yet is in the stream.
  expect(pulled).toBe(2);
  await clock.advance(2 * MOST_BODY_WAIT_MS);
  expect((await next).value).toHaveLength(PIECE);
  expect([streamed.fault, bodies.usage.count]).toEqual([null, 1]);
});
