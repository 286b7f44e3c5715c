import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { KEPT_PIECE_CHARS } from "../../../actors/runtime/streams/live-text.ts";
import {
  type Cursor,
  LIVE_TEXT_CHARS,
  Replay,
  RING_BYTES,
  RING_EVENTS,
  type StreamItem,
} from "../../../actors/runtime/streams/replay.ts";
import { valueSize } from "../../../actors/runtime/sizes.ts";
import type { StoredEvent } from "../../../actors/runtime/store.ts";
import { said } from "../../support/ledger-replica.ts";

/** Characters of live text among the items. */
const textIn = (items: readonly StreamItem[]): number =>
  items.reduce((chars, item) => chars + (item.kind === "text" ? item.text.length : 0), 0);
/** Characters of live text that somebody who reads from the beginning would be given. */
const held = (replay: Replay): number =>
  (replay as unknown as { texts: { pieces: string[] }[] }).texts.reduce(
    (chars, { pieces }) => chars + pieces.join("").length,
    0,
  );

const event = (seq: number, data: StoredEvent["data"] = {}): StoredEvent => ({ seq, type: "added", at: "", data });
const cursorAt = (seq: number): Cursor => ({ seq, live: null, position: 0 });
const published = (from: number, to: number, replay = new Replay()): Replay => {
  for (let seq = from; seq <= to; seq++) replay.publish(event(seq));
  return replay;
};

describe("the ring", () => {
  test("[RT-8] holds 256 events; one more drops the oldest", () => {
    const replay = published(1, RING_EVENTS);
    expect(replay.covers(0)).toBe(true);
    replay.publish(event(RING_EVENTS + 1));
    expect([replay.covers(0), replay.covers(1)]).toEqual([false, true]);
    expect(replay.take(cursorAt(1)).length).toBe(RING_EVENTS);
  });

  test("[RT-8] holds 256 KiB, and the newest event whatever its size", () => {
    const replay = new Replay();
    const data = { text: "x".repeat(1_000) };
    const each = 128 + "added".length + valueSize(data);
    const fits = Math.floor(RING_BYTES / each);
    for (let seq = 1; seq <= fits; seq++) replay.publish(event(seq, data));
    expect(replay.covers(0)).toBe(true);
    replay.publish(event(fits + 1, data));
    expect([replay.covers(0), replay.covers(1)]).toEqual([false, true]);
    replay.publish(event(fits + 2, { text: "x".repeat(RING_BYTES) }));
    expect(said(replay.take(cursorAt(fits + 1)))).toEqual([`${fits + 2}`]);
    expect(replay.covers(fits)).toBe(false);
  });

  test("[RT-8] a known event is not published twice, and a gap forgets the events before it", () => {
    const replay = published(1, 3);
    replay.publish(event(2));
    expect(said(replay.take(cursorAt(0)))).toEqual(["1", "2", "3"]);
    replay.publish(event(7));
    expect([replay.covers(3), replay.covers(6), replay.head]).toEqual([false, true, 7]);
  });

  test("[RT-8] holds 1 Mi characters of live text; a reader further behind gets no more of that message", () => {
    const replay = published(1, 1);
    replay.beginText("m", 1, "");
    const [early, caughtUp] = [cursorAt(1), cursorAt(1)];
    const piece = "x".repeat(1_024);
    for (let at = 0; at < LIVE_TEXT_CHARS; at += piece.length) replay.addText("m", piece);
    expect(textIn(replay.take(cursorAt(1)))).toBe(LIVE_TEXT_CHARS);
    expect(textIn(replay.take(caughtUp))).toBe(LIVE_TEXT_CHARS);
    replay.addText("m", "one more");
    expect(textIn(replay.take(caughtUp))).toBe("one more".length);
    expect(replay.take(early)).toEqual([]);
    replay.publish(event(2));
    replay.addText("m", "!");
    expect(said(replay.take(early))).toEqual(["2"]);
    expect(said(replay.take(caughtUp))).toEqual(["2", `"!"@${LIVE_TEXT_CHARS + 9}`]);
    replay.endText("m");
    replay.beginText("n", 1, "next");
    expect(said(replay.take(early))).toEqual(['"next"@4']);
  });

  test("[RT-8] the texts of many short messages have a common limit, and are evicted with the events within them", () => {
    const replay = new Replay();
    const text = "x".repeat(LIVE_TEXT_CHARS / 4);
    for (let seq = 1; seq <= 8; seq++) {
      replay.beginText(`m${seq}`, 1, text);
      replay.publish(event(seq));
      replay.endText(`m${seq}`);
    }
    expect(held(replay)).toBeLessThanOrEqual(LIVE_TEXT_CHARS);
    expect(held(replay)).toBeGreaterThan(0);
    published(9, 8 + RING_EVENTS, replay);
    expect(held(replay)).toBe(0);
  });

  test("[RT-8] a text is kept in few pieces, complete and at its positions, while it is written and afterwards", () => {
    const replay = published(1, 1);
    replay.beginText("m", 1, "");
    const words = Array.from({ length: 5_000 }, (_, i) => `word ${i} `);
    for (const word of words) replay.addText("m", word);
    replay.publish(event(2));
    const pieces = (): string[] => (replay as unknown as { texts: { pieces: string[] }[] }).texts[0]!.pieces;
    const whole = words.join("");
    // What came last may still be in small ones.
    expect(pieces().length).toBeLessThan(whole.length / 1_024 + 1_024 / words[0]!.length);
    expect(replay.textBetween({ messageId: "m", attempt: 1 }, 1_000, 30_000)).toBe(whole.slice(1_000, 30_000));
    replay.endText("m");
    expect(pieces()).toHaveLength(Math.ceil(whole.length / KEPT_PIECE_CHARS));
    for (const [from, to] of [
      [0, whole.length],
      [KEPT_PIECE_CHARS - 3, KEPT_PIECE_CHARS + 20],
      [whole.length - 5, whole.length],
    ] as const)
      expect(replay.textBetween({ messageId: "m", attempt: 1 }, from, to)).toBe(whole.slice(from, to));
  });

  test("[RT-8] invalidate forgets everything, and lets the readers check again", () => {
    const replay = published(1, 3);
    replay.beginText("m", 1, "abc");
    let woken = 0;
    replay.waiting.add(() => woken++);
    replay.invalidate();
    expect([replay.head, replay.hasLiveText, replay.generation, woken]).toEqual([null, false, 1, 1]);
    expect(replay.take(cursorAt(1))).toEqual([]);
  });
});

describe("live text", () => {
  test("[SSE-3] text and events come in the order in which they were made, however late the reader", () => {
    const replay = published(1, 1);
    replay.beginText("m", 1, "");
    replay.addText("m", "ab");
    replay.publish(event(2));
    replay.addText("m", "cd");
    replay.addText("m", "e");
    replay.publish(event(3));
    replay.addText("m", "f");
    expect(said(replay.take(cursorAt(0)))).toEqual(["1", '"ab"@2', "2", '"cde"@5', "3", '"f"@6']);
  });

  test("[SSE-3] the position counts UTF-16 units, from where the committed text ends", () => {
    const replay = new Replay();
    replay.beginText("m", 2, "done ");
    replay.addText("m", "\ud83d\ude00");
    const cursor = cursorAt(4);
    const [delta] = replay.take(cursor) as [StreamItem];
    expect(delta).toEqual({
      kind: "text",
      messageId: "m",
      attempt: 2,
      afterSeq: 4,
      position: 7,
      text: "done \ud83d\ude00",
    });
    replay.addText("m", "!");
    expect(said(replay.take(cursor))).toEqual(['"!"@8']);
    expect(replay.take(cursor)).toEqual([]);
  });

  test("[SSE-3] after the end no reader gets live text; a reader behind gets it up to its last event", () => {
    const replay = new Replay();
    replay.beginText("m", 1, "");
    replay.addText("m", "ab");
    replay.publish(event(1));
    replay.addText("m", "never seen by who comes late");
    replay.endText("m");
    expect(said(replay.take(cursorAt(0)))).toEqual(['"ab"@2', "1"]);
    expect(replay.take(cursorAt(1))).toEqual([]);
  });

  test("[SSE-3] another attempt begins at 0 again; text of another message is not mixed in", () => {
    const replay = new Replay();
    const cursor = cursorAt(0);
    replay.beginText("m", 1, "");
    replay.addText("m", "abc");
    replay.take(cursor);
    replay.beginText("m", 2, "ab");
    replay.addText("other", "x");
    replay.endText("other");
    expect(said(replay.take(cursor))).toEqual(['"ab"@2']);
  });
});

type Step =
  | { readonly kind: "publish" }
  | { readonly kind: "add"; readonly text: string }
  | { readonly kind: "begin" }
  | { readonly kind: "take"; readonly reader: number };

const READERS = 3;
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant({ kind: "publish" } as const) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("add" as const),
        text: fc.string({ minLength: 1, maxLength: 5, unit: "binary" }),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: "begin" } as const) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("take" as const), reader: fc.nat(READERS - 1) }) },
  ),
  { maxLength: 120 },
);

/** Units one by one, so that text that was split differently compares equal. */
function units(items: readonly StreamItem[]): string[] {
  return items.flatMap((item) =>
    item.kind === "event"
      ? [`event ${item.event.seq}`]
      : [...Array(item.text.length).keys()].map(
          (i) => `${item.attempt}:${item.position - item.text.length + i}:${item.text.charCodeAt(i)}`,
        ),
  );
}

test("[RT-8] any interleaving of events, text and readers gives each reader the same sequence", () => {
  fc.assert(
    fc.property(steps, (script) => {
      const replay = new Replay();
      const made: string[] = [];
      const got: string[][] = Array.from({ length: READERS }, () => []);
      const cursors = got.map(() => cursorAt(0));
      let seq = 0;
      let attempt = 0;
      let length = 0;
      const begin = (): void => {
        replay.beginText("m", ++attempt, "");
        length = 0;
      };
      const publish = (): void => {
        replay.publish(event(++seq));
        made.push(`event ${seq}`);
      };
      begin();
      for (const step of script) {
        if (step.kind === "publish") publish();
        else if (step.kind === "begin") {
          // As the job does: a new attempt is preceded by a durable event, so all text before it has a mark.
          publish();
          begin();
        } else if (step.kind === "add") {
          replay.addText("m", step.text);
          for (let i = 0; i < step.text.length; i++) made.push(`${attempt}:${length++}:${step.text.charCodeAt(i)}`);
        } else got[step.reader]!.push(...units(replay.take(cursors[step.reader]!)));
      }
      got.forEach((items, reader) => items.push(...units(replay.take(cursors[reader]!))));
      for (const items of got) expect(items).toEqual(made);
    }),
    { numRuns: 300 },
  );
});
