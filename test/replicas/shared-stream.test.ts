/** One connection to an owner for all readers of a stream: places in what it tells, and doors by which it is opened. */
import { expect, test } from "bun:test";
import { QUIET } from "../../src/http/stream/event-source.ts";
import { type Again, type OwnerAnswer } from "../../src/peers/owner-events.ts";
import { type ReaderDoor, type ReaderPlace, SHARED_RING_BYTES, SharedStream } from "../../src/peers/shared-stream.ts";
import { settle } from "../support/fake-clock.ts";

const frame = (seq: number, data = "{}") => `event: x\ndata: ${data}\nid: ${seq}\n\n`;
const closing = (reason: string) => `event: stream.closing\ndata: {"reason":"${reason}","resume_after":null}\n\n`;

/** An owner that tells what the test says. */
class Owner {
  sink: ReadableStreamDefaultController<Uint8Array> | null = null;
  pulled = 0;
  isGivenUp = false;
  readonly answer: OwnerAnswer = {
    body: new ReadableStream<Uint8Array>(
      { start: (sink) => void (this.sink = sink), pull: () => void this.pulled++ },
      { highWaterMark: 0 },
    ),
    end: () => (this.isGivenUp = true),
  };

  async tell(text: string): Promise<void> {
    this.sink!.enqueue(new TextEncoder().encode(text));
    await settle();
  }
}

class Shared {
  readonly ended: string[] = [];
  /** Doors whose readers alone were ended. */
  readonly refused: string[] = [];
  isEmpty = false;
  readonly stream = new SharedStream(
    (tokenId, reason) => void this.ended.push(`${tokenId} ${reason}`),
    () => void (this.isEmpty = true),
  );

  door(tokenId: string, again: Again = () => Promise.resolve(0)): ReaderDoor {
    const door = { tokenId, again, end: () => void this.refused.push(tokenId) };
    this.stream.enter(door);
    return door;
  }

  /** All that is there for the place. */
  taken(place: ReaderPlace): string {
    let text = "";
    for (;;) {
      const taken = this.stream.take(place);
      if (taken === null) return `${text}END`;
      if (taken === QUIET) return text;
      text += taken.toString();
    }
  }
}

const never: Owner["answer"] = { body: new ReadableStream<Uint8Array>(), end: () => {} };

test("[REP-11] readers share one connection, each from its own position, and the last one closes it", async () => {
  const shared = new Shared();
  const owner = new Owner();
  const [one, two] = [shared.door("tok_1"), shared.door("tok_2")];
  const first = shared.stream.begin(one, owner.answer, null)!;
  expect(shared.taken(first)).toBe("");
  await owner.tell(frame(1) + frame(2));
  // Nobody knows where a reader stands that has been told nothing; one that has 1 goes on with 2.
  expect(shared.stream.begin(two, never, null)).toBeNull();
  const second = shared.stream.placeBehind("1")!;
  expect([shared.taken(first), shared.taken(second)]).toEqual([frame(1) + frame(2), frame(2)]);
  expect(shared.stream.placeBehind("7")).toBeNull();
  const third = shared.stream.fork(first);
  await owner.tell(frame(3));
  expect([first, second, third].map((place) => shared.taken(place))).toEqual([frame(3), frame(3), frame(3)]);
  shared.stream.leave(one);
  expect([owner.isGivenUp, shared.isEmpty]).toEqual([false, false]);
  shared.stream.leave(two);
  expect([owner.isGivenUp, shared.isEmpty]).toEqual([true, true]);
});

test("[REP-11] the fastest reader sets the pace, and a reader far behind gets a connection of its own", async () => {
  const shared = new Shared();
  const owner = new Owner();
  const fast = shared.stream.begin(shared.door("tok_1"), owner.answer, null)!;
  const slow = shared.stream.fork(fast);
  const big = frame(1, `"${"x".repeat(SHARED_RING_BYTES / 4)}"`);
  expect(shared.taken(fast)).toBe("");
  // Without anybody who wants more nothing is read.
  await owner.tell(big);
  const pulled = owner.pulled;
  await settle();
  expect(owner.pulled).toBe(pulled);
  for (let i = 0; i < 5; i++) {
    expect(shared.taken(fast).length).toBe(big.length);
    await owner.tell(big);
  }
  expect(shared.stream.take(slow)).toBe("behind");
  expect(shared.stream.keptBytes).toBeLessThanOrEqual(SHARED_RING_BYTES + big.length);
  shared.stream.giveUp(slow);
  expect(shared.taken(fast).length).toBe(big.length);
  await owner.tell(frame(2));
  // Whatever all have is not kept for long.
  expect(shared.stream.keptBytes).toBeLessThan(2 * big.length);
});

test("[REP-11] when the token that opened the connection ends, its readers end and the others continue with another token", async () => {
  const shared = new Shared();
  const [former, next] = [new Owner(), new Owner()];
  const cursors: (string | null)[] = [];
  const revoked = shared.door("tok_1");
  const place = shared.stream.begin(revoked, former.answer, null)!;
  shared.door("tok_2", (cursor) => {
    cursors.push(cursor);
    return Promise.resolve(next.answer);
  });
  expect(shared.taken(place)).toBe("");
  await former.tell(frame(1));
  expect(shared.taken(place)).toBe(frame(1));
  await former.tell(closing("revoked"));
  expect([shared.ended, former.isGivenUp]).toEqual([["tok_1 revoked"], true]);
  expect(shared.taken(place)).toBe("");
  await settle();
  await next.tell(frame(2));
  expect([shared.taken(place), cursors]).toEqual([frame(2), ["1"]]);
});

test("[REP-11] a token that the new owner refuses is skipped, and its readers end", async () => {
  const shared = new Shared();
  const [former, next] = [new Owner(), new Owner()];
  const place = shared.stream.begin(
    shared.door("tok_1", () => Promise.resolve(401)),
    former.answer,
    "4",
  )!;
  shared.door("tok_2", () => Promise.resolve(next.answer));
  expect(shared.taken(place)).toBe("");
  await former.tell(closing("moved"));
  await settle();
  await next.tell(frame(5));
  expect([shared.taken(place), shared.ended]).toEqual([frame(5), ["tok_1 revoked"]]);
  next.sink!.close();
  expect(shared.taken(place)).toBe("");
  await settle();
  expect(shared.taken(place)).toBe("END");
});

test("[REP-11] a reader on its own connection, opened with another reader's token, continues when that token ends", async () => {
  const shared = new Shared();
  const [common, first, next] = [new Owner(), new Owner(), new Owner()];
  shared.stream.begin(
    shared.door("tok_1", () => Promise.resolve(first.answer)),
    common.answer,
    null,
  );
  shared.door("tok_2", () => Promise.resolve(next.answer));
  const events = shared.stream.apart("3");
  const told = events.next();
  await settle();
  await first.tell(closing("revoked"));
  expect([shared.ended, first.isGivenUp, common.isGivenUp]).toEqual([["tok_1 revoked"], true, false]);
  await next.tell(frame(4));
  expect(await told).toEqual({ kind: "events", bytes: Buffer.from(frame(4)) });
  events.close();
  expect(next.isGivenUp).toBe(true);
});

test("[REP-11] a reader without access to the record ends, and nothing else of its token does", async () => {
  const shared = new Shared();
  const [former, next] = [new Owner(), new Owner()];
  const refused = shared.door("tok_1", () => Promise.resolve(403));
  const place = shared.stream.begin(refused, former.answer, "4")!;
  shared.door("tok_2", () => Promise.resolve(next.answer));
  expect(shared.taken(place)).toBe("");
  await former.tell(closing("moved"));
  await settle();
  await next.tell(frame(5));
  expect([shared.taken(place), shared.ended, shared.refused]).toEqual([frame(5), [], ["tok_1"]]);
});

test("[REP-11] a watch of the shared stream runs at its next change and leaves nothing behind", async () => {
  const shared = new Shared();
  const owner = new Owner();
  const place = shared.stream.begin(shared.door("tok_1"), owner.answer, null)!;
  const changes: string[] = [];
  const forget = shared.stream.watch(() => void changes.push("forgotten"));
  shared.stream.watch(() => void changes.push("first"));
  forget();
  for (const seq of [1, 2]) {
    shared.taken(place);
    await owner.tell(frame(seq));
  }
  expect(changes).toEqual(["first"]);
});
