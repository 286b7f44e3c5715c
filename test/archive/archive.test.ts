/** Which reason is given where a stream of an archive fails, and with it all the others (OPS-3). */
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { type ArchiveWriter, readArchive, writeArchive } from "../../src/archive/archive.ts";
import { FirstCause } from "../../src/archive/piping.ts";

const folder = mkdtempSync(join(tmpdir(), "troupe-archive-"));
afterAll(() => rmSync(folder, { recursive: true }));

const fill = async (archive: ArchiveWriter): Promise<void> => {
  await archive.add("head", Buffer.from("{}"));
  await archive.add("rows", Buffer.alloc(300_000, "x"));
};
const why = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    (cause: unknown) => String(cause),
  );
/** Lets the streams work meanwhile: each turn is a read of a file, as theirs are. */
const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await readFile(import.meta.path);
};

test("[OPS-3] an archive that is cut off is refused with that reason, however late its content is read", async () => {
  const path = join(folder, "whole");
  await writeArchive(path, fill);
  const bytes = gzipSync(gunzipSync(readFileSync(path)), { level: 0 });
  const cut = join(folder, "cut");
  const read = async (late: number): Promise<void> => {
    for await (const { name, content } of readArchive(cut)) {
      if (name === "rows") await turns(late);
      for await (const _ of content) await turns(late);
    }
  };
  for (const end of [1_300, 1_800, 66_000, bytes.length - 9]) {
    writeFileSync(cut, bytes.subarray(0, end));
    for (const late of [0, 1, 5, 50])
      expect([end, late, await why(read(late))]).toEqual([end, late, "Error: unexpected end of file"]);
  }
});

test("[OPS-3] an archive that cannot be written is refused with the reason of whoever failed first", async () => {
  const nowhere = join(folder, "nowhere", "x");
  for (const late of [0, 20])
    expect(await why(writeArchive(nowhere, (archive) => turns(late).then(() => fill(archive))))).toContain("ENOENT");
  const path = join(folder, "x");
  const failing = async (archive: ArchiveWriter): Promise<void> => {
    await archive.add("head", Buffer.from("{}"));
    throw new Error("the rows are gone");
  };
  expect(await why(writeArchive(path, failing))).toBe("Error: the rows are gone");
  expect([existsSync(path), existsSync(`${path}.part`)]).toEqual([false, false]);
});

test("[OPS-3] of several errors the first one is the cause that does not only say that a stream has ended", () => {
  const cause = new FirstCause();
  cause.note(new Error("Stream was destroyed"));
  cause.note(Object.assign(new Error("the stream has ended"), { code: "ERR_STREAM_PREMATURE_CLOSE" }));
  cause.note(new Error("no space left"));
  expect(cause.of(new Error("the connection is gone"))).toEqual(new Error("no space left"));
});
