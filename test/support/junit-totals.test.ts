import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Failure, failuresOf, filesAgain } from "./junit-failures.ts";
import { exitCodeOf, judged, linesOf, NOTHING, ReportBroken, settled, sum, totalsOf } from "./junit-totals.ts";

const COMMAND = join(import.meta.dir, "junit-totals.ts");
const FILES_AGAIN = join(import.meta.dir, "junit-failures.ts");
const failure = (file: string, name = "a"): Failure => ({ name, file, text: "Error: no\n  at x" });

describe("the totals of test runs", () => {
  test("[CI-1] a report's totals are its own head's, checked against its cases", () => {
    const xml = `<testsuites name="bun test" tests="3" failures="1" skipped="1"><testsuite><testcase name="a" /><testcase name="b"><failure/></testcase><testcase name="c &lt;d&gt;" file="x.test.ts" line="1"><skipped/></testcase></testsuite></testsuites>`;
    expect(totalsOf(xml)).toEqual({
      ...NOTHING,
      passed: 1,
      failed: 1,
      skipped: ["c <d> (x.test.ts)"],
      failures: [{ name: "b", file: "", text: "" }],
    });
    expect(() => totalsOf(xml.replace('<testcase name="a" />', ""))).toThrow(ReportBroken);
    expect(() => totalsOf(xml.replace("<skipped/>", ""))).toThrow(ReportBroken);
    expect(() => totalsOf(xml.replace("</testsuites>", ""))).toThrow(ReportBroken);
    expect(() => totalsOf("")).toThrow(ReportBroken);
  });

  test("[CI-1] a run fails if a test fails, or if it has no tests", () => {
    expect(exitCodeOf({ ...NOTHING, passed: 1 })).toBe(0);
    expect(exitCodeOf({ ...NOTHING, passed: 9, failed: 1 })).toBe(1);
    expect(exitCodeOf({ ...NOTHING, skipped: ["a"] })).toBe(1);
    const short = { ...NOTHING, passed: 1, skipped: ["a (x)"] };
    expect(judged(short, 0)).toEqual(short);
    expect(judged(short, 1)).toEqual({ ...short, failed: 1 });
    expect(judged({ ...short, failed: 2 }, 1).failed).toBe(2);
    expect(linesOf(sum([short, { ...NOTHING, passed: 2, failed: 1, skipped: ["b (y)"] }]))).toEqual([
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
      expect(run("failing", 'test("a", () => { expect(1).toBe(2); }); test("b", () => expect(1).toBe(1));')).toEqual({
        code: 1,
        lines: [
          "failed: a (failing.test.ts)",
          "    AssertionError: expect(received).toBe(expected)",
          "    ",
          "    Expected: 2",
          "    Received: 1",
          "    ",
          expect.stringMatching(/^ +at failing\.test\.ts:2:\d+$/),
          "1 passed, 1 failed",
        ],
      });
      expect(run("broken", 'test("a", () => {}); throw new Error("not loaded");').lines.at(-1)).toEndWith(", 1 failed");
      expect(run("crashed", 'test("a", () => process.kill(process.pid, "SIGKILL"));').code).toBe(1);
      expect(run("empty", "").code).toBe(1);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("[CI-3] a few failed files run again, and none if more is wrong", () => {
    const files = ["a", "a", "b", "c"].map((file) => failure(file));
    expect(filesAgain(files, "\n 4 pass\n 2 skip\n 1 fail\n")).toEqual(["a", "b", "c"]);
    expect(filesAgain([...files, failure("d"), failure("e"), failure("f")], "")).toEqual([]);
    expect(filesAgain(files, "\n 4 pass\n 1 fail\n 1 error\n 3 expect() calls\n")).toEqual([]);
    expect(filesAgain(files, "\n 4 pass\n 2 skip\n 1 fail\n 2 errors\nRan")).toEqual([]);
    expect(filesAgain([], "")).toEqual([]);
  });

  test("[CI-3] what failed and then passed is flaky: passed, named and counted apart", () => {
    const run = { ...NOTHING, passed: 5, failed: 3, failures: [failure("a"), failure("b", "g > b"), failure("c")] };
    const all = settled(settled(run, new Set(["a"])), new Set(["b"]));
    expect(all).toMatchObject({ passed: 7, failed: 1, failures: [{ file: "c" }] });
    const text = ["    Error: no", "      at x"];
    const named = ["flaky: a (a)", "flaky: g > b (b)", "failed: a (c)"].flatMap((name) => [name, ...text]);
    const files = ["2 flaky files", "  a: Error: no", "  b: Error: no"];
    expect(linesOf(all)).toEqual([...named, ...files, "7 passed, 1 failed"]);
    const twice = { ...NOTHING, flaky: [{ ...failure("a"), text: "first" }, failure("a", "later")] };
    expect(linesOf(twice).slice(-3)).toEqual(["1 flaky file", "  a: first", "0 passed, 0 failed"]);
    expect(exitCodeOf(all)).toBe(1);
    expect(exitCodeOf(settled(all, new Set(["c"])))).toBe(0);
  });

  test("[CI-3] the commands tell a flaky test from a broken one by what the runner really writes", () => {
    const folder = mkdtempSync(join(tmpdir(), "troupe-junit-"));
    try {
      const fails =
        'import { describe, expect, test } from "bun:test";\nimport { existsSync, writeFileSync } from "node:fs";\n';
      const once = 'const had = existsSync("had"); writeFileSync("had", "");';
      writeFileSync(
        join(folder, "flaky.test.ts"),
        `${fails}${once} describe("g", () => test("<once>", () => expect(had).toBe(true))); test("b", () => {});`,
      );
      writeFileSync(join(folder, "broken.test.ts"), `${fails}test("always", () => { throw new Error("no"); });`);
      const run = (report: string, ...files: string[]): string => {
        const path = join(folder, `${report}.xml`);
        const args = ["test", ...files, "--reporter=junit", `--reporter-outfile=${path}`];
        const { exitCode, stderr } = Bun.spawnSync([process.execPath, ...args], { cwd: folder, stderr: "pipe" });
        writeFileSync(join(folder, `${report}.txt`), stderr);
        return `${path}=${exitCode}`;
      };
      const command = (program: string, ...args: string[]) =>
        Bun.spawnSync([process.execPath, program, ...args])
          .stdout.toString()
          .trim()
          .split("\n");
      const first = run("first", "./flaky.test.ts", "./broken.test.ts");
      const again = command(FILES_AGAIN, join(folder, "first.xml"), join(folder, "first.txt"));
      expect(again.toSorted()).toEqual(["broken.test.ts", "flaky.test.ts"]);
      const [broken, flaky] = again.toSorted().map((file) => `again:${run(file, `./${file}`)}`);
      const lines = command(COMMAND, first, flaky ?? "", broken ?? "");
      expect(lines).toContain("flaky: g > <once> (flaky.test.ts)");
      expect(lines).toContain("failed: always (broken.test.ts)");
      expect(lines.filter((line) => line.startsWith("    Error"))).toEqual(["    Error: no"]);
      expect(lines.slice(-3)).toEqual([
        "1 flaky file",
        "  flaky.test.ts: AssertionError: expect(received).toBe(expected)",
        "2 passed, 1 failed",
      ]);
      // A report of nothing excuses nothing.
      writeFileSync(join(folder, "empty.xml"), '<testsuites tests="0"></testsuites>');
      expect(command(COMMAND, first, `again:${join(folder, "empty.xml")}=0`).at(-1)).toBe("1 passed, 2 failed");
      expect(failuresOf("")).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
