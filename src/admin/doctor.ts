/**
 * The doctor's findings, with advice. It judges facts gathered elsewhere (`doctor-report.ts`), so each judgement
 * can be tested without causing the fault.
 */
import type { Inspection } from "../../db/inspection.ts";
import { losesAtFailover } from "../../db/migrate.ts";
import type { Config } from "../settings/settings.ts";
import { hasSeveralHosts } from "../settings/postgres-url.ts";

export interface Finding {
  readonly check: string;
  /** `problem`: broken, or may lose data. `warning`: works, but deserves attention. */
  readonly state: "ok" | "warning" | "problem";
  readonly finding: string;
  /** What to do; empty if nothing. */
  readonly advice: string;
}

export interface DatabaseFacts extends Omit<Inspection, "nowMs" | "keyCheck"> {
  /** How far the database's clock is ahead of this machine's, in ms. */
  readonly skewMs: number;
  /** Whether the database's secrets belong to this key; null if there is no key or no secret yet. */
  readonly isOfKey: boolean | null;
}

export interface DoctorFacts {
  readonly config: Config;
  readonly bun: { readonly version: string; readonly wanted: string };
  /** A text: why the database could not be asked. Null: there is no database yet. */
  readonly database: DatabaseFacts | string | null;
  readonly disk: { readonly path: string; readonly freeMib: number; readonly isWritable: boolean };
  /** The default model. A text: why there is none. */
  readonly model: { readonly name: string; readonly isDemo: boolean } | string;
  /** Allowed models without a price today; null: there is no price table. A text: why the table is invalid. */
  readonly unpriced: readonly { readonly name: string; readonly isDefault: boolean }[] | string | null;
  /** The providers asked; `why` is null if the provider answered. */
  readonly providers: readonly {
    /** The names under which it can be used. */
    readonly name: string;
    readonly address: string;
    readonly why: string | null;
    /** Whether it has named its models. */
    readonly lists: boolean;
  }[];
  /** Whether internet names resolve; null if all providers are local. */
  readonly findsNames: boolean | null;
  /** Why there is no git for clones. */
  readonly git: string | null;
  /** Why agents have no shell; null: they can have one. */
  readonly shell: string | null;
}

/** A larger difference makes tokens, leases and webhook signatures wrong. */
const MOST_CLOCK_SKEW_MS = 2_000;

const findingIn =
  (state: Finding["state"]) =>
  (check: string, finding: string, advice = ""): Finding => ({ check, state, finding, advice });
const okFinding = findingIn("ok");
const warning = findingIn("warning");
const problem = findingIn("problem");

export const findingsOf = (facts: DoctorFacts): readonly Finding[] => [
  bun(facts),
  ...configuration(facts.config),
  ...databaseFindings(facts),
  disk(facts),
  ...models(facts),
  ...prices(facts),
  facts.git === null
    ? okFinding("git", "repositories can be cloned")
    : warning("git", `repositories cannot be cloned: ${facts.git}`, "Install git 2.31 or newer."),
  facts.shell === null
    ? okFinding("shell", "agents can have a shell")
    : warning(
        "shell",
        `agents have no shell: ${facts.shell}`,
        "If agents need one: install bubblewrap, and allow it to make namespaces.",
      ),
];

function bun({ bun: { version, wanted } }: DoctorFacts): Finding {
  return Bun.semver.satisfies(version, wanted)
    ? okFinding("version", `Bun ${version}`)
    : problem("version", `Bun ${version} is not ${wanted}`, "Install the version that README.md names.");
}

function configuration(config: Config): readonly Finding[] {
  const isPublic = !["127.0.0.1", "::1", "localhost"].includes(config.host);
  const isBehindProxy = config.appUrl?.startsWith("https://") === true;
  const warnings: readonly (readonly [isSo: boolean, check: string, finding: string, advice: string])[] = [
    [
      config.nodeEnv !== "production",
      "configuration",
      `NODE_ENV is ${config.nodeEnv}`,
      "Set NODE_ENV=production where people work with it.",
    ],
    [
      isPublic && !isBehindProxy,
      "configuration",
      `it listens on ${config.host} without APP_URL: tokens travel in plain text`,
      "Put a proxy with TLS before it, and set APP_URL to its https address.",
    ],
    [
      isBehindProxy && config.trustedProxies.length === 0,
      "configuration",
      "APP_URL is https and TRUSTED_PROXIES is empty: all callers without a token share one rate limit",
      "Set TRUSTED_PROXIES to the proxy's address.",
    ],
    [
      config.adminPort === undefined,
      "configuration",
      "ADMIN_PORT is not set: no metrics are served",
      "Set it, and let Prometheus scrape it.",
    ],
    [
      config.egressAllow.length > 0,
      "egress",
      `agents and webhooks of every organization may reach ${config.egressAllow.join(", ")}`,
      "Keep EGRESS_ALLOW as short as it can be.",
    ],
  ];
  const found = warnings.flatMap(([isSo, ...words]) => (isSo ? [warning(...words)] : []));
  return found.length > 0 ? found : [okFinding("configuration", "nothing to say")];
}

function databaseFindings({ database: facts, config }: DoctorFacts): readonly Finding[] {
  if (facts === null) return [okFinding("database", "there is none yet: the first start makes it")];
  if (typeof facts === "string")
    return [
      problem("database", `it cannot be asked: ${facts}`, "Check that it runs and that DATABASE_URL is correct."),
    ];
  return [
    okFinding("database", `PostgreSQL ${facts.version}`),
    ...durability(facts, config),
    schema(facts),
    Math.abs(facts.skewMs) > MOST_CLOCK_SKEW_MS
      ? problem(
          "clock",
          `the clock of the database is ${(facts.skewMs / 1_000).toFixed(1)} s ahead of this machine's`,
          "Let NTP set both clocks.",
        )
      : okFinding("clock", "the database and this machine agree on the time"),
    facts.isOfKey === false
      ? problem(
          "key",
          "the secrets in the database were encrypted with another key",
          "Set TROUPE_SECRET to the key that it was made with, or put its file `secret` back.",
        )
      : okFinding("key", "the secrets in the database were encrypted with this key"),
  ];
}

function durability(facts: DatabaseFacts, { databaseUrl }: Config): readonly Finding[] {
  const { fsync, fullPageWrites, synchronousCommit } = facts;
  const settings: readonly (readonly [name: string, value: string, danger: string])[] = [
    ["fsync", fsync, "a crash of the machine may destroy the database"],
    ["full_page_writes", fullPageWrites, "a crash of the machine may leave torn pages"],
    ["synchronous_commit", synchronousCommit, "a crash may lose acknowledged requests"],
  ];
  const off = settings.filter(([, value]) => value === "off");
  if (off.length === 0 && losesAtFailover(facts, databaseUrl !== undefined && hasSeveralHosts(databaseUrl)))
    return [
      warning(
        "durability",
        "the standbys are asynchronous: a failover may lose the last acknowledged requests",
        "Set synchronous_standby_names (Patroni: synchronous_mode: true).",
      ),
    ];
  if (off.length === 0) return [okFinding("durability", "commits are on the disk before they are acknowledged")];
  return off.map(([name, , danger]) =>
    problem("durability", `${name} is off: ${danger}`, `Set ${name} = on in postgresql.conf.`),
  );
}

function schema({ pending }: DatabaseFacts): Finding {
  if (pending === null)
    return problem("schema", "the database is newer than this code", "Start the version that made it, or a newer one.");
  return pending === 0
    ? okFinding("schema", "up to date")
    : warning("schema", `${pending} migrations are not applied yet`, "The next start applies them. Back up first.");
}

function disk({ disk: { path, freeMib, isWritable }, config }: DoctorFacts): Finding {
  if (!isWritable) return problem("disk", `${path} cannot be written`, "Give the folder to the user of the service.");
  const { diskReserveMib: reserve } = config;
  if (freeMib < reserve)
    return problem(
      "disk",
      `${freeMib} MiB are free in ${path}: writes are refused`,
      "Make room, or lower DISK_RESERVE_MIB.",
    );
  if (freeMib < 4 * reserve)
    return warning(
      "disk",
      `${freeMib} MiB are free in ${path}`,
      `At ${reserve} MiB writes are refused: make room before.`,
    );
  return okFinding("disk", `${freeMib} MiB are free in ${path}`);
}

/** A mistyped address is answered in the same way. */
const TRY_IT = "`bun run admin models try` shows whether the address is right";

function models({ model, providers, findsNames, config }: DoctorFacts): readonly Finding[] {
  const found: Finding[] = [];
  if (typeof model === "string") found.push(problem("model", model, "Set MODEL and the key of its provider."));
  else if (model.isDemo && config.nodeEnv === "production")
    found.push(warning("model", `${model.name} is not a language model`, "Set MODEL and the key of its provider."));
  else found.push(okFinding("model", model.name));
  for (const { name, address, why, lists } of providers)
    found.push(
      why === null
        ? okFinding("provider", `${name} at ${address} answers${lists ? "" : `, and lists no models: ${TRY_IT}`}`)
        : problem(
            "provider",
            `${name} at ${address} does not answer: ${why}`,
            "Check that it runs, that the key is correct, and that this machine can reach it.",
          ),
    );
  if (findsNames === false)
    found.push(
      problem("egress", "host names cannot be resolved", "Check the resolver of this machine (/etc/resolv.conf)."),
    );
  return found;
}

/** Costs leave out models without a price. If the month has a cost limit, no work begins with one of them. */
function prices({ unpriced, config }: DoctorFacts): readonly Finding[] {
  if (unpriced === null) return [];
  if (typeof unpriced === "string")
    return [problem("prices", unpriced, "Correct the file: the service does not start with it.")];
  const [first] = unpriced;
  if (first === undefined) return [okFinding("prices", "every model has a price")];
  const names = unpriced.map(({ name }) => name).join(", ");
  const advice = 'Give each a price in MODEL_PRICES ("0" where it costs nothing), and start the service anew.';
  if (config.monthlyCostBudget === undefined)
    return [warning("prices", `without a price, so their tokens are not in any cost: ${names}`, advice)];
  const finding = `MONTHLY_COST_BUDGET is set, so no work starts with these models, which have no price: ${names}`;
  return [(unpriced.some(({ isDefault }) => isDefault) ? problem : warning)("prices", finding, advice)];
}
