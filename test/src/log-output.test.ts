/** The end of the log: lines come whole and in order, and what waits for a slow reader is bounded. */
import { afterEach, expect, test } from "bun:test";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LogOutput, WAITING_BYTES } from "../../src/log-output.ts";

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

test("[START-7] what nobody flushes is written all the same, and what comes later after it", async () => {
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
  const found = await wrote((output) => {
    for (let i = 0; i < fitting + 1_000; i++) output.write(line);
    output.flush();
    output.write("after\n");
    output.flush();
  });
  const notice = found.findIndex((text) => text.startsWith("{"));
  const { dropped } = JSON.parse(found[notice] ?? "{}");
  expect(dropped).toBeGreaterThan(0);
  expect(notice + dropped).toBe(fitting + 1_000);
  expect(notice).toBeGreaterThanOrEqual(fitting);
  expect(found.slice(notice + 1)).toEqual(["after"]);
});
