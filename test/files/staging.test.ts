/** Bodies on their way to a file: what is received, what is refused, and what is left behind. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { givePiece, KEPT_PIECES, UPLOAD_PIECE_BYTES, takePiece, trimPieces } from "../../src/files/pieces.ts";
import { Staging } from "../../src/files/staging.ts";

let folder: string;
let staging: Staging;
beforeEach(async () => {
  folder = join(mkdtempSync(join(tmpdir(), "troupe-staging-")), "staging");
  staging = new Staging(folder);
  await staging.prepare();
});
afterEach(() => rmSync(join(folder, ".."), { recursive: true, force: true }));

const LIMIT = 1_000_000;
const streamOf = (...chunks: Uint8Array[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    pull(controller) {
      const chunk = chunks.shift();
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
  });

function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, Math.min(length, at + 65_536)));
  return bytes;
}

test("[WSP-7] a body is received with its size and its digest, however it is cut", async () => {
  const bytes = crypto.getRandomValues(new Uint8Array(60_000));
  for (const cuts of [[60_000], [1, 59_999], [20_000, 20_000, 20_000]]) {
    let at = 0;
    const received = await staging.receive(streamOf(...cuts.map((n) => bytes.slice(at, (at += n)))), LIMIT);
    if (!received.ok) throw new Error(received.fault.kind);
    expect(received.value).toMatchObject({
      size: 60_000,
      sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex"),
    });
    expect(await Bun.file(received.value.path).bytes()).toEqual(bytes);
    await staging.discard(received.value);
  }
  expect(readdirSync(folder)).toEqual([]);
});

test("[WSP-7] the thread writes several uploads at once, in uneven chunks and of lengths around a piece, byte for byte", async () => {
  const lengths = [UPLOAD_PIECE_BYTES, UPLOAD_PIECE_BYTES + 1, 2 * UPLOAD_PIECE_BYTES, 5 * UPLOAD_PIECE_BYTES + 7];
  await Promise.all(
    lengths.map(async (length, n) => {
      const bytes = randomBytes(length);
      const chunks: Uint8Array[] = [];
      for (let at = 0; at < length; at += 1 + 70_000 * (n + 1)) chunks.push(bytes.slice(at, at + 1 + 70_000 * (n + 1)));
      const received = await staging.receive(streamOf(...chunks), length);
      if (!received.ok) throw new Error(received.fault.kind);
      expect(received.value).toMatchObject({
        size: length,
        sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex"),
      });
      expect(Buffer.compare(await Bun.file(received.value.path).bytes(), bytes)).toBe(0);
      await staging.discard(received.value);
    }),
  );
  expect(readdirSync(folder)).toEqual([]);
});

test("[WSP-7] memory that many uploads at once have used is used again, and most of it is let go afterwards", () => {
  const pieces = Array.from({ length: KEPT_PIECES + 4 }, takePiece);
  for (const piece of pieces) givePiece(piece);
  expect(pieces).toContain(takePiece());
  givePiece(pieces.at(-1)!);
  expect(trimPieces()).toHaveLength(4);
  expect(trimPieces()).toEqual([]);
});

test("[WSP-7] memory of chunks is released where their source gives it, and stays where somebody else may use it", async () => {
  const chunk = randomBytes(UPLOAD_PIECE_BYTES / 4);
  const half = new Uint8Array(chunk.buffer, 0, chunk.length / 2);
  const receive = async (chunks: Uint8Array[], givesMemory: boolean): Promise<string> => {
    const reader = streamOf(...chunks).getReader();
    const source = { givesMemory, read: () => reader.read(), cancel: () => reader.cancel() };
    const received = await staging.receive(source, 10 * UPLOAD_PIECE_BYTES);
    if (!received.ok) throw new Error(received.fault.kind);
    const bytes = await Bun.file(received.value.path).bytes();
    await staging.discard(received.value);
    return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  };
  const shaOf = (...chunks: Uint8Array[]) => {
    const hasher = new Bun.CryptoHasher("sha256");
    for (const each of chunks) hasher.update(each);
    return hasher.digest("hex");
  };
  const all = [half, chunk, chunk, chunk, chunk];
  expect(await receive([...all], false)).toBe(shaOf(...all));
  expect(chunk).toHaveLength(UPLOAD_PIECE_BYTES / 4);
  // Of a part of a larger memory nobody knows who has the rest.
  expect(await receive([half, half, half], true)).toBe(shaOf(half, half, half));
  expect(chunk).toHaveLength(UPLOAD_PIECE_BYTES / 4);
  const given = Array.from({ length: 9 }, () => chunk.slice());
  expect(await receive([...given], true)).toBe(shaOf(...given.map(() => chunk)));
  expect(given.map(({ length }) => length)).toEqual(given.map(() => 0));
});

test("[WSP-6] large content beyond the limit, or whose client disconnects, leaves nothing; content that cannot be written fails", async () => {
  const large = 3 * UPLOAD_PIECE_BYTES;
  const pieces = () => Array.from({ length: 32 }, () => randomBytes(large / 32));
  expect(await staging.receive(streamOf(...pieces()), large - 1)).toMatchObject({ ok: false });
  let sent = 0;
  const leaving = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent++ < 20) controller.enqueue(randomBytes(large / 32));
      else controller.error(new Error("the client left"));
    },
  });
  expect(await staging.receive(leaving, large).catch(String)).toBe("Error: the client left");
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
  let cancelled = false;
  const unwanted = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(randomBytes(large / 32)),
    cancel: () => void (cancelled = true),
  });
  expect(await staging.receive(unwanted, large).catch(({ code }: { code: string }) => code)).toBe("ENOENT");
  expect(cancelled).toBe(true);
  // And the thread serves the next one.
  await staging.prepare();
  expect(await staging.receive(streamOf(...pieces()), large)).toMatchObject({ ok: true, value: { size: large } });
});

test("[WSP-7] no body is content without a byte", async () => {
  expect(await staging.receive(null, LIMIT)).toMatchObject({ ok: true, value: { size: 0 } });
});

test("[WSP-6] a body of the limit is taken; one byte more is refused, is read no further, and leaves nothing", async () => {
  expect((await staging.receive(streamOf(new Uint8Array(10)), 10)).ok).toBe(true);
  let cancelled = false;
  let pulls = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulls++;
      controller.enqueue(new Uint8Array(11));
    },
    cancel() {
      cancelled = true;
    },
  });
  expect(await staging.receive(endless, 10)).toEqual({
    ok: false,
    fault: { kind: "payload_too_large", limitBytes: 10 },
  });
  expect(cancelled).toBe(true);
  expect(pulls).toBeLessThan(5);
  expect(readdirSync(folder)).toHaveLength(1);
});

test("[WSP-7] a client that leaves in the middle leaves nothing behind", async () => {
  const broken = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new Uint8Array(5));
    },
    pull(controller) {
      controller.error(new Error("the client left"));
    },
  });
  const outcome = await staging.receive(broken, LIMIT).catch(String);
  expect(outcome).toBe("Error: the client left");
  expect(readdirSync(folder)).toEqual([]);
});

test("[WSP-7] what a dead process left is removed once it is old enough", async () => {
  for (const body of [streamOf(new Uint8Array(1)), streamOf(new Uint8Array(2))]) await staging.receive(body, LIMIT);
  const [old = "", young = ""] = readdirSync(folder);
  utimesSync(join(folder, old), 1_000, 1_000);
  // While they are in use they are kept, however old they are.
  expect(await staging.sweep(2_000_000)).toBe(0);
  expect(await new Staging(folder).sweep(2_000_000)).toBe(1);
  expect(readdirSync(folder)).toEqual([young]);
});
