/** How bodies from outside are read: a bounded part of all of them in a turn of the event loop, and without copies. */
import { expect, test } from "bun:test";
import { Slices } from "../../actors/runtime/fairness/slices.ts";
import { boundedStream, READ_SLICE_BYTES, readWholeBody, readingSlices, ReadBody } from "../../src/egress/body.ts";
import { Deadline } from "../../src/egress/deadline.ts";

const PIECE_BYTES = 64 * 1024;
const PIECES = 16;
const ALL = PIECES * PIECE_BYTES;
const PIECES_OF_SLICE = READ_SLICE_BYTES / PIECE_BYTES;

/** A body that is there already; `onRead` is told of each piece that is read. */
function waiting(onRead: () => void = () => {}): { readonly response: Response; readonly pieces: Uint8Array[] } {
  const pieces = Array.from({ length: PIECES }, (_, i) => new Uint8Array(PIECE_BYTES).fill(i));
  let next = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = pieces[next++];
        if (piece === undefined) return controller.close();
        onRead();
        controller.enqueue(piece);
      },
    },
    { highWaterMark: 0 },
  );
  return { response: new Response(body), pieces };
}

const deadline = (): Deadline => new Deadline(60_000);

/** Pieces that were read in each slice. */
function counts(slices: Slices): { readonly perTurn: Map<number, number>; readonly note: () => void } {
  const perTurn = new Map<number, number>();
  return { perTurn, note: () => void perTurn.set(slices.turns, (perTurn.get(slices.turns) ?? 0) + 1) };
}

test("[FAIR-9] of many bodies that arrive together a limited part is read before the event loop turns", async () => {
  const slices = readingSlices();
  const { perTurn, note } = counts(slices);
  const bodies = await Promise.all(
    Array.from({ length: 16 }, () => readWholeBody(waiting(note).response, ALL, deadline(), { slices, lane: "a" })),
  );
  expect(bodies.map((body) => body.kind === "body" && body.bytes.length)).toEqual(bodies.map(() => ALL));
  expect([...perTurn.values()].reduce((sum, pieces) => sum + pieces)).toBe(16 * PIECES);
  expect(Math.max(...perTurn.values())).toBeLessThanOrEqual(PIECES_OF_SLICE);
});

test("[FAIR-9] a streamed body is read in the same slices", async () => {
  const slices = readingSlices();
  const { perTurn, note } = counts(slices);
  const read = async (): Promise<number> => {
    let bytes = 0;
    const { response } = waiting(note);
    for await (const piece of boundedStream(response, ALL, deadline(), { slices, lane: "a" })) bytes += piece.length;
    return bytes;
  };
  expect(await Promise.all([read(), read(), read(), read()])).toEqual([ALL, ALL, ALL, ALL]);
  expect(Math.max(...perTurn.values())).toBeLessThanOrEqual(PIECES_OF_SLICE);
});

test("[FAIR-9] bodies of organizations are read in turn: one does not wait for sixteen of another", async () => {
  const slices = readingSlices();
  const done: string[] = [];
  const read = async (lane: string): Promise<void> => {
    await readWholeBody(waiting().response, ALL, deadline(), { slices, lane });
    done.push(lane);
  };
  await Promise.all([...Array.from({ length: 16 }, () => read("a")), read("b")]);
  expect(done[0]).toBe("b");
});

test("[FAIR-9] a piece that is larger than was expected counts in full", async () => {
  const slices = readingSlices();
  const source = new ReadableStream<Uint8Array>({ pull: (it) => it.enqueue(new Uint8Array(READ_SLICE_BYTES)) });
  const reader = boundedStream(new Response(source), READ_SLICE_BYTES, deadline(), { slices, lane: "a" }).getReader();
  await reader.read();
  expect(slices.turns).toBe(0);
  expect(slices.take(1)).not.toBeNull();
  await reader.cancel();
});

test("[FAIR-9] of bodies with a long declared length one begins per slice", async () => {
  const slices = readingSlices();
  const { perTurn, note } = counts(slices);
  const read = (): Promise<unknown> => {
    const { response } = waiting(note);
    response.headers.set("content-length", String(ALL));
    return boundedStream(response, ALL, deadline(), { slices, lane: "a" }).getReader().read();
  };
  await Promise.all(Array.from({ length: 8 }, read));
  expect([...perTurn.values()]).toEqual(Array<number>(8).fill(1));
});

test("[FAIR-9] an invalid length reserves no room for a body", async () => {
  for (const length of ["-1000000000", "", "1e3", "x"]) {
    const slices = readingSlices();
    const { response } = waiting();
    response.headers.set("content-length", length);
    const reader = boundedStream(response, ALL, deadline(), { slices, lane: "a" }).getReader();
    for (let piece = 0; piece < PIECES_OF_SLICE; piece++) await reader.read();
    expect(slices.take(READ_SLICE_BYTES)).not.toBeNull();
    await reader.cancel();
  }
});

test("[FAIR-9] a body is kept in the pieces in which it arrived, and copied only if it is needed as a whole", async () => {
  const { response, pieces } = waiting();
  const body = await readWholeBody(response, ALL - 1, deadline(), {
    slices: new Slices(Infinity, { later: setImmediate }),
    lane: "",
  });
  if (!(body instanceof ReadBody)) throw new Error("it was read");
  expect(body.truncated).toBe(true);
  expect(body.pieces.length).toBe(PIECES);
  expect(body.pieces.every(({ buffer }, i) => buffer === pieces[i]!.buffer)).toBe(true);
  expect(Buffer.compare(body.bytes, Buffer.concat(pieces).subarray(0, ALL - 1))).toBe(0);
});
