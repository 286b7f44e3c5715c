/**
 * The settings of the service, and the only reader of the environment. The schema below is the single source of
 * names, defaults, allowed values, types and secrets. An empty variable counts as absent. All errors are reported
 * at once, because a restart for each is slow.
 */
import { isIP } from "node:net";
import { resolve } from "node:path";
import * as jobs from "../../actors/job/limits.ts";
import { DEFAULT_SLOTS } from "../../actors/job/run/slots.ts";
import { OneOf, type Static, type TSchema, Type } from "../../actors/schema.ts";
import { DEFAULT_PART } from "../../actors/runtime/throttle.ts";
import type { ActorSettings } from "../../actors/troupe.ts";
import { DEFAULT_WORKSPACE_LIMITS } from "../../actors/workspace/limits.ts";
import { readableAuthorities } from "./authorities.ts";
import { MONTHLY_COST_SETTING, MONTHLY_TOKENS_SETTING, monthLimitsOf, pricesOfBudget } from "./month-limits.ts";
import { OTHER_SECRETS_SETTING } from "./other-secrets.ts";
import { MODEL_INPUTS_SETTING, MODEL_THINKING_SETTING, MODEL_WINDOWS_SETTING } from "./model-windows.ts";
import { QUOTAS_SETTING } from "./quotas.ts";
import { replicaBesideDatabase, type SettingsCheck, wholeFilesKey, wholeProvider } from "./setting-checks.ts";
import { SHELL_HOSTS_SETTING } from "./shell.ts";
import { optional, setting, type SettingOptions, wholeNumber } from "./setting.ts";
import { endpointWithoutKey, TRACING_SETTINGS } from "./tracing.ts";
import { INVALID, isUrlFormat, maskUrl, parseSetting, POSTGRES_URL_FORM } from "./setting-format.ts";

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
const ENVIRONMENTS = ["development", "production", "test"] as const;
const MIB = 1024 * 1024;

/** A quiet stream costs some ten kilobytes and a file descriptor; one organization gets at most half of all streams. */
export const DEFAULT_MAX_STREAMS = 24_000;

/** Memory for bodies that are read at once, of all callers. */
const DEFAULT_BODY_MIB = 256;

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
  adminPort: Type.Optional(
    Type.Integer(
      setting({
        env: "ADMIN_PORT",
        minimum: 0,
        maximum: 65_535,
        allowed: "an integer from 0 (any free port) to 65535",
      }),
    ),
  ),
  adminHost: Type.String(
    setting({
      env: "ADMIN_HOST",
      default: "127.0.0.1",
      format: "host",
      allowed: "an IP address or a host name to listen on",
    }),
  ),
  appUrl: optional("APP_URL", "base-url", "an http or https URL like https://a.example or https://a.example/troupe"),
  appsUrl: optional("APPS_URL", "apps-origin", "an http or https URL without a path, such as https://*.apps.example"),
  dataDir: Type.String(setting({ env: "DATA_DIR", default: ".troupe", format: "path", allowed: "a folder" })),
  diskReserveMib: Type.Integer(
    setting({
      env: "DISK_RESERVE_MIB",
      default: 512,
      minimum: 0,
      maximum: 1_000_000_000,
      allowed: "a whole number of MiB, or 0 for none",
    }),
  ),
  databaseUrl: optional("DATABASE_URL", "postgres-url", POSTGRES_URL_FORM),
  troupeSecret: Type.Optional(
    Type.Uint8Array(
      setting({ env: "TROUPE_SECRET", secret: true, allowed: "32 bytes in base64 (openssl rand -base64 32)" }),
    ),
  ),
  troupeOtherSecrets: Type.Optional(Type.Array(Type.String({ format: "service-key" }), setting(OTHER_SECRETS_SETTING))),
  model: optional("MODEL", "word", "a model as provider:name, without spaces"),
  models: Type.Array(
    Type.String({ format: "word" }),
    setting({ env: "MODELS", default: [], allowed: "models as provider:name, separated by commas" }),
  ),
  ownKeyModels: Type.Array(
    Type.String({ format: "word" }),
    setting({ env: "OWN_KEY_MODELS", default: [], allowed: "models as provider:name, separated by commas" }),
  ),
  modelFallbacks: Type.Array(
    Type.String({ format: "word" }),
    setting({ env: "MODEL_FALLBACKS", default: [], allowed: "models as provider:name, separated by commas" }),
  ),
  modelWindows: Type.Array(Type.String({ format: "model-window" }), setting(MODEL_WINDOWS_SETTING)),
  modelInputs: Type.Array(Type.String({ format: "model-input" }), setting(MODEL_INPUTS_SETTING)),
  modelThinking: Type.Array(Type.String({ format: "model-thinking" }), setting(MODEL_THINKING_SETTING)),
  modelsWithoutTools: Type.Array(
    Type.String({ format: "word" }),
    setting({ env: "MODELS_WITHOUT_TOOLS", default: [], allowed: "models as provider:name, separated by commas" }),
  ),
  modelRetries: wholeNumber("MODEL_RETRIES", jobs.DEFAULT_MODEL_RETRIES, [0, 100]),
  anthropicApiKey: Type.Optional(
    Type.String(setting({ env: "ANTHROPIC_API_KEY", secret: true, format: "word", allowed: "a key without spaces" })),
  ),
  openaiApiKey: Type.Optional(
    Type.String(setting({ env: "OPENAI_API_KEY", secret: true, format: "word", allowed: "a key without spaces" })),
  ),
  openaiBaseUrl: optional("OPENAI_BASE_URL", "http-url", "an http or https URL such as http://localhost:11434/v1"),
  modelPrices: optional("MODEL_PRICES", "path", "a file with the prices of models"),
  allowDemoModel: Type.Boolean(setting({ env: "ALLOW_DEMO_MODEL", default: false, allowed: "true, false, 1 or 0" })),
  monthlyTokenBudget: Type.Optional(Type.Integer(setting(MONTHLY_TOKENS_SETTING))),
  monthlyCostBudget: Type.Optional(Type.String(setting(MONTHLY_COST_SETTING))),
  organizationLoopPercent: wholeNumber("ORGANIZATION_LOOP_PERCENT", DEFAULT_PART * 100, [5, 100]),
  maxStreams: wholeNumber("MAX_STREAMS", DEFAULT_MAX_STREAMS, [2, 1_000_000]),
  bodyMemoryMib: Type.Integer(
    setting({
      env: "BODY_MEMORY_MIB",
      default: DEFAULT_BODY_MIB,
      // One token may use an eighth, which must hold a body of the largest size.
      minimum: 8,
      maximum: 1_000_000,
      allowed: "a whole number of MiB from 8 to 1000000",
    }),
  ),
  jobSteps: wholeNumber("JOB_STEPS", jobs.DEFAULT_JOB_LIMITS.steps, [1, jobs.MOST_STEPS]),
  jobMinutes: Type.Integer(
    setting({
      env: "JOB_MINUTES",
      default: jobs.DEFAULT_JOB_LIMITS.runMs / 60_000,
      minimum: 1,
      maximum: 1_440,
      allowed: "a whole number of minutes from 1 to 1440",
    }),
  ),
  runningJobs: wholeNumber("RUNNING_JOBS", DEFAULT_SLOTS.inProcess, [1, 10_000]),
  runningJobsOfOrganization: wholeNumber("RUNNING_JOBS_OF_ORGANIZATION", DEFAULT_SLOTS.ofOrganization, [1, 10_000]),
  toolResultKib: Type.Integer(
    setting({
      env: "TOOL_RESULT_KIB",
      default: jobs.DEFAULT_RESULT_BYTES / 1_024,
      minimum: 1,
      maximum: 1_024,
      allowed: "a whole number of KiB from 1 to 1024",
    }),
  ),
  stalledStreamSeconds: Type.Integer(
    setting({
      env: "STALLED_STREAM_SECONDS",
      default: jobs.STALLED_STREAM_MS / 1_000,
      minimum: 1,
      maximum: 3_600,
      allowed: "a whole number of seconds from 1 to 3600",
    }),
  ),
  watchdogSeconds: Type.Integer(
    setting({
      env: "WATCHDOG_SECONDS",
      // No work of the service blocks the loop for a hundredth of this.
      default: 10,
      minimum: 0,
      maximum: 3_600,
      allowed: "a whole number of seconds from 0 (no watchdog) to 3600",
    }),
  ),
  memoryLimitMib: wholeNumber("MEMORY_LIMIT_MIB", 0, [0, 100_000_000]),
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
  corsOrigins: Type.Array(
    Type.String({ format: "origin" }),
    setting({
      env: "CORS_ORIGINS",
      default: [],
      allowed: "origins whose pages may use the API, such as https://console.example, separated by commas",
    }),
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
  v1RequestsPerMinute: wholeNumber("V1_REQUESTS_PER_MINUTE", 600_000, [0, 1_000_000_000]),
  quotas: Type.Array(Type.String({ format: "quota" }), setting(QUOTAS_SETTING)),
  egressAllow: Type.Array(
    Type.String({ format: "host-or-network" }),
    setting({
      env: "EGRESS_ALLOW",
      default: [],
      allowed:
        "host names, IP addresses, CIDR ranges and origins such as http://tools.internal:8080, separated by commas",
    }),
  ),
  egressCaFile: optional("EGRESS_CA_FILE", "path", "a file with certificates of authorities, in PEM"),
  shellHosts: Type.Array(Type.String({ format: "host-rule" }), setting(SHELL_HOSTS_SETTING)),
  oidcIssuer: optional("OIDC_ISSUER", "issuer-url", "the https URL that the OpenID provider calls itself by"),
  oidcClientId: optional("OIDC_CLIENT_ID", "word", "the id that the OpenID provider knows this service by"),
  oidcClientSecret: Type.Optional(
    Type.String(
      setting({ env: "OIDC_CLIENT_SECRET", secret: true, format: "word", allowed: "a secret without spaces" }),
    ),
  ),
  oidcName: optional("OIDC_NAME", "name", "a name of at most 40 characters for people to read"),
  replicaUrl: optional(
    "REPLICA_URL",
    "replica-url",
    "auto, or an http URL without a path where the other replicas reach this one, such as http://10.0.0.5:3100",
  ),
  filesDir: optional("FILES_DIR", "path", "a folder that all replicas have in common"),
  filesUrl: optional("FILES_URL", "s3-url", "a URL such as s3://bucket/prefix?endpoint=https://s3.example&region=eu-1"),
  filesAccessKeyId: optional("FILES_ACCESS_KEY_ID", "word", "a key without spaces"),
  filesSecretAccessKey: Type.Optional(
    Type.String(
      setting({ env: "FILES_SECRET_ACCESS_KEY", secret: true, format: "word", allowed: "a key without spaces" }),
    ),
  ),
  fileMib: Type.Integer(
    setting({
      env: "FILE_MIB",
      default: DEFAULT_WORKSPACE_LIMITS.fileBytes / MIB,
      minimum: 1,
      maximum: 102_400,
      allowed: "a whole number of MiB from 1 to 102400",
    }),
  ),
  workspaceMib: Type.Integer(
    setting({
      env: "WORKSPACE_MIB",
      default: DEFAULT_WORKSPACE_LIMITS.workspaceBytes / MIB,
      minimum: 1,
      maximum: 1_048_576_000,
      allowed: "a whole number of MiB from 1 to 1048576000",
    }),
  ),
  ...TRACING_SETTINGS,
  buildCommit: optional("BUILD_COMMIT", "commit", "the commit's hash in full, in hexadecimal"),
  buildTime: optional("BUILD_TIME", "time", "a time such as 2026-11-01T12:00:00Z"),
  logLevel: OneOf(LOG_LEVELS, setting({ env: "LOG_LEVEL", default: "info", allowed: LOG_LEVELS.join(", ") })),
  nodeEnv: OneOf(ENVIRONMENTS, setting({ env: "NODE_ENV", default: "development", allowed: ENVIRONMENTS.join(", ") })),
});

/** The typed settings. `dataDir` is absolute; `appUrl` has no trailing slash. */
export type Config = Readonly<Static<typeof Settings>>;

/** The settings that the actors get. */
export const actorSettingsOf = ({ jobSteps, jobMinutes, ...rest }: Config) =>
  ({
    ...monthLimitsOf(rest),
    jobLimits: { steps: jobSteps, runMs: jobMinutes * 60_000 },
    workspaceLimits: { fileBytes: rest.fileMib * MIB, workspaceBytes: rest.workspaceMib * MIB },
  }) satisfies ActorSettings;

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ConfigError {
  readonly variable: string;
  /** What is wrong and what is allowed; never the value of a secret. */
  readonly message: string;
}

export type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  /** `valid` has the settings that are valid on their own. */
  | { readonly ok: false; readonly errors: readonly ConfigError[]; readonly valid: Partial<Config> };

type SettingSchema = TSchema & SettingOptions;

const SETTINGS = Object.entries(Settings.properties as unknown as Record<keyof Config, SettingSchema>);

const secretBesideDatabase: SettingsCheck = {
  reads: ["DATABASE_URL", "TROUPE_SECRET", "NODE_ENV"],
  errors({ databaseUrl, troupeSecret, nodeEnv }) {
    if (databaseUrl === undefined || troupeSecret !== undefined || nodeEnv !== "production") return [];
    const { allowed } = Settings.properties.troupeSecret as unknown as SettingSchema;
    const message = `is missing; with DATABASE_URL in production it must be ${allowed}, the same for every replica`;
    return [{ variable: "TROUPE_SECRET", message }];
  },
};

/** The environment of this process with some variables replaced; undefined ones stay unchanged. */
export function environmentWith(changes: Environment): Environment {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  return { ...process.env, ...Object.fromEntries(given) };
}

/** Reads all settings, or reports all errors. */
export function readConfig(env: Environment = process.env, checks: readonly SettingsCheck[] = []): ConfigResult {
  const values: Record<string, unknown> = {};
  const errors: ConfigError[] = [];
  for (const [key, schema] of SETTINGS) {
    const raw = env[schema.env]?.trim();
    const value = raw === undefined || raw === "" ? schema.default : parseSetting(schema, raw);
    if (value === INVALID) errors.push({ variable: schema.env, message: complaint(schema, raw ?? "") });
    else if (value !== undefined) values[key] = value;
  }
  for (const folder of ["dataDir", "filesDir", "modelPrices", "egressCaFile"])
    if (values[folder] !== undefined) values[folder] = resolve(String(values[folder]));
  const wrong = new Set(errors.map(({ variable }) => variable));
  const config = values as unknown as Config;
  const own = [
    secretBesideDatabase,
    replicaBesideDatabase,
    wholeFilesKey,
    wholeProvider,
    pricesOfBudget,
    endpointWithoutKey,
    readableAuthorities,
  ];
  for (const check of [...own, ...checks]) {
    if (!check.reads.some((variable) => wrong.has(variable))) errors.push(...check.errors(config));
  }
  return errors.length > 0 ? { ok: false, errors, valid: config } : { ok: true, config };
}

/** One line for each error: `PORT is "x"; it must be …`. */
export const describeErrors = (errors: readonly ConfigError[]): string =>
  errors.map(({ variable, message }) => `${variable} ${message}`).join("\n");

/** One line for each setting, `NAME=value` or its error, with masked secrets and passwords. For `--print-config`. */
export function describeConfig(config: Partial<Config>, errors: readonly ConfigError[] = []): string {
  const values: Readonly<Record<string, unknown>> = config;
  return SETTINGS.map(([key, schema]) => {
    const wrong = errors.filter(({ variable }) => variable === schema.env);
    if (wrong.length > 0) return wrong.map(({ variable, message }) => `# wrong: ${variable} ${message}`).join("\n");
    return `${schema.env}=${describe(schema, values[key])}`;
  }).join("\n");
}

function describe(schema: SettingSchema, value: unknown): string {
  if (value === undefined) return "";
  if (schema.secret) return MASK;
  return typeof value === "string" && isUrlFormat(schema.format) ? maskUrl(value) : String(value);
}

/** The address under which users reach the service: APP_URL, or where it listens. `port` is the opened one. */
export function appUrlOf(config: Config, port: number): string {
  return config.appUrl ?? localUrlOf(config.host, port);
}

/** The address of a service that listens on `host`, from this machine. */
export const localUrlOf = (host: string, port: number): string =>
  listeningUrlOf(host === "0.0.0.0" || host === "::" ? "localhost" : host, port);

/** The address as it is bound: `http://0.0.0.0:3000` for all interfaces. */
export const listeningUrlOf = (host: string, port: number): string =>
  `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

/** Bun's default limit of open outgoing requests; further requests wait without a time limit. */
const DEFAULT_OUTBOUND_REQUESTS = 256;

/**
 * How many outgoing requests may be open at once. Bun reads the variable at the start of the process, so the service
 * can only report it; the `start` script sets it.
 */
export function outboundRequestLimit(env: Environment = process.env): number {
  const limit = Number(env["BUN_CONFIG_MAX_HTTP_REQUESTS"]);
  return Number.isSafeInteger(limit) && limit > 0 ? limit : DEFAULT_OUTBOUND_REQUESTS;
}

const MASK = "[redacted]";

function complaint(schema: SettingSchema, raw: string): string {
  // An invalid URL may contain a password that cannot be located and masked.
  const shown = schema.secret || isUrlFormat(schema.format) ? "is not valid" : `is ${JSON.stringify(raw)}`;
  return `${shown}; it must be ${schema.type === "string" && schema["enum"] ? "one of " : ""}${schema.allowed}`;
}
