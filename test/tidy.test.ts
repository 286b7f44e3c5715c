/** The tree keeps its own rules. Each check is first fed a breach, so that it is known to be able to fail. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { cycles, formBreaches, importsOf, layeringBreaches, quotedRules, ruleBreaches, rulesOf, type SourceFile } from "./support/tidy.ts";

const ROOT = join(import.meta.dir, "..");
const read = (path: string): SourceFile => ({ path, text: readFileSync(join(ROOT, path), "utf8") });
const glob = (pattern: string): SourceFile[] => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT, dot: true })].sort().map(read);
const sources = glob("{actors,db,src}/**/*.ts");
const tests = glob("test/**/*.ts");
const planted = (path: string, text: string): SourceFile => ({ path, text });

describe("layering", () => {
  test("[TIDY-1] a breach is found, whichever form the import has", () => {
    const bad = [
      planted("actors/runtime/x.ts", 'import { a } from "../job/schema.ts";'),
      planted("actors/chat/x.ts", 'import type { A } from "../job/actor.ts";'),
      planted("actors/fault.ts", 'import { Type } from "@sinclair/typebox";'),
      planted("actors/job/x.ts", 'import {\n  a,\n} from "node:fs";'),
      planted("db/x.ts", 'export { a } from "../src/app.ts";'),
      planted("src/v1/x.ts", 'const a = await import("../current/dialect.ts");'),
      planted("src/http/x.ts", 'import "../v1/index.ts";'),
      planted("src/runner/x.ts", 'import { a } from "../http/token.ts";'),
      planted("elsewhere/x.ts", ""),
    ];
    expect(layeringBreaches(bad).length).toBe(bad.length);
    const good = [
      planted("actors/chat/x.ts", 'import { a } from "../job/schema.ts";\nimport { b } from "../runtime/actor.ts";'),
      planted("src/v1/x.ts", 'import { a } from "../http/sse.ts";\n// import { b } from "../current/x.ts";'),
    ];
    expect(layeringBreaches(good)).toEqual([]);
    expect(importsOf(planted("x.ts", 'import a from "a";\nimport type { B } from \'b\';\nexport * from "c";'))).toEqual(["a", "b", "c"]);
  });

  test("[TIDY-1] arrows point one way", () => {
    expect(sources.length).toBeGreaterThan(100);
    expect(layeringBreaches(sources)).toEqual([]);
  });

  test("[TIDY-1] there are no cycles", () => {
    const ring = [planted("a.ts", 'import { b } from "./b.ts";'), planted("b.ts", 'import { a } from "./a.ts";')];
    expect(cycles(ring)).toEqual(["a.ts b.ts"]);
    expect(cycles([ring[0]!, planted("b.ts", 'import type { a } from "./a.ts";')])).toEqual([]);
    expect(cycles(sources)).toEqual([]);
  });
});

describe("form", () => {
  test("[TIDY-2] a breach is found", () => {
    const long = "x;\n".repeat(401);
    const bad = [
      planted("src/v1/x.ts", `/** Story. */\n${long}`), planted("actors/job/x.ts", `/** Story. */\n${"x;\n".repeat(301)}`),
      planted("src/http/x.ts", "x;\n".repeat(61)), planted("src/utils.ts", "x;"), planted("src/BadName.ts", "x;"),
      planted("src/x.ts", "export default 1;"), planted("src/x.ts", "process.env.A;"), planted("actors/job/x.ts", "Date.now();"),
      planted("src/x.ts", 'export * from "./y.ts";'), planted("test/x.test.ts", "test.only();"), planted("src/x.ts", "y as any;"),
    ];
    for (const file of bad) expect({ path: file.path, breaches: formBreaches(file).length }).toEqual({ path: file.path, breaches: 1 });
    expect(formBreaches(planted("src/x.ts", "// process.env.A\nlet a = 1;"))).toEqual([]);
  });

  test("[TIDY-2] the tree has none", () => {
    expect([...sources, ...tests].filter((file) => file.path !== "test/tidy.test.ts").flatMap(formBreaches)).toEqual([]);
  });

  test("[TIDY-3] nothing tells where it was written", () => {
    // Put together here, so that this file does not contain what it looks for.
    const words = [["/wo", "rk/"], ["../sha", "red"], ["/ro", "ot/"], ["/fa", "rm/"]].map((parts) => parts.join(""));
    const telling = (file: SourceFile): boolean => words.some((word) => new RegExp(`(^|[^\\w./-])${word.replaceAll(".", "\\.")}`).test(file.text));
    expect(telling(planted("x.md", `see ${words[1]}/x`))).toBe(true);
    expect(telling(planted("x.ts", `"${words[0]}x"`))).toBe(true);
    const all = glob("{actors,db,src,test,benchmarks,docs,.ci}/**/*.{ts,md,json,sql}").concat(glob("*.{md,json,toml,ts}"), [read(".ci/run")]);
    expect(all.filter(telling).map((file) => file.path)).toEqual([]);
  });
});

describe("documents", () => {
  test("[TIDY-4] every built rule has a test, and every test a rule", () => {
    const spec = "- **A-1** (built) x\n- **A-2** (planned, ours) y\n- **A-3** (built, ours) z";
    const quoting = quotedRules([planted("x.test.ts", 'test("[A-1] a"); test(`[A-9] b`);')]);
    expect(ruleBreaches(rulesOf(spec), quoting)).toEqual(["A-3 is built and no test quotes it", "a test quotes A-9, which is no rule"]);
    const rules = rulesOf(read("docs/spec.md").text);
    expect(rules.length).toBeGreaterThan(140);
    const real = tests.filter((file) => file.path.endsWith(".test.ts") && file.path !== "test/tidy.test.ts");
    const own = rules.map((rule) => rule.id).filter((id) => id.startsWith("TIDY-"));
    expect(ruleBreaches(rules, new Set([...quotedRules(real), ...own]))).toEqual([]);
  });

  test("[TIDY-5] each dependency is pinned and has its line, with its version", () => {
    const page = read("docs/dependencies.md").text;
    const all = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(all.length).toBeGreaterThan(10);
    const wrong = all.filter(([name, version]) => !/^\d+\.\d+\.\d+/.test(version) || !page.includes(`| \`${name}\` | ${version} |`));
    expect(wrong).toEqual([]);
  });
});
