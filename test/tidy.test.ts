/** The tree keeps its own rules. Each check is first fed a breach, so that it is known to be able to fail. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { withAllAims } from "../benchmarks/support/results.ts";
import manifest from "../package.json" with { type: "json" };
import { logLinesOf } from "./support/log-lines.ts";
import { importTable, tableBreaches } from "./support/import-table.ts";
import { importsOf } from "./support/source-text.ts";
import { specText } from "./support/spec.ts";
import {
  brokenLinks,
  cycles,
  decisionBreaches,
  folderCycles,
  formBreaches,
  invariantBreaches,
  layeringBreaches,
  malformedRules,
  quotedRules,
  ruleBreaches,
  rulesOf,
  type SourceFile,
  typeCycles,
  fileLevelNames,
  namelessFiles,
  repeatedNames,
} from "./support/tidy.ts";

const ROOT = join(import.meta.dir, "..");
const read = (path: string): SourceFile => ({ path, text: readFileSync(join(ROOT, path), "utf8") });
const glob = (pattern: string): SourceFile[] =>
  [...new Bun.Glob(pattern).scanSync({ cwd: ROOT, dot: true })].sort().map(read);
/** Generated whole: its generator and its parts are checked in its place. */
const GENERATED = "sdk/typescript/troupe.ts";
const sources = glob("{actors,db,sdk,src}/**/*.{ts,tsx}").filter(({ path }) => path !== GENERATED);
const tests = glob("test/**/*.ts");
const benchmarks = glob("benchmarks/**/*.ts");
/** How the service is packed and installed: beside it, as the benchmarks are. */
const deployment = glob("deploy/**/*.ts");
const planted = (path: string, text: string): SourceFile => ({ path, text });

describe("layering", () => {
  test("[TIDY-1] a breach is found, whichever form the import has", () => {
    const bad = [
      planted("actors/runtime/x.ts", 'import { a } from "../job/schema.ts";'),
      planted("actors/chat/x.ts", 'import type { A } from "../job/actor.ts";'),
      planted("actors/fault.ts", 'import { Type } from "@sinclair/typebox";'),
      planted("actors/job/x.ts", 'import {\n  a,\n} from "node:fs";'),
      planted("db/x.ts", 'export { a } from "../src/service/app.ts";'),
      planted("src/v1/x.ts", 'const a = await import("../current/dialect.ts");'),
      planted("src/http/x.ts", 'import "../v1/index.ts";'),
      planted("src/runner/x.ts", 'import { a } from "../http/token.ts";'),
      planted("elsewhere/x.ts", ""),
      planted("src/http/x.ts", 'const accept = "*/*";\nimport { a } from "../v1/x.ts";\n/** x */'),
      planted("src/http/x.ts", 'const a = require("../v1/x.ts");'),
      planted("src/http/x.ts", "const a = await import(`../v1/x.ts`);"),
      planted("src/schedule/x.ts", 'import { a } from "../db/client.ts";'),
      planted("actors/chat/x.ts", 'import type { A } from "../job/ports.ts";'),
    ];
    expect(layeringBreaches(bad).length).toBe(bad.length);
    const good = [
      planted("actors/chat/x.ts", 'import { a } from "../job/schema.ts";\nimport { b } from "../runtime/actor.ts";'),
      planted("src/v1/x.ts", 'import { a } from "../http/sse.ts";\n// import { b } from "../current/x.ts";'),
    ];
    expect(layeringBreaches(good)).toEqual([]);
    expect(importsOf(planted("x.ts", 'import a from "a";\nimport type { B } from \'b\';\nexport * from "c";'))).toEqual(
      ["a", "b", "c"],
    );
  });

  test("[TIDY-1] arrows point one way", () => {
    expect(sources.length).toBeGreaterThan(100);
    expect(layeringBreaches(sources)).toEqual([]);
  });

  test("[TIDY-1] the table of ARCHITECTURE.md is the one that is enforced", () => {
    const head = "| Folder | What it is | May import |\n|---|---|---|\n";
    const files = ["actors/fault.ts", "db/client.ts"];
    const table = (db: string): string => `${head}| ` + "`actors/` | x | nothing |\n| `db/` | x | " + `${db} |\n\n`;
    expect(tableBreaches(importTable(table("`actors/`")), files)).toEqual([]);
    expect(tableBreaches(importTable(table("nothing")), files)).toEqual([
      "db/client.ts: the table says that actors/ may not be imported",
    ]);
    expect(tableBreaches(importTable(table("`actors/`")), [...files, "src/http/x.ts"])).toEqual([
      "src/http/ has no row",
    ]);
    const paths = sources.map(({ path }) => path);
    expect(tableBreaches(importTable(read("ARCHITECTURE.md").text), paths)).toEqual([]);
  });

  test("[TIDY-1] there are no cycles", () => {
    const ring = [planted("a.ts", 'import { b } from "./b.ts";'), planted("b.ts", 'import { a } from "./a.ts";')];
    expect(cycles(ring)).toEqual(["a.ts b.ts"]);
    expect(cycles([ring[0]!, planted("b.ts", 'import type { a } from "./a.ts";')])).toEqual([]);
    expect(cycles(sources)).toEqual([]);
  });

  test("[TIDY-1] no two folders know each other, not even by a type", () => {
    const ring = [
      planted("src/main.ts", 'import { a } from "./admin/a.ts";'),
      planted("src/admin/a.ts", 'import { b } from "../service/b.ts";'),
      planted("src/service/b.ts", 'import type { c } from "../wiring/c.ts";'),
      planted("src/wiring/c.ts", 'import type { d } from "../admin/inner/d.ts";'),
    ];
    expect(folderCycles(ring)).toEqual(["src/admin src/service src/wiring"]);
    expect(folderCycles(ring.slice(0, 3))).toEqual([]);
    expect(folderCycles(sources)).toEqual([]);
  });

  test("[TIDY-1] files do not need each other's types in a ring", () => {
    const ring = [planted("a.ts", 'import { b } from "./b.ts";'), planted("b.ts", 'import type { a } from "./a.ts";')];
    expect(typeCycles(ring)).toEqual(["a.ts b.ts"]);
    expect(typeCycles(sources)).toEqual([]);
  });
});

describe("form", () => {
  test("[TIDY-2] a breach is found", () => {
    const long = "x;\n".repeat(401);
    const bad = [
      planted("src/v1/x.ts", `/** Story. */\n${long}`),
      planted("src/http/x.ts", "x;\n".repeat(61)),
      planted("src/utils.ts", "x;"),
      planted("src/BadName.ts", "x;"),
      planted("src/x.ts", "export default 1;"),
      planted("src/x.ts", "process.env.A;"),
      planted("actors/job/x.ts", "Date.now();"),
      planted("src/x.ts", 'export * from "./y.ts";'),
      planted("test/x.test.ts", "test.only();"),
      planted("src/x.ts", "y as any;"),
    ];
    const worse = [
      ...[
        'const a = process["env"].A;',
        "const a = Bun.env.A;",
        "const { env } = process;",
        'const u = "https://x"; const a = process.env.A;',
        'import { env } from "node:process";',
      ].map((text) => planted("src/x.ts", text)),
      planted("test/v1/x.test.ts", "process.env.A;"),
      ...[
        "new Date(ms);",
        "Date();",
        "performance.now();",
        "queueMicrotask(f);",
        "globalThis.fetch;",
        "const { random } = Math;",
      ].map((text) => planted("actors/job/x.ts", text)),
      planted("src/badName/x.ts", "a;"),
      planted("src/utils/x.ts", "a;"),
      planted("src/x.ts", "const a = 1;\nexport { a as default };"),
      planted("src/v1/all.ts", 'export {\n  a,\n} from "./x.ts";'),
      planted("src/v1/all.ts", 'import { a } from "./x.ts";\nexport { a };'),
      planted("src/v1/all.ts", 'export { a } from "./x.ts";\nexport const b = 1;'),
      planted("src/runner/tools/index.ts", "export const a = 1;"),
      planted("test/x.test.ts", 'test.skip("x", () => {});'),
      planted("test/x.test.ts", 'test.todo("x");'),
      planted("test/x.test.ts", "describe.only();"),
      planted("src/x.ts", "// @ts-ignore\na;"),
    ];
    for (const file of [...bad, ...worse])
      expect({ path: file.path, breaches: formBreaches(file).length }).toEqual({ path: file.path, breaches: 1 });
    const good = [
      planted("src/x.ts", 'const said = "process.env.A, export default, as any";'),
      planted("src/mcp/index.ts", 'export { a } from "./x.ts";'),
      planted("src/settings/config.ts", "process.env.A;"),
      planted("actors/schema.ts", "export const iso = (ms: number) => new Date(ms).toISOString();"),
      planted("actors/job/x.ts", "const ms = Date.parse(job.createdAt); fetcher.fetch(ms);"),
      planted("test/x.test.ts", '// reason: the parser has a bug\ntest.skip("x", () => {});'),
      planted("test/x.test.ts", 'test.skipIf(!isLinux)("x", () => {});'),
      planted("src/x.ts", "x;\n".repeat(60)),
      planted("test/x.test.ts", "x;\n".repeat(600)),
    ];
    expect(good.flatMap(formBreaches)).toEqual([]);
    expect(formBreaches(planted("src/x.ts", "// process.env.A\nlet a = 1;"))).toEqual([]);
  });

  test("[TIDY-2] the tree has none", () => {
    expect([...sources, ...tests, ...benchmarks, ...deployment].flatMap(formBreaches)).toEqual([]);
  });

  test("[TIDY-11] a name at the level of a file is used in one file of src, actors and db", () => {
    const names = (text: string): string[] => [...fileLevelNames(planted("x.ts", text))];
    expect(
      names(
        "export const a = 1;\nlet b;\nasync function c() {\n  const no = 1;\n}\nfunction* d() {}\nexport abstract class E {}\ninterface F {}\nexport type G = 1;\nenum H {}",
      ),
    ).toEqual(["a", "b", "c", "d", "E", "F", "G", "H"]);
    expect(
      names('const { a: b, ...c } = x;\nexport const [d, e = "f"] = y;\n// const g = 1;\nconst h = `\nconst i`;'),
    ).toEqual(["b", "c", "d", "e", "h"]);
    const twice = [planted("a.ts", "const A = 1;\ntype A = 1;"), planted("b.ts", "interface A {}\nconst b = 1;")];
    expect(repeatedNames(twice)).toEqual(["A: a.ts b.ts"]);
    const files = sources.filter(({ path }) => !path.startsWith("sdk/"));
    expect(fileLevelNames(read("actors/schema.ts"))).toContain("JsonObject");
    expect(repeatedNames(files)).toEqual([]);
  });

  test("[TIDY-3] nothing reveals where it was written", () => {
    // Put together here, so that this file does not contain what it looks for.
    const words = [
      ["/wo", "rk/"],
      ["../sha", "red"],
      ["/ro", "ot/"],
      ["/fa", "rm/"],
    ].map((parts) => parts.join(""));
    const telling = (file: SourceFile): boolean =>
      words.some((word) => new RegExp(`(^|[^\\w./-])${word.replaceAll(".", "\\.")}`).test(file.text));
    expect(telling(planted("x.md", `see ${words[1]}/x`))).toBe(true);
    expect(telling(planted("x.ts", `"${words[0]}x"`))).toBe(true);
    const all = glob(
      "{actors,db,deploy,sdk,src,test,benchmarks,docs,.ci}/**/*.{ts,mjs,py,md,json,sql,yaml,service}",
    ).concat(glob("*.{md,json,toml,ts}"), [read(".ci/run")]);
    expect(all.filter(telling).map((file) => file.path)).toEqual([]);
  });
});

describe("documents", () => {
  test("[TIDY-8] what people read uses the words of the field", () => {
    const stumbles = /\b(?:whoever|promptly|farewell|turnstile|undercut|had better|as is usual|there is none that)\b/gi;
    const stumbling = ({ path, text }: SourceFile): string[] =>
      (text.match(stumbles) ?? []).map((word) => `${path}: ${word}`);
    expect(stumbling(planted("x.md", "Whoever asks had better come back promptly."))).toEqual([
      "x.md: Whoever",
      "x.md: had better",
      "x.md: promptly",
    ]);
    const pages = glob("{README,SECURITY,CONTRIBUTING}.md").concat(
      glob("docs/guides/*.md"),
      glob("docs/{operations,install,scaling,demo-model,untrusted-content}.md"),
      // Summaries, descriptions and the messages of its examples.
      [read("docs/openapi.json"), read("src/current/error-codes.ts")],
    );
    expect(pages.length).toBeGreaterThan(18);
    expect(pages.flatMap(stumbling)).toEqual([]);
  });

  test("[TIDY-4] every built rule has a test, and every test a rule", () => {
    const spec = "- **A-1** (built) x\n- **A-2** (planned, ours) y\n- **A-3** (built, ours) z";
    const quoting = quotedRules([planted("x.test.ts", 'test("[A-1] a"); test(`[A-9] b`);')]);
    expect(ruleBreaches(rulesOf(spec), quoting)).toEqual([
      "A-3 is built and no test quotes it",
      "a test quotes A-9, which is no rule",
    ]);
    const counted = [
      'test.skip("[A-1] a");',
      'test.todo("[A-1] a");',
      '// test("[A-1] a")',
      "const text = 'test(\"[A-1] a\")';",
    ];
    expect(counted.flatMap((text) => [...quotedRules([planted("x.test.ts", text)])])).toEqual([]);
    expect([...quotedRules([planted("x.test.ts", 'test("[A-1][A-2] [A-3] a, not [A-4]")')])]).toEqual([
      "A-1",
      "A-2",
      "A-3",
    ]);
    expect(ruleBreaches(rulesOf("- **A-1** (planned) x\n- **A-1** (planned) y"), new Set())).toEqual([
      "A-1 is there twice",
    ]);
    expect(malformedRules("- **A-1** (buit) x\n- **A-2** built\n- **A-3** (built) z")).toEqual([
      "- **A-1** (buit) x",
      "- **A-2** built",
    ]);
    expect(malformedRules(specText())).toEqual([]);
    const rules = rulesOf(specText());
    expect(rules.length).toBeGreaterThan(140);
    const real = tests.filter((file) => /\.test\.ts$|^test\/contract\//.test(file.path));
    expect(ruleBreaches(rules, quotedRules(real))).toEqual([]);
  });

  test("[TIDY-5] each dependency is pinned and has its line, with its version", () => {
    const page = read("docs/dependencies.md").text;
    const all = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(all.length).toBeGreaterThan(10);
    const wrong = all.filter(
      ([name, version]) =>
        !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version) || !page.includes(`| \`${name}\` | ${version} |`),
    );
    expect(wrong).toEqual([]);
  });

  test("[OPS-20] the page of operations explains every line that the service logs", () => {
    const source = planted(
      "src/x.ts",
      'log.warn({ a: f("x", 1) }, `no ${thing} here`);\nthis.log?.error({}, "a, (b");\nlog.fatal(reason);\nlog[level]({}, "of a level");\noptions.log("info", `made ${it}`);',
    );
    expect(logLinesOf(source)).toEqual([
      { level: "warn", message: "no … here" },
      { level: "error", message: "a, (b" },
      { level: "…", message: "of a level" },
      { level: "info", message: "made …" },
    ]);
    const page = read("docs/operations.md").text;
    // What stands in backquotes cannot have any.
    const shown = (message: string): string => `\`${message.replaceAll(/`[^`]*`/g, "…")}\``;
    const lines = sources.flatMap(logLinesOf);
    expect(lines.length).toBeGreaterThan(80);
    const unexplained = lines.map(({ message }) => shown(message)).filter((message) => !page.includes(message));
    expect(unexplained).toEqual([]);
  });

  test("[TIDY-7] the version of the service has its heading in the changelog, under what is not released", () => {
    const headings = [...read("CHANGELOG.md").text.matchAll(/^## \[([^\]]+)\](.*)$/gm)];
    expect(headings.map(([, name]) => name).slice(0, 2)).toEqual(["Unreleased", manifest.version]);
    expect(headings[1]?.[2]).toMatch(/^ - \d{4}-\d\d-\d\d$/);
  });

  test("[TIDY-9] the table of all aims has each aim of the sections below it", () => {
    const section = (day: string): string =>
      `<!-- begin stream -->\nMeasured ${day} at commit abc1 on x.\n\n| a | 1 | holds |\n| b | 2 | does not hold |\n<!-- end stream -->\n`;
    expect(withAllAims(section("2026-11-27"))).toContain("2 aims: 1 hold, 1 do not hold, 0 cannot be compared.");
    expect(withAllAims(section("2026-11-25"))).toContain(
      "| [stream](#stream) | b | 2 | not comparable (did not hold) | 2026-11-25, abc1 |",
    );
    const { text } = read("benchmarks/RESULTS.md");
    expect(text.length).toBeGreaterThan(40_000);
    expect(withAllAims(text)).toBe(text);
  });

  test("[TIDY-10] the table of invariants has those at the heads of files, and no others", () => {
    const file = planted("actors/x.ts", "/**\n * X.\n *\n * - AB-1: a\n *   b\n * - AB-2: c\n */\n// - AB-3: d");
    const row = (number: string, path = "actors/x.ts"): string => `| ${number} | a | \`${path}\` | b |\n`;
    expect(invariantBreaches(row("AB-1") + row("AB-2"), [file])).toEqual([]);
    expect(invariantBreaches(row("AB-1") + row("AB-4") + row("AB-2", "actors/y.ts"), [file])).toEqual([
      "AB-2 of actors/x.ts has no row",
      "AB-4 is not at the head of actors/x.ts",
      "AB-2 is not at the head of actors/y.ts",
    ]);
    const actors = sources.filter(({ path }) => path.startsWith("actors/"));
    expect(invariantBreaches(read("ARCHITECTURE.md").text, actors)).toEqual([]);
  });

  test("[TIDY-6] a file that a page or a comment names is there", () => {
    const paths = ["src/a/b.ts", "db/c.sql"];
    const breaches = (path: string, text: string): string[] => namelessFiles(planted(path, text), paths);
    expect(breaches("docs/x.md", "`src/a/b.ts`, `a/b.ts`, `../b.ts`, `c.sql`, `b.md`, `<kind>.ts`, `b`.ts")).toEqual(
      [],
    );
    expect(breaches("docs/x.md", "`z/b.ts` and `ab.ts`")).toEqual(["docs/x.md: z/b.ts", "docs/x.md: ab.ts"]);
    expect(breaches("src/x.ts", "/** As `d.ts`. */\nconst e = `e.ts`;\n// As `f.ts`.")).toEqual([
      "src/x.ts: d.ts",
      "src/x.ts: f.ts",
    ]);
    expect(breaches("docs/decisions/0001-a.md", "# 1. A\n\n*Replaced by [2](0002-b.md).*\n\n`d.ts`")).toEqual([]);

    const pages = glob("{docs,sdk}/**/*.md").concat(["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"].map(read));
    const code = [...sources, ...tests, ...benchmarks, ...deployment, read(GENERATED)];
    const all = [...code, ...glob("{src,db,sdk,benchmarks,test}/**/*.{mjs,sql,mts}")].map(({ path }) => path);
    // All but the breaches above.
    const checked = [...pages, ...code].filter(({ path }) => path !== "test/tidy.test.ts");
    expect(checked.flatMap((file) => namelessFiles(file, all))).toEqual([]);
  });

  test("[TIDY-6] decisions are numbered without gaps, links to files work, and the glossary has each word once", () => {
    const page = (path: string, text: string): SourceFile => planted(`docs/decisions/${path}`, text);
    const good = [page("0001-a.md", "# 1. A"), page("0002-b.md", "# 2. B")];
    expect(decisionBreaches(good)).toEqual([]);
    expect(decisionBreaches([...good, page("0002-c.md", "# 2. C")])).toEqual([
      "docs/decisions/0002-c.md is no number 3",
    ]);
    expect(decisionBreaches([page("0001-a.md", "# 2. A")])).toEqual(["docs/decisions/0001-a.md is no number 1"]);
    expect(decisionBreaches(glob("docs/decisions/*.md"))).toEqual([]);

    const exists = (path: string): boolean => existsSync(join(ROOT, path));
    // The map names files by their paths: one that has moved is a wrong turn.
    const named = [...read("ARCHITECTURE.md").text.matchAll(/`((?:actors|src|db|docs|test|sdk)\/[\w./-]+)`/g)].map(
      ([, path = ""]) => path,
    );
    expect(named.length).toBeGreaterThan(60);
    expect(named.filter((path) => !exists(path))).toEqual([]);
    const [, glossary = ""] = read("ARCHITECTURE.md").text.split("| Word | Meaning |");
    const words = [...(glossary.split("\n\n")[0] ?? "").matchAll(/\*\*([^*]+)\*\*/g)].flatMap(([, list = ""]) =>
      list.split(", "),
    );
    expect(words.length).toBeGreaterThan(40);
    expect(words.filter((word, at) => words.indexOf(word) !== at)).toEqual([]);
    const linked = planted(
      "docs/x.md",
      "[a](install.md) [b](../README.md#tests) [c](https://example.org) [d](gone.md)",
    );
    expect(brokenLinks(linked, exists)).toEqual(["docs/x.md: gone.md"]);
    const pages = glob("{docs,sdk,benchmarks}/**/*.md").concat(glob("*.md"));
    expect(pages.flatMap((file) => brokenLinks(file, exists))).toEqual([]);
  });
});
