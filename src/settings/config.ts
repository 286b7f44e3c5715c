/**
 * The only reader of the environment. An empty variable counts as absent. All errors are reported at once, because a
 * restart for each is slow.
 */
import { isIP } from "node:net";
import { resolve } from "node:path";
import type { TSchema } from "../../actors/schema.ts";
import { readableAuthorities } from "./authorities.ts";
import { isProvidedModels, readModelProviders } from "./model-providers.ts";
import type { SettingOptions } from "./setting.ts";
import {
  endpointWithoutKey,
  pricesOfBudget,
  replicaBesideDatabase,
  wholeFilesKey,
  wholeMail,
  wholeProvider,
} from "./setting-checks.ts";
import { type Config, type ConfigError, Settings, type SettingsCheck } from "./settings.ts";
import { INVALID, isUrlFormat, maskUrl, parseSetting } from "./setting-format.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  /** `valid` has the settings that are valid on their own. */
  | { readonly ok: false; readonly errors: readonly ConfigError[]; readonly valid: Partial<Config> };

type ConfigSetting = TSchema & SettingOptions;

const SETTINGS = Object.entries(Settings.properties as unknown as Record<keyof Config, ConfigSetting>);

const secretBesideDatabase: SettingsCheck = {
  reads: ["DATABASE_URL", "TROUPE_SECRET", "NODE_ENV"],
  errors({ databaseUrl, troupeSecret, nodeEnv }) {
    if (databaseUrl === undefined || troupeSecret !== undefined || nodeEnv !== "production") return [];
    const { allowed } = Settings.properties.troupeSecret as unknown as ConfigSetting;
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
    if (value === INVALID) errors.push({ variable: schema.env, message: settingComplaint(schema, raw ?? "") });
    else if (value !== undefined) values[key] = value;
  }
  for (const folder of ["dataDir", "filesDir", "modelPrices", "modelProviders", "egressCaFile", "smtpCaFile"])
    if (values[folder] !== undefined) values[folder] = resolve(String(values[folder]));
  const read =
    values["modelProviders"] === undefined ? null : readModelProviders(String(values["modelProviders"]), env);
  if (read !== null && isProvidedModels(read)) values["provided"] = read;
  else
    for (const what of read ?? [])
      errors.push({ variable: "MODEL_PROVIDERS", message: `names ${String(values["modelProviders"])}, which ${what}` });
  const wrong = new Set(errors.map(({ variable }) => variable));
  const config = values as unknown as Config;
  const own = [
    secretBesideDatabase,
    replicaBesideDatabase,
    wholeFilesKey,
    wholeProvider,
    pricesOfBudget,
    endpointWithoutKey,
    ...readableAuthorities,
    wholeMail,
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
    const line = `${schema.env}=${describe(schema, values[key])}`;
    return key === "modelProviders" ? [line, ...providerLines(config)].join("\n") : line;
  }).join("\n");
}

/** What the file of MODEL_PROVIDERS gives, as comments. */
function providerLines({ provided }: Partial<Config>): readonly string[] {
  if (provided === undefined) return [];
  return provided.providers.map(({ name, format, baseUrl, apiKey, headers = {} }) => {
    const models = provided.models.flatMap(({ model }) => (model.startsWith(`${name}:`) ? [model] : []));
    const parts = [
      `${format} at ${maskUrl(baseUrl)}`,
      apiKey === null ? "without a key" : `key ${MASK}`,
      ...Object.keys(headers).map((header) => `${header} ${MASK}`),
    ];
    return `#   ${name}: ${parts.join(", ")}; models: ${models.length === 0 ? "none" : models.join(", ")}`;
  });
}

function describe(schema: ConfigSetting, value: unknown): string {
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

function settingComplaint(schema: ConfigSetting, raw: string): string {
  // An invalid URL may contain a password that cannot be located and masked.
  const shown = schema.secret || isUrlFormat(schema.format) ? "is not valid" : `is ${JSON.stringify(raw)}`;
  return `${shown}; it must be ${schema.type === "string" && schema["enum"] ? "one of " : ""}${schema.allowed}`;
}
