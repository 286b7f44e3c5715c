/** Which bytes and names are brought to the disk before content counts as stored, by the system calls. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UPLOAD_PIECE_BYTES } from "../../src/files/pieces.ts";

const strace = Bun.which("strace");
/** It may be there and not be allowed to trace. */
const canTrace = strace !== null && Bun.spawnSync([strace, "-o", "/dev/null", "true"]).success;

const CALL = /^\d+\s+(?<name>\w+)\((?<args>.*)\)\s+= 0$/;

let folder: string;
beforeEach(() => void (folder = realpathSync(mkdtempSync(join(tmpdir(), "troupe-durability-")))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The calls that make bytes and names durable, in the order of their ends, with paths for what they are about. */
function callsOf(bytes: number): readonly string[] {
  const log = join(folder, "calls");
  const { exitCode, stdout } = Bun.spawnSync([
    strace!,
    "-f",
    "-y",
    "-s",
    "4096",
    "-o",
    log,
    "-e",
    "trace=fsync,fdatasync,rename,renameat,renameat2,write",
    "-e",
    "signal=none",
    process.execPath,
    join(import.meta.dir, "../support/receiving-child.ts"),
    folder,
    String(bytes),
  ]);
  expect(exitCode).toBe(0);
  const sha256 = stdout.toString();
  const calls = whole(readFileSync(log, "utf8").split("\n")).flatMap((line) => {
    if (line.includes(`"${sha256}"`)) return ["acknowledged"];
    const { name = "", args = "" } = CALL.exec(line)?.groups ?? {};
    // Bun renames files of its own.
    if (name.startsWith("rename")) return args.includes(folder) ? ["renamed"] : [];
    if (!name.includes("sync")) return [];
    // `-y` writes the path behind the number of the file.
    const [, at = ""] = /<([^>]*)>/.exec(args) ?? [];
    const path = at.slice(join(folder, "files").length).replace(/[0-9a-f-]{36}$/, "…");
    return [`${name === "fdatasync" ? "data of" : "all of"} ${path.replace(sha256.slice(0, 2), "xx")}`];
  });
  // Large content goes to the disk a little at a time.
  return calls.filter((call, i) => call !== calls[i - 1]);
}

/** Calls of several threads are cut where they cross: joined again, at their ends. */
function whole(lines: readonly string[]): readonly string[] {
  const begun = new Map<string, string>();
  return lines.flatMap((line) => {
    const [thread = ""] = line.split(" ", 1);
    const at = line.indexOf(" <unfinished ...>");
    if (at >= 0) {
      begun.set(thread, line.slice(0, at));
      return [];
    }
    const resumed = /<\.\.\. \w+ resumed>(.*)$/.exec(line);
    return [resumed === null ? line : `${begun.get(thread) ?? ""}${resumed[1] ?? ""}`];
  });
}

describe.skipIf(!canTrace)("the system calls of an upload", () => {
  test.each([
    ["small content", 1_000],
    ["what the thread writes", 3 * UPLOAD_PIECE_BYTES],
  ])("[WSP-7] %s is on the disk once, then its name and the folders, then it is acknowledged", (_, bytes) => {
    const calls = callsOf(bytes);
    expect(calls).toEqual([
      "data of /staging/…",
      "all of /blobs",
      "all of /blobs/org_a",
      "renamed",
      "all of /blobs/org_a/xx",
      "acknowledged",
    ]);
  });
});
