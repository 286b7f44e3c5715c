import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exitCodeOf, judged, linesOf, ReportBroken, sum, totalsOf } from "./junit-totals.ts";

const COMMAND = join(import.meta.dir, "junit-totals.ts");

describe("the totals of test runs", () => {
  test("[CI-1] a report's totals are its own head's, checked against its cases", () => {
    const xml = `<testsuites name="bun test" tests="3" failures="1" skipped="1"><testsuite><testcase name="a" /><testcase name="b"><failure/></testcase><testcase name="c &lt;d&gt;" file="x.test.ts" line="1"><skipped/></testcase></testsuite></testsuites>`;
    expect(totalsOf(xml)).toEqual({ passed: 1, failed: 1, skipped: ["c <d> (x.test.ts)"] });
    expect(() => totalsOf(xml.replace('<testcase name="a" />', ""))).toThrow(ReportBroken);
    expect(() => totalsOf(xml.replace("<skipped/>", ""))).toThrow(ReportBroken);
    expect(() => totalsOf(xml.replace("</testsuites>", ""))).toThrow(ReportBroken);
    expect(() => totalsOf("")).toThrow(ReportBroken);
  });

  test("[CI-1] a run fails with a failure, and without a test", () => {
    expect(exitCodeOf({ passed: 1, failed: 0, skipped: [] })).toBe(0);
    expect(exitCodeOf({ passed: 9, failed: 1, skipped: [] })).toBe(1);
    expect(exitCodeOf({ passed: 0, failed: 0, skipped: ["a"] })).toBe(1);
    const short = { passed: 1, failed: 0, skipped: ["a (x)"] };
    expect(judged(short, 0)).toEqual(short);
    expect(judged(short, 1)).toEqual({ ...short, failed: 1 });
    expect(judged({ ...short, failed: 2 }, 1).failed).toBe(2);
    expect(linesOf(sum([short, { passed: 2, failed: 1, skipped: ["b (y)"] }]))).toEqual([
      "skipped: a (x)",
      "skipped: b (y)",
      "2 skipped",
      "3 passed, 1 failed",
    ]);
  });

  test("[CI-1] the command judges what the runner really writes: passing, failing, crashed, missing", () => {
    const folder = mkdtempSync(join(tmpdir(), "troupe-junit-"));
    try {
      const run = (name: string, body: string) => {
        writeFileSync(join(folder, `${name}.test.ts`), `import { expect, test } from "bun:test";\n${body}`);
        const report = join(folder, `${name}.xml`);
        const args = ["test", `./${name}.test.ts`, "--reporter=junit", `--reporter-outfile=${report}`];
        const ran = Bun.spawnSync([process.execPath, ...args], { cwd: folder, stdout: "ignore", stderr: "ignore" });
        const command = Bun.spawnSync([process.execPath, COMMAND, `${report}=${ran.exitCode}`]);
        return { code: command.exitCode, lines: command.stdout.toString().trim().split("\n") };
      };
      expect(run("passing", 'test("a", () => expect(1).toBe(1)); test.skip("b", () => {});')).toEqual({
        code: 0,
        lines: ["skipped: b (passing.test.ts)", "1 skipped", "1 passed, 0 failed"],
      });
      expect(run("failing", 'test("a", () => expect(1).toBe(2)); test("b", () => expect(1).toBe(1));')).toEqual({
        code: 1,
        lines: ["1 passed, 1 failed"],
      });
      expect(run("broken", 'test("a", () => {}); throw new Error("not loaded");').lines.at(-1)).toEndWith(", 1 failed");
      expect(run("crashed", 'test("a", () => process.kill(process.pid, "SIGKILL"));').code).toBe(1);
      expect(run("empty", "").code).toBe(1);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
