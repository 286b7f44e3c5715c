/** The end of the log: lines come whole and in order, and what waits for a slow reader is bounded. */
import { afterEach, expect, test } from "bun:test";
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LogOutput, WAITING_BYTES } from "../../src/log/log-output.ts";
import { until } from "../support/condition.ts";

const folder = mkdtempSync(join(tmpdir(), "troupe-log-"));
const path = join(folder, "log");
afterEach(() => rmSync(path, { force: true }));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const lines = (): string[] => readFileSync(path, "utf8").split("\n").slice(0, -1);

async function wrote(use: (output: LogOutput) => Promise<void> | void): Promise<string[]> {
  const file = openSync(path, "a");
  try {
    await use(new LogOutput(file));
    return lines();
  } finally {
    closeSync(file);
  }
}

test("[START-7] lines come whole and in order, whatever their length and characters", async () => {
  const said = Array.from({ length: 3_000 }, (_, i) => `${i} ${i % 500 === 0 ? "ü€𝄞".repeat(30_000) : "line"}`);
  expect(await wrote((output) => (said.forEach((line) => output.write(`${line}\n`)), output.flush()))).toEqual(said);
});

test("[START-7] a line whose text is made later has its place among the others, also at the end", async () => {
  let made = 0;
  const late = (text: string) => ({ length: 16, toString: () => (made++, `${text}\n`) });
  const found = await wrote(async (output) => {
    output.write("first\n");
    output.writeLate(late("second"));
    output.write("third\n");
    expect(made).toBe(0);
    await output.flush();
    output.writeLate(late("fourth"));
    await output.flush();
  });
  expect(found).toEqual(["first", "second", "third", "fourth"]);
  expect(made).toBe(2);
});

test("[START-7] lines are written without a flush, in their order", async () => {
  const found = await wrote(async (output) => {
    for (const line of ["first", "second", "third"]) {
      output.write(`${line}\n`);
      while (!readFileSync(path, "utf8").includes(line)) await Bun.sleep(1);
    }
  });
  expect(found).toEqual(["first", "second", "third"]);
});

test("[START-7] lines beyond the bound are dropped, and a line says how many", async () => {
  const line = `${"x".repeat(1_023)}\n`;
  const fitting = WAITING_BYTES / line.length;
  const found = await wrote(async (output) => {
    for (let i = 0; i < fitting + 1_000; i++) output.write(line);
    await output.flush();
    output.write("after\n");
    await output.flush();
  });
  const notice = found.findIndex((text) => text.startsWith("{"));
  const { dropped } = JSON.parse(found[notice] ?? "{}");
  expect(dropped).toBeGreaterThan(0);
  expect(notice + dropped).toBe(fitting + 1_000);
  expect(notice).toBeGreaterThanOrEqual(fitting);
  expect(found.slice(notice + 1)).toEqual(["after"]);
});

test("[START-7] what is being written when the end comes is written before it", async () => {
  const pipe = `${path}.pipe`;
  Bun.spawnSync(["mkfifo", pipe]);
  // A pipe holds 64 KiB: the rest of the first chunk has to wait for the reader.
  const file = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  try {
    const output = new LogOutput(file);
    const said = Array.from({ length: 20_000 }, (_, i) => `line ${i}`);
    for (const line of said) output.write(`${line}\n`);
    const buffer = Buffer.alloc(16 * 1024);
    let found = "";
    const read = (): boolean => {
      try {
        found += buffer.toString("utf8", 0, readSync(file, buffer));
        return true;
      } catch {
        return false; // Nothing there yet.
      }
    };
    await until("a write is under way", () => (read(), found !== ""));
    let isFlushed = false;
    const flushed = output.flush().then(() => (isFlushed = true));
    await until("all is written", () => (read(), isFlushed));
    await flushed;
    while (read());
    expect(found.split("\n").slice(0, -1)).toEqual(said);
  } finally {
    closeSync(file);
    rmSync(pipe);
  }
});
