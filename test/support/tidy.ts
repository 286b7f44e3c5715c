/** What keeps the tree tidy, as functions over its files, so that a planted breach can be fed to each. */
import { basename, dirname, join } from "node:path";
import { LAYERS } from "./layers.ts";
import { codeOf, importsOf, stringsAfter } from "./source-text.ts";

export interface SourceFile {
  /** From the root of the repository, with slashes. */
  readonly path: string;
  readonly text: string;
}

const isBuiltin = (name: string): boolean => name.startsWith("node:") || name === "bun" || name.startsWith("bun:");
const packageOf = (name: string): string =>
  name.startsWith("@") ? name.split("/").slice(0, 2).join("/") : (name.split("/")[0] ?? name);

/** A relative module as a path from the root; null for packages. */
export function targetOf(file: SourceFile, name: string): string | null {
  if (!name.startsWith(".")) return null;
  return new URL(name, `file:///${file.path}`).pathname.slice(1);
}

/** Imports that the table does not allow. */
export function layeringBreaches(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const layer = LAYERS.find((l) => l.files.test(file.path));
    if (layer === undefined) return [`${file.path}: belongs to no layer`];
    return importsOf(file).flatMap((name) => {
      const target = targetOf(file, name);
      const allowed =
        target !== null
          ? layer.ours.test(target)
          : isBuiltin(name)
            ? layer.builtins
            : layer.packages.some((p) => p === packageOf(name) || p === name.split("/")[0]);
      return allowed ? [] : [`${file.path} (${layer.name}) imports ${name}`];
    });
  });
}

/** Cycles of imports that exist at run time, each named once by its files; `import type` is erased. */
export const cycles = (files: readonly SourceFile[]): string[] =>
  ringsOf(files, ({ text }) => text.replace(/(^|\n)\s*(?:import|export) type\b[^;]*;/g, "$1"));

/** The same with imports of types: files that can only be read together. */
export const typeCycles = (files: readonly SourceFile[]): string[] => ringsOf(files, ({ text }) => text);

/** Folders that know each other: a file counts as the part that it lies in, `db`, `actors` or a folder in `src`. */
export const folderCycles = (files: readonly SourceFile[]): string[] =>
  ringsIn(
    Map.groupBy(files, ({ path }) => partOf(path))
      .entries()
      .map(([part, own]) => [
        part,
        own.flatMap((file) =>
          importsOf(file).flatMap((name) => {
            const target = targetOf(file, name);
            return target === null || partOf(target) === part ? [] : [partOf(target)];
          }),
        ),
      ]),
  );

const partOf = (path: string): string => /^(?:src\/[^/]+|[^/]+)(?=\/)/.exec(path)?.[0] ?? path;

function ringsOf(files: readonly SourceFile[], textOf: (file: SourceFile) => string): string[] {
  return ringsIn(
    files.map((file) => [
      file.path,
      importsOf({ ...file, text: textOf(file) }).flatMap((name) => targetOf(file, name) ?? []),
    ]),
  );
}

/** The rings of a graph, each named once by its places. */
function ringsIn(all: Iterable<readonly [string, readonly string[]]>): string[] {
  const edges = new Map(all);
  const found = new Set<string>();
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): void => {
    const seen = trail.indexOf(path);
    if (seen !== -1) return void found.add(trail.slice(seen).toSorted().join(" "));
    if (done.has(path)) return;
    for (const next of edges.get(path) ?? []) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) walk(path, []);
  return [...found];
}

/** What no core code touches: clocks, chance, I/O, and the ways around. Reading a time that is given is fine. */
const IMPURE =
  /\bDate\.now\b|\bnew\s+Date\s*\(\s*\)|(?<!\bnew\s+)\bDate\s*\(|=\s*(?:Math|Date)\b(?!\.)|\bMath\.random\b|\bset(?:Timeout|Interval|Immediate)\b|(?<![.\w])(?:fetch\s*\(|crypto\b(?!\s*:)|performance\b|globalThis\b|console\b)|\bprocess\s*(?:\?\.|[.[])|=\s*process\b|\bBun\b/;
/** Besides, only one place makes a `Date`, and only the runtime has microtasks. */
const IMPURE_OUTSIDE_SCHEMA = /\bnew\s+Date\b/;
const IMPURE_OUTSIDE_RUNTIME = /\bqueueMicrotask\b/;
const ENVIRONMENT =
  /\b(?:process|Bun|import\.meta)\s*\??\.\s*env\b|\bprocess\s*(?:\?\.)?\[|=\s*(?:process|Bun)\s*[;,)]/;
const MAY_READ_ENVIRONMENT =
  /^(?:src\/settings\/config\.ts|sdk\/typescript\/|test\/support\/|benchmarks\/|deploy\/troupe\.ts$)/;

const KEBAB_PATH = /^(?:[a-z0-9]+(?:-[a-z0-9]+)*\/)*[a-z0-9]+(?:[-.][a-z0-9]+)*\.tsx?$/;
const SAYS_NOTHING = /(?:^|\/)(?:utils?|helpers?|common|types|managers?|misc)(?:\/|\.)/;
/** Where what several files export is put together. */
const MOUNTS = /^(?:actors\/troupe|src\/mcp\/index)\.ts$/;
const RUNS_NOT = /\b(?:test|it|describe)(?:\.\w+)*\.(?:skip|todo|failing)\b/;

const isImpure = (path: string, code: string): boolean =>
  path.startsWith("actors/") &&
  (IMPURE.test(code) ||
    (path !== "actors/schema.ts" && IMPURE_OUTSIDE_SCHEMA.test(code)) ||
    (!path.startsWith("actors/runtime/") && IMPURE_OUTSIDE_RUNTIME.test(code)));

const readsEnvironment = (file: SourceFile, code: string): boolean =>
  !MAY_READ_ENVIRONMENT.test(file.path) &&
  (ENVIRONMENT.test(code) || importsOf(file).some((name) => name === "process" || name === "node:process"));

/** Hands on what other files of ours own: in part by `export … from`, or whole and nothing else. */
function handsOn({ path, text }: SourceFile, code: string): boolean {
  if (MOUNTS.test(path)) return false;
  const given = stringsAfter(
    text,
    code,
    /\bexport\b\s*(?:type\s*)?(?:\*(?:\s*as\s+\w+)?|\{[^}]*\})\s*from\s*(?=["'])/g,
  );
  const rest = code.replace(/\bimport\b[^;]*;/g, "").replace(/\bexport\s*(?:type\s*)?\{[^}]*\}\s*;/g, "");
  return (
    path.endsWith("/index.ts") ||
    given.some((name) => name.startsWith(".")) ||
    (/\bexport\b/.test(code) && rest.trim() === "")
  );
}

/** A test that does not run, without a `reason:` in a comment of its line or the line before. */
function skipsSilently(text: string, code: string): boolean {
  const lines = text.split("\n");
  return code
    .split("\n")
    .some(
      (line, i) => RUNS_NOT.test(line) && ![lines[i - 1], lines[i]].some((l) => /\/\/.*\breason: \S/.test(l ?? "")),
    );
}

/** Breaches of form: names, sizes, stories, default exports, barrels, the environment, tests that do not run. */
export function formBreaches(file: SourceFile): string[] {
  const { path, text } = file;
  const lines = text.replace(/\n$/, "").split("\n").length;
  const limit = path.startsWith("test/") ? 600 : 400;
  const code = codeOf(text);
  const checks: readonly (readonly [boolean, string])[] = [
    [lines > limit, `has ${lines} lines, more than ${limit}: find the noun that wants out`],
    [!KEBAB_PATH.test(path), "is not named in kebab-case"],
    [SAYS_NOTHING.test(path), "has a name that says nothing"],
    [
      lines > 60 && !path.endsWith(".test.ts") && !/^\s*(?:#!.*\n\s*)?\/\*\*/.test(text),
      "does not open with what it is",
    ],
    [/\bexport\s+default\b|\bas\s+default\b/.test(code) && !path.endsWith(".config.ts"), "has a default export"],
    [readsEnvironment(file, code), "reads the environment"],
    [isImpure(path, code), "touches a clock, chance or I/O"],
    [handsOn(file, code), "hands on what another file owns"],
    [/\b(?:test|it|describe)(?:\.\w+)*\.only\b/.test(code), "runs only some of its tests"],
    [skipsSilently(text, code), "skips a test without a reason"],
    [/^\s*\/[/*]\s*@ts-(?:ignore|nocheck)/m.test(text) || /\bas\s+any\b/.test(code), "looks away from a type"],
  ];
  return checks.filter(([isBreach]) => isBreach).map(([, complaint]) => `${path} ${complaint}`);
}

/** What declares a name at the level of its file: the formatter begins nothing else in the first column. */
const DECLARATION =
  /^(?:export )?(?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (?:([A-Za-z_$][\w$]*)|[[{]([\s\S]*?)[\]}] = )/gm;

/** The names at the level of the file. In a pattern each name is the last word before its default. */
export const fileLevelNames = ({ text }: SourceFile): ReadonlySet<string> =>
  new Set(
    [...codeOf(text).matchAll(DECLARATION)].flatMap(([, name, pattern]) =>
      name === undefined
        ? (pattern ?? "").split(",").flatMap((part) => /([A-Za-z_$][\w$]*)\s*(?:=.*)?$/s.exec(part.trim())?.[1] ?? [])
        : [name],
    ),
  );

/** Names that more than one file declares, with these files. */
export const repeatedNames = (files: readonly SourceFile[]): string[] =>
  Map.groupBy(
    files.flatMap((file) => [...fileLevelNames(file)].map((name) => ({ name, path: file.path }))),
    ({ name }) => name,
  )
    .entries()
    .filter(([, homes]) => homes.length > 1)
    .map(([name, homes]) => `${name}: ${homes.map(({ path }) => path).join(" ")}`)
    .toArray();

/** A rule of `docs/spec/`. */
export interface Rule {
  readonly id: string;
  readonly status: "built" | "planned";
}

export const rulesOf = (spec: string): Rule[] =>
  [...spec.matchAll(/^- \*\*([A-Z0-9]+-\d+)\*\* \((built|planned)(?:, ours)?\)/gm)].map(([, id, status]) => ({
    id: id ?? "",
    status: status === "built" ? "built" : "planned",
  }));

/** Lines that mean to be a rule and are none: a misspelt status would hide the rule from every check. */
export const malformedRules = (spec: string): string[] => {
  const known = new Set(rulesOf(spec).map((rule) => rule.id));
  return [...spec.matchAll(/^\s*[-*] \*\*([A-Z0-9]+-\d+)\*\*.*$/gm)].flatMap((match) =>
    known.has(match[1] ?? "") ? [] : [match[0].slice(0, 60)],
  );
};

/** The rules that stand in front of names of tests that run; in comments and inside other strings none counts. */
export function quotedRules(tests: readonly SourceFile[]): ReadonlySet<string> {
  const names = tests.flatMap(({ text }) =>
    stringsAfter(text, codeOf(text), /(?<!\.(?:skip|todo|failing)\s*\(\s*)(?<=[(,[:=]\s*)(?=["'`])/g),
  );
  const heads = names.map((name) => /^(?:\[[A-Z0-9]+-\d+\]\s*)+/.exec(name)?.[0] ?? "");
  return new Set(heads.flatMap((head) => [...head.matchAll(/\[([A-Z0-9]+-\d+)\]/g)].map((match) => match[1] ?? "")));
}

/** Built rules without a test, and tests of rules that nobody has written. */
export function ruleBreaches(rules: readonly Rule[], quoted: ReadonlySet<string>): string[] {
  const known = new Set(rules.map((rule) => rule.id));
  const twice = rules.filter((rule, i) => rules.findIndex((r) => r.id === rule.id) !== i);
  return [
    ...twice.map((rule) => `${rule.id} is there twice`),
    ...rules
      .filter((rule) => rule.status === "built" && !quoted.has(rule.id))
      .map((rule) => `${rule.id} is built and no test quotes it`),
    ...[...quoted].filter((id) => !known.has(id)).map((id) => `a test quotes ${id}, which is no rule`),
  ];
}

/** Pages of decisions whose number is not the one after the page before, in the name or in the title. */
export const decisionBreaches = (pages: readonly SourceFile[]): string[] =>
  pages.flatMap(({ path, text }, i) => {
    const isRight = basename(path).startsWith(`${String(i + 1).padStart(4, "0")}-`) && text.startsWith(`# ${i + 1}. `);
    return isRight ? [] : [`${path} is no number ${i + 1}`];
  });

/** Invariants at the heads of files without a row in the table, and rows without one at the head of their file. */
export function invariantBreaches(page: string, files: readonly SourceFile[]): string[] {
  const rows = [...page.matchAll(/^\| ([A-Z]{2}-\d+) \|[^|]*\| `([^`]+)` \|/gm)].map(([, id, path]) => `${id} ${path}`);
  const heads = files.flatMap(({ path, text }) =>
    [...(/^\/\*\*[\s\S]*?\*\//.exec(text)?.[0] ?? "").matchAll(/^ \* - ([A-Z]{2}-\d+): /gm)].map(
      ([, id]) => `${id} ${path}`,
    ),
  );
  return [
    ...heads.filter((head) => !rows.includes(head)).map((head) => `${head.replace(" ", " of ")} has no row`),
    ...rows.filter((row) => !heads.includes(row)).map((row) => row.replace(" ", " is not at the head of ")),
  ];
}

/** Comments of code; a page is one comment. */
const commentsIn = ({ path, text }: SourceFile): readonly string[] =>
  path.endsWith(".md") ? [text] : (text.match(/\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm) ?? []);

/**
 * Files of code that a page or a comment names, and that nobody has under this name. A name is the end of a path. A
 * decision that was replaced names what was there at its time.
 */
export function namelessFiles(file: SourceFile, paths: readonly string[]): string[] {
  if (/^# .*\n\n\*Replaced by /.test(file.text)) return [];
  const named = commentsIn(file).flatMap((comment) => [...comment.matchAll(/`([\w./-]+\.(?:tsx?|mjs|sql))`/g)]);
  return named
    .map(([, name = ""]) => name.replace(/^(?:\.{1,2}\/)+/, ""))
    .filter((name) => !paths.some((path) => path === name || path.endsWith(`/${name}`)))
    .map((name) => `${file.path}: ${name}`);
}

/** Links of a page to files of the repository that are not there. */
export const brokenLinks = ({ path, text }: SourceFile, exists: (path: string) => boolean): string[] =>
  [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)]
    .map((match) => match[1]!)
    .filter((target) => !/^[a-z]+:/.test(target) && !exists(join(dirname(path), target)))
    .map((target) => `${path}: ${target}`);
