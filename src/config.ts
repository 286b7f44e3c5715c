/**
 * The settings of the service, and the only reader of the environment. The schema below is the
 * single source: of the names, the defaults, what is allowed, the types, and what is secret. An
 * empty variable counts as absent. All errors are told at once, because a restart for each is slow.
 */
import { isIP } from "node:net";
import { resolve } from "node:path";
import { MOST_STEPS, STALLED_STREAM_MS, USUAL_JOB_LIMITS, USUAL_RESULT_BYTES } from "../actors/job/limits.ts";
import { USUAL_PLACES } from "../actors/job/slots.ts";
import { OneOf, type Static, type TSchema, Type } from "../actors/schema.ts";
import type { ActorSettings } from "../actors/troupe.ts";
import { INVALID, isUrlFormat, maskUrl, parseSetting } from "./setting-format.ts";

/** What the schema of a setting says beyond JSON Schema. */
interface SettingOptions {
  /** The variable's name. */
  readonly env: string;
  /** Completes "must be …". */
  readonly allowed: string;
  /** Never printed. */
  readonly secret?: true;
}

const setting = <T extends object>(options: SettingOptions & T): SettingOptions & T => options;

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
const ENVIRONMENTS = ["development", "production", "test"] as const;

const Settings = Type.Object({
  port: Type.Integer(
    setting({
      env: "PORT",
      default: 3000,
      minimum: 0,
      maximum: 65_535,
      allowed: "an integer from 0 (any free port) to 65535",
    }),
  ),
  host: Type.String(
    setting({
      env: "HOST",
      default: "127.0.0.1",
      format: "host",
      allowed: "an IP address or a host name to listen on",
    }),
  ),
  appUrl: Type.Optional(
    Type.String(
      setting({
        env: "APP_URL",
        format: "origin",
        allowed: "an http or https URL without a path, such as https://troupe.example",
      }),
    ),
  ),
  dataDir: Type.String(setting({ env: "DATA_DIR", default: ".troupe", format: "path", allowed: "a folder" })),
  databaseUrl: Type.Optional(
    Type.String(
      setting({
        env: "DATABASE_URL",
        format: "postgres-url",
        allowed: "a URL such as postgres://user:password@host:5432/database",
      }),
    ),
  ),
  troupeSecret: Type.Optional(
    Type.Uint8Array(
      setting({ env: "TROUPE_SECRET", secret: true, allowed: "32 bytes in base64 (openssl rand -base64 32)" }),
    ),
  ),
  model: Type.Optional(
    Type.String(setting({ env: "MODEL", format: "word", allowed: "a model as provider:name, without spaces" })),
  ),
  models: Type.Array(
    Type.String({ format: "word" }),
    setting({ env: "MODELS", default: [], allowed: "models as provider:name, separated by commas" }),
  ),
  anthropicApiKey: Type.Optional(
    Type.String(setting({ env: "ANTHROPIC_API_KEY", secret: true, format: "word", allowed: "a key without spaces" })),
  ),
  openaiApiKey: Type.Optional(
    Type.String(setting({ env: "OPENAI_API_KEY", secret: true, format: "word", allowed: "a key without spaces" })),
  ),
  openaiBaseUrl: Type.Optional(
    Type.String(
      setting({
        env: "OPENAI_BASE_URL",
        format: "http-url",
        allowed: "an http or https URL such as http://localhost:11434/v1",
      }),
    ),
  ),
  allowDemoModel: Type.Boolean(setting({ env: "ALLOW_DEMO_MODEL", default: false, allowed: "true, false, 1 or 0" })),
  monthlyTokenBudget: Type.Optional(
    Type.Integer(
      setting({
        env: "MONTHLY_TOKEN_BUDGET",
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        allowed: "a whole number of tokens, at least 1",
      }),
    ),
  ),
  maxStreams: Type.Integer(
    setting({
      env: "MAX_STREAMS",
      // A quiet stream costs some ten kilobytes and a file descriptor, and half is one organization's.
      default: 24_000,
      minimum: 2,
      maximum: 1_000_000,
      allowed: "a whole number from 2 to 1000000",
    }),
  ),
  jobSteps: Type.Integer(
    setting({
      env: "JOB_STEPS",
      default: USUAL_JOB_LIMITS.steps,
      minimum: 1,
      maximum: MOST_STEPS,
      allowed: `a whole number from 1 to ${MOST_STEPS}`,
    }),
  ),
  jobMinutes: Type.Integer(
    setting({
      env: "JOB_MINUTES",
      default: USUAL_JOB_LIMITS.runMs / 60_000,
      minimum: 1,
      maximum: 1_440,
      allowed: "a whole number of minutes from 1 to 1440",
    }),
  ),
  runningJobs: Type.Integer(
    setting({
      env: "RUNNING_JOBS",
      default: USUAL_PLACES.inProcess,
      minimum: 1,
      maximum: 10_000,
      allowed: "a whole number from 1 to 10000",
    }),
  ),
  runningJobsOfOrganization: Type.Integer(
    setting({
      env: "RUNNING_JOBS_OF_ORGANIZATION",
      default: USUAL_PLACES.ofOrganization,
      minimum: 1,
      maximum: 10_000,
      allowed: "a whole number from 1 to 10000",
    }),
  ),
  toolResultKib: Type.Integer(
    setting({
      env: "TOOL_RESULT_KIB",
      default: USUAL_RESULT_BYTES / 1_024,
      minimum: 1,
      maximum: 1_024,
      allowed: "a whole number of KiB from 1 to 1024",
    }),
  ),
  stalledStreamSeconds: Type.Integer(
    setting({
      env: "STALLED_STREAM_SECONDS",
      default: STALLED_STREAM_MS / 1_000,
      minimum: 1,
      maximum: 3_600,
      allowed: "a whole number of seconds from 1 to 3600",
    }),
  ),
  eventRetentionDays: Type.Integer(
    setting({
      env: "EVENT_RETENTION_DAYS",
      default: 90,
      minimum: 1,
      maximum: 3_650,
      allowed: "a whole number of days from 1 to 3650",
    }),
  ),
  sweepIntervalMinutes: Type.Integer(
    setting({
      env: "SWEEP_INTERVAL_MINUTES",
      default: 10,
      minimum: 1,
      maximum: 1_440,
      allowed: "a whole number of minutes from 1 to 1440",
    }),
  ),
  trustedProxies: Type.Array(
    Type.String({ format: "network" }),
    setting({ env: "TRUSTED_PROXIES", default: [], allowed: "IP addresses and CIDR ranges, separated by commas" }),
  ),
  rateBudgets: Type.Array(
    Type.String({ format: "rate-budget" }),
    setting({
      env: "RATE_BUDGETS",
      default: [],
      allowed: "entries organization=requests or *=requests, of 3000 requests a minute or more, separated by commas",
    }),
  ),
  rateLimitV1: Type.Boolean(setting({ env: "RATE_LIMIT_V1", default: false, allowed: "true, false, 1 or 0" })),
  egressAllow: Type.Array(
    Type.String({ format: "host-or-network" }),
    setting({
      env: "EGRESS_ALLOW",
      default: [],
      allowed: "host names, IP addresses and CIDR ranges, separated by commas",
    }),
  ),
  buildCommit: Type.Optional(
    Type.String(
      setting({ env: "BUILD_COMMIT", format: "commit", allowed: "the commit's hash in full, in hexadecimal" }),
    ),
  ),
  buildTime: Type.Optional(
    Type.String(setting({ env: "BUILD_TIME", format: "time", allowed: "a time such as 2026-11-01T12:00:00Z" })),
  ),
  logLevel: OneOf(LOG_LEVELS, setting({ env: "LOG_LEVEL", default: "info", allowed: LOG_LEVELS.join(", ") })),
  nodeEnv: OneOf(ENVIRONMENTS, setting({ env: "NODE_ENV", default: "development", allowed: ENVIRONMENTS.join(", ") })),
});

/** The settings, typed. `dataDir` is absolute; `appUrl` has no slash at its end. */
export type Config = Readonly<Static<typeof Settings>>;

/** What of it the actors are told. */
export const actorSettingsOf = ({ monthlyTokenBudget, jobSteps, jobMinutes }: Config): ActorSettings => ({
  monthlyTokens: monthlyTokenBudget ?? null,
  jobLimits: { steps: jobSteps, runMs: jobMinutes * 60_000 },
});

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ConfigError {
  readonly variable: string;
  /** What is wrong and what is allowed; never the value of a secret. */
  readonly message: string;
}

export type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly errors: readonly ConfigError[] };

type SettingSchema = TSchema & SettingOptions;

const SETTINGS = Object.entries(Settings.properties as unknown as Record<keyof Config, SettingSchema>);

/** Reads all settings, or tells everything that is wrong with them. */
export function readConfig(env: Environment = process.env): ConfigResult {
  const values: Record<string, unknown> = {};
  const errors: ConfigError[] = [];
  for (const [key, schema] of SETTINGS) {
    const raw = env[schema.env]?.trim();
    const value = raw === undefined || raw === "" ? schema.default : parseSetting(schema, raw);
    if (value === INVALID) errors.push({ variable: schema.env, message: complaint(schema, raw ?? "") });
    else if (value !== undefined) values[key] = value;
  }
  if (isPresent(env, "DATABASE_URL") && !isPresent(env, "TROUPE_SECRET") && values["nodeEnv"] === "production") {
    const secret = Settings.properties.troupeSecret as unknown as SettingSchema;
    errors.push({
      variable: secret.env,
      message: `is missing; with DATABASE_URL in production it must be ${secret.allowed}, the same for every replica`,
    });
  }
  if (errors.length > 0) return { ok: false, errors };
  return { ok: true, config: { ...(values as unknown as Config), dataDir: resolve(String(values["dataDir"])) } };
}

/** One line for each error: `PORT is "x"; it must be …`. */
export const describeErrors = (errors: readonly ConfigError[]): string =>
  errors.map(({ variable, message }) => `${variable} ${message}`).join("\n");

/** One line for each setting, `NAME=value`; secrets and passwords are masked. For `--print-config`. */
export function describeConfig(config: Config): string {
  const values: Readonly<Record<string, unknown>> = config;
  return SETTINGS.map(([key, schema]) => `${schema.env}=${describe(schema, values[key])}`).join("\n");
}

function describe(schema: SettingSchema, value: unknown): string {
  if (value === undefined) return "";
  if (schema.secret) return MASK;
  return typeof value === "string" && isUrlFormat(schema.format) ? maskUrl(value) : String(value);
}

/** The address under which users reach the service: APP_URL, or where it listens. `port` is the real one. */
export function appUrlOf(config: Config, port: number): string {
  return config.appUrl ?? localUrlOf(config.host, port);
}

/** Where a service that listens on `host` is reached from this machine. */
export function localUrlOf(host: string, port: number): string {
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host;
  return `http://${isIP(name) === 6 ? `[${name}]` : name}:${port}`;
}

/** Bun's own limit of open outgoing requests, past which one waits for ever. */
const DEFAULT_OUTBOUND_REQUESTS = 256;

/**
 * How many outgoing requests may be open at once. Bun reads the variable when the process starts,
 * so this can be told and not changed; the `start` script sets it.
 */
export function outboundRequestLimit(env: Environment = process.env): number {
  const limit = Number(env["BUN_CONFIG_MAX_HTTP_REQUESTS"]);
  return Number.isSafeInteger(limit) && limit > 0 ? limit : DEFAULT_OUTBOUND_REQUESTS;
}

const isPresent = (env: Environment, name: string): boolean => (env[name] ?? "").trim() !== "";

const MASK = "[redacted]";

function complaint(schema: SettingSchema, raw: string): string {
  // A refused URL may hold a password in a place where it cannot be found.
  const shown = schema.secret || isUrlFormat(schema.format) ? "is not valid" : `is ${JSON.stringify(raw)}`;
  return `${shown}; it must be ${schema.type === "string" && schema["enum"] ? "one of " : ""}${schema.allowed}`;
}
