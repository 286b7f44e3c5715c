/** Bodies on their way to a file: what is received, what is refused, and what is left behind. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Staging } from "../../src/files/staging.ts";
import { WriteBehind } from "../../src/files/write-behind.ts";

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

test("[WSP-7] a body of several writes is the same on the disk, also where one of them fails", async () => {
  const bytes = crypto.getRandomValues(new Uint8Array(60_000));
  const chunks = Array.from({ length: 40 }, (_, i) => Uint8Array.from(bytes.slice(i * 100, 30_000 + i * 500)));
  const whole = Buffer.concat(chunks);
  const received = await staging.receive(streamOf(...chunks), whole.length);
  if (!received.ok) throw new Error(received.fault.kind);
  expect(Buffer.compare(await Bun.file(received.value.path).bytes(), whole)).toBe(0);
  await staging.discard(received.value);
  const path = join(folder, "failing");
  const handle = await open(path, "wx");
  const behind = new WriteBehind(handle);
  await handle.close();
  const large = new Uint8Array(600_000);
  const writing = behind
    .add(large)
    .then(() => behind.add(large))
    .then(() => behind.end());
  expect(
    await writing.then(
      () => "written",
      () => "failed",
    ),
  ).toBe("failed");
  await behind.idle();
  rmSync(path);
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

test("[WSP-7] what a dead process has left is removed by its age, and nothing younger", async () => {
  for (const body of [streamOf(new Uint8Array(1)), streamOf(new Uint8Array(2))]) await staging.receive(body, LIMIT);
  const [old = "", young = ""] = readdirSync(folder);
  utimesSync(join(folder, old), 1_000, 1_000);
  // Whoever still works on them keeps them, however old they are.
  expect(await staging.sweep(2_000_000)).toBe(0);
  expect(await new Staging(folder).sweep(2_000_000)).toBe(1);
  expect(readdirSync(folder)).toEqual([young]);
});
