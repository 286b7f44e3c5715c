/** The settings: defaults, every refusal by name, what is masked. */
import { expect, test } from "bun:test";
import { resolve } from "node:path";
import {
  type Config,
  type Environment,
  appUrlOf,
  describeConfig,
  describeErrors,
  outboundRequestLimit,
  readConfig,
} from "../../src/settings/config.ts";

const SECRET = Buffer.alloc(32, 7).toString("base64");

function configOf(env: Environment): Config {
  const result = readConfig(env);
  if (!result.ok) throw new Error(describeErrors(result.errors));
  return result.config;
}

function errorsOf(env: Environment): readonly string[] {
  const result = readConfig(env);
  return result.ok ? [] : result.errors.map((error) => error.variable);
}

test("[START-1] an absent setting takes its default", () => {
  expect(configOf({})).toEqual({
    port: 3000,
    host: "127.0.0.1",
    adminHost: "127.0.0.1",
    dataDir: resolve(".troupe"),
    diskReserveMib: 512,
    models: [],
    ownKeyModels: [],
    modelFallbacks: [],
    modelWindows: [],
    modelInputs: [],
    modelRetries: 6,
    allowDemoModel: false,
    maxStreams: 24_000,
    bodyMemoryMib: 256,
    jobSteps: 32,
    jobMinutes: 30,
    runningJobs: 64,
    runningJobsOfOrganization: 16,
    toolResultKib: 64,
    stalledStreamSeconds: 60,
    watchdogSeconds: 10,
    memoryLimitMib: 0,
    eventRetentionDays: 90,
    sweepIntervalMinutes: 10,
    trustedProxies: [],
    corsOrigins: [],
    rateBudgets: [],
    rateLimitV1: false,
    v1RequestsPerMinute: 600_000,
    quotas: [],
    egressAllow: [],
    shellHosts: [],
    otelSdkDisabled: false,
    otlpProtocol: "http/protobuf",
    otlpCompression: "none",
    otlpTimeoutMs: 10_000,
    otelQueueSpans: 2_048,
    otelDelayMs: 5_000,
    otelSampler: "parentbased_always_on",
    fileMib: 256,
    workspaceMib: 10_240,
    logLevel: "info",
    nodeEnv: "development",
  });
});

test("[START-1] an empty setting counts as absent", () => {
  const names = [
    "PORT",
    "HOST",
    "APP_URL",
    "DATA_DIR",
    "DATABASE_URL",
    "TROUPE_SECRET",
    "MODEL",
    "TRUSTED_PROXIES",
    "EGRESS_ALLOW",
    "SHELL_HOSTS",
    "RATE_BUDGETS",
    "RATE_LIMIT_V1",
    "V1_REQUESTS_PER_MINUTE",
    "QUOTAS",
    "BUILD_COMMIT",
    "BUILD_TIME",
  ];
  expect(configOf(Object.fromEntries(names.map((name) => [name, " "])))).toEqual(configOf({}));
});

test("[START-1] every setting is read and typed", () => {
  const config = configOf({
    PORT: "0",
    HOST: "::",
    ADMIN_PORT: "9464",
    ADMIN_HOST: "10.0.0.1",
    APP_URL: "https://troupe.example/",
    DATA_DIR: "/srv/troupe",
    DISK_RESERVE_MIB: "0",
    DATABASE_URL: "postgres://u:p@db:5432/troupe",
    REPLICA_URL: "auto",
    FILES_DIR: "/srv/files",
    TROUPE_SECRET: SECRET,
    MODEL: "anthropic:claude",
    MODELS: "openai:gpt-x, anthropic:claude-y",
    OWN_KEY_MODELS: "anthropic:claude-z",
    MODEL_FALLBACKS: "openai:gpt-z",
    MODEL_WINDOWS: "openai:gpt-x=400000",
    MODEL_INPUTS: "openai:gpt-x=text+image",
    MODEL_RETRIES: "9",
    ANTHROPIC_API_KEY: "a",
    OPENAI_API_KEY: "b",
    OPENAI_BASE_URL: "http://localhost:11434/v1",
    ALLOW_DEMO_MODEL: "1",
    MONTHLY_TOKEN_BUDGET: "5000000",
    MODEL_PRICES: "/etc/prices.json",
    MONTHLY_COST_BUDGET: "250.00",
    MAX_STREAMS: "50000",
    BODY_MEMORY_MIB: "1000",
    JOB_STEPS: "256",
    JOB_MINUTES: "1440",
    RUNNING_JOBS: "8",
    RUNNING_JOBS_OF_ORGANIZATION: "4",
    TOOL_RESULT_KIB: "128",
    STALLED_STREAM_SECONDS: "5",
    WATCHDOG_SECONDS: "0",
    MEMORY_LIMIT_MIB: "2048",
    EVENT_RETENTION_DAYS: "30",
    SWEEP_INTERVAL_MINUTES: "1",
    TRUSTED_PROXIES: "10.0.0.0/8, ::1 fd00::/8",
    CORS_ORIGINS: "https://console.example/, http://localhost:5173",
    RATE_BUDGETS: "org_a-B_1=3000,*=100000",
    RATE_LIMIT_V1: "true",
    V1_REQUESTS_PER_MINUTE: "0",
    QUOTAS: "agents=5,tasks=unlimited",
    EGRESS_ALLOW: "mcp.internal, 10.1.0.0/16 ::1",
    SHELL_HOSTS: "registry.npmjs.org, *.example.com:8443",
    OIDC_ISSUER: "https://id.example/realms/main",
    OIDC_CLIENT_ID: "troupe",
    OIDC_CLIENT_SECRET: "hush",
    OIDC_NAME: "Example ID",
    FILES_URL: "s3://bucket/prefix?endpoint=http://127.0.0.1:9000&region=eu-1",
    FILES_ACCESS_KEY_ID: "id",
    FILES_SECRET_ACCESS_KEY: "key",
    FILE_MIB: "1024",
    WORKSPACE_MIB: "100000",
    BUILD_COMMIT: "0123456789abcdef0123456789abcdef01234567",
    BUILD_TIME: "2026-11-01T12:00:00Z",
    OTEL_SDK_DISABLED: "true",
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://localhost:4318",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20x",
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
    OTEL_EXPORTER_OTLP_TIMEOUT: "500",
    OTEL_BSP_MAX_QUEUE_SIZE: "10",
    OTEL_BSP_SCHEDULE_DELAY: "20",
    OTEL_SERVICE_NAME: "troupe-prod",
    OTEL_RESOURCE_ATTRIBUTES: "a.b=c",
    OTEL_TRACES_SAMPLER: "traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0.25",
    LOG_LEVEL: "DEBUG",
    NODE_ENV: "production",
  });
  expect(config).toEqual({
    port: 0,
    host: "::",
    adminPort: 9464,
    adminHost: "10.0.0.1",
    appUrl: "https://troupe.example",
    dataDir: "/srv/troupe",
    diskReserveMib: 0,
    databaseUrl: "postgres://u:p@db:5432/troupe",
    replicaUrl: "auto",
    filesDir: "/srv/files",
    troupeSecret: new Uint8Array(32).fill(7),
    model: "anthropic:claude",
    models: ["openai:gpt-x", "anthropic:claude-y"],
    ownKeyModels: ["anthropic:claude-z"],
    modelFallbacks: ["openai:gpt-z"],
    modelWindows: ["openai:gpt-x=400000"],
    modelInputs: ["openai:gpt-x=text+image"],
    modelRetries: 9,
    anthropicApiKey: "a",
    openaiApiKey: "b",
    openaiBaseUrl: "http://localhost:11434/v1",
    allowDemoModel: true,
    monthlyTokenBudget: 5_000_000,
    modelPrices: "/etc/prices.json",
    monthlyCostBudget: "250.00",
    maxStreams: 50_000,
    bodyMemoryMib: 1_000,
    jobSteps: 256,
    jobMinutes: 1_440,
    runningJobs: 8,
    runningJobsOfOrganization: 4,
    toolResultKib: 128,
    stalledStreamSeconds: 5,
    watchdogSeconds: 0,
    memoryLimitMib: 2_048,
    eventRetentionDays: 30,
    sweepIntervalMinutes: 1,
    trustedProxies: ["10.0.0.0/8", "::1", "fd00::/8"],
    corsOrigins: ["https://console.example", "http://localhost:5173"],
    rateBudgets: ["org_a-B_1=3000", "*=100000"],
    rateLimitV1: true,
    v1RequestsPerMinute: 0,
    quotas: ["agents=5", "tasks=unlimited"],
    egressAllow: ["mcp.internal", "10.1.0.0/16", "::1"],
    shellHosts: ["registry.npmjs.org", "*.example.com:8443"],
    oidcIssuer: "https://id.example/realms/main",
    oidcClientId: "troupe",
    oidcClientSecret: "hush",
    oidcName: "Example ID",
    filesUrl: "s3://bucket/prefix?endpoint=http://127.0.0.1:9000&region=eu-1",
    filesAccessKeyId: "id",
    filesSecretAccessKey: "key",
    fileMib: 1_024,
    workspaceMib: 100_000,
    buildCommit: "0123456789abcdef0123456789abcdef01234567",
    buildTime: "2026-11-01T12:00:00Z",
    otelSdkDisabled: true,
    otlpEndpoint: "http://localhost:4318",
    otlpHeaders: "authorization=Bearer%20x",
    otlpProtocol: "http/json",
    otlpCompression: "gzip",
    otlpTimeoutMs: 500,
    otelQueueSpans: 10,
    otelDelayMs: 20,
    otelServiceName: "troupe-prod",
    otelResourceAttributes: "a.b=c",
    otelSampler: "traceidratio",
    otelSamplerArg: "0.25",
    logLevel: "debug",
    nodeEnv: "production",
  });
});

const WRONG: readonly (readonly [string, string])[] = [
  ["PORT", "65536"],
  ["DISK_RESERVE_MIB", "-1"],
  ["MAX_STREAMS", "1"],
  ["JOB_STEPS", "257"],
  ["JOB_MINUTES", "0"],
  ["RUNNING_JOBS", "0"],
  ["RUNNING_JOBS_OF_ORGANIZATION", "10001"],
  ["TOOL_RESULT_KIB", "1025"],
  ["STALLED_STREAM_SECONDS", "3601"],
  ["WATCHDOG_SECONDS", "3601"],
  ["EVENT_RETENTION_DAYS", "0"],
  ["OIDC_ISSUER", "id.example"],
  ["OIDC_ISSUER", "https://user@id.example"],
  ["OIDC_ISSUER", "https://id.example/?tenant=1"],
  ["OIDC_CLIENT_ID", "two words"],
  ["OIDC_NAME", "x".repeat(41)],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "http://user:word@localhost:4318"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "authorization"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "a=%0d%0ab"],
  ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
  ["OTEL_TRACES_SAMPLER", "jaeger_remote"],
  ["OTEL_TRACES_SAMPLER_ARG", "1.5"],
  ["OTEL_RESOURCE_ATTRIBUTES", "a=%"],
  ["FILES_URL", "https://bucket.example"],
  ["FILES_URL", "s3://"],
  ["FILES_URL", "s3://bucket?endpoint=ftp://x"],
  ["FILE_MIB", "0"],
  ["WORKSPACE_MIB", "0.5"],
  ["SWEEP_INTERVAL_MINUTES", "1441"],
  ["PORT", "-1"],
  ["PORT", "3e3"],
  ["MONTHLY_TOKEN_BUDGET", "0"],
  ["MONTHLY_TOKEN_BUDGET", "1e6"],
  ["MONTHLY_COST_BUDGET", "0"],
  ["MONTHLY_COST_BUDGET", "250,00"],
  ["HOST", "a host"],
  ["APP_URL", "troupe.example"],
  ["APP_URL", "https://troupe.example/a//b"],
  ["APP_URL", "https://troupe.example/../a"],
  ["APP_URL", "https://troupe.example/a?b=c"],
  ["APP_URL", "https://user@troupe.example"],
  ["DATABASE_URL", "mysql://db/troupe"],
  ["DATABASE_URL", "db/troupe"],
  ["DATABASE_URL", "postgres://u:p@a,b/troupe"],
  ["DATABASE_URL", "postgres://u:p@a,b/troupe?target_session_attrs=prefer-standby"],
  ["DATABASE_URL", "postgres://u:p@a,/troupe?target_session_attrs=read-write"],
  ["DATABASE_URL", "postgres://u:p@a:5432,b:x/troupe?target_session_attrs=read-write"],
  ["DATABASE_URL", "postgres://u:p@a,[::1]:5432/troupe?target_session_attrs=read-write"],
  ["TROUPE_SECRET", "short"],
  ["TROUPE_SECRET", Buffer.alloc(31).toString("base64")],
  ["TROUPE_SECRET", Buffer.alloc(33).toString("base64")],
  ["TROUPE_SECRET", `${"!".repeat(3)}${SECRET}`],
  ["OPENAI_BASE_URL", "localhost:11434"],
  ["ALLOW_DEMO_MODEL", "maybe"],
  ["TRUSTED_PROXIES", "10.0.0.0/33"],
  ["TRUSTED_PROXIES", "10.0.0.1, proxy"],
  ["EGRESS_ALLOW", "10.0.0.0/33"],
  ["EGRESS_ALLOW", "10.0.0.256"],
  ["EGRESS_ALLOW", "https://mcp.internal"],
  ["EGRESS_ALLOW", "*.internal"],
  ["SHELL_HOSTS", "10.0.0.1"],
  ["SHELL_HOSTS", "a.*.example"],
  ["SHELL_HOSTS", "https://a.example"],
  ["SHELL_HOSTS", "a.example:70000"],
  ["BUILD_COMMIT", "v1.2.3"],
  ["BUILD_COMMIT", "0123456"],
  ["BUILD_TIME", "2026-11-01"],
  ["BUILD_TIME", "2026-13-01T12:00:00Z"],
  ["RATE_BUDGETS", "org_1=2999"],
  ["RATE_BUDGETS", "5000"],
  ["RATE_BUDGETS", "org_1=5e3"],
  ["RATE_BUDGETS", "tok_1=5000"],
  ["RATE_LIMIT_V1", "5"],
  ["QUOTAS", "agents"],
  ["QUOTAS", "unicorns=5"],
  ["QUOTAS", "agents=-1"],
  ["QUOTAS", "secrets=65"],
  ["LOG_LEVEL", "loud"],
  ["NODE_ENV", "staging"],
];

for (const [variable, value] of WRONG) {
  test(`[START-2] ${variable}=${value} is refused by name`, () => {
    expect(errorsOf({ [variable]: value })).toEqual([variable]);
  });
}

test("[START-2] all errors are told at once, with what is allowed", () => {
  const result = readConfig({ PORT: "x", LOG_LEVEL: "loud", NODE_ENV: "y" });
  expect(result.ok ? "" : describeErrors(result.errors)).toBe(
    'PORT is "x"; it must be an integer from 0 (any free port) to 65535\n' +
      'LOG_LEVEL is "loud"; it must be one of trace, debug, info, warn, error, fatal, silent\n' +
      'NODE_ENV is "y"; it must be one of development, production, test',
  );
});

test("[START-2] an error does not show a secret or a URL that may have one", () => {
  const result = readConfig({
    TROUPE_SECRET: "hunter2",
    DATABASE_URL: "mysql://u:hunter2@db",
    ANTHROPIC_API_KEY: "hunter2 x",
  });
  const text = result.ok ? "" : describeErrors(result.errors);
  expect(text.split("\n")).toHaveLength(3);
  expect(text).not.toContain("hunter2");
});

test("[START-3] DATABASE_URL in production needs TROUPE_SECRET", () => {
  const env = { DATABASE_URL: "postgres://db/troupe", NODE_ENV: "production" };
  expect(errorsOf(env)).toEqual(["TROUPE_SECRET"]);
  expect(errorsOf({ ...env, TROUPE_SECRET: SECRET })).toEqual([]);
  expect(errorsOf({ ...env, NODE_ENV: "development" })).toEqual([]);
  expect(errorsOf({ NODE_ENV: "production" })).toEqual([]);
});

test("[REP-7] one of several replicas shares a database and a place of files, and says where it is", () => {
  const env = { REPLICA_URL: "auto", DATABASE_URL: "postgres://db/troupe", FILES_DIR: "/srv/files" };
  expect(errorsOf(env)).toEqual([]);
  expect(errorsOf({ ...env, REPLICA_URL: "http://10.0.0.5:3100/" })).toEqual([]);
  expect(configOf({ ...env, REPLICA_URL: "http://10.0.0.5:3100/" }).replicaUrl).toBe("http://10.0.0.5:3100");
  for (const wrong of ["10.0.0.5", "https://10.0.0.5", "http://10.0.0.5/path"])
    expect(errorsOf({ ...env, REPLICA_URL: wrong })).toEqual(["REPLICA_URL"]);
  expect(errorsOf({ REPLICA_URL: "auto" })).toEqual(["DATABASE_URL", "FILES_URL"]);
  expect(errorsOf({ ...env, FILES_DIR: "", FILES_URL: "s3://bucket" })).toEqual([]);
  expect(describeConfig(configOf(env))).toContain("REPLICA_URL=auto");
});

test("[AUTH-21] a provider is set whole, and over https in production", () => {
  const env = { OIDC_ISSUER: "https://id.example", OIDC_CLIENT_ID: "troupe", OIDC_CLIENT_SECRET: "hush" };
  expect(errorsOf(env)).toEqual([]);
  expect(errorsOf({ ...env, OIDC_CLIENT_SECRET: "" })).toEqual(["OIDC_CLIENT_SECRET"]);
  expect(errorsOf({ OIDC_ISSUER: env.OIDC_ISSUER })).toEqual(["OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"]);
  expect(errorsOf({ OIDC_NAME: "Example ID" })).toEqual(Object.keys(env));
  const plain = { ...env, OIDC_ISSUER: "http://id.internal" };
  expect(errorsOf(plain)).toEqual([]);
  expect(errorsOf({ ...plain, NODE_ENV: "production" })).toEqual(["OIDC_ISSUER"]);
  expect(describeConfig(configOf(env))).not.toContain("hush");
});

test("[START-4] the printed settings mask secrets and the passwords of URLs", () => {
  const text = describeConfig(
    configOf({
      TROUPE_SECRET: SECRET,
      ANTHROPIC_API_KEY: "hunter2",
      OPENAI_API_KEY: "hunter2",
      DATABASE_URL: "postgres://troupe:hunter2@db/x?sslmode=require&password=hunter2",
      OPENAI_BASE_URL: "https://me:hunter2@proxy/v1",
    }),
  );
  expect(text).not.toContain("hunter2");
  expect(text).not.toContain(SECRET);
  const lines = text.split("\n");
  expect(lines).toContain("PORT=3000");
  expect(lines).toContain("TROUPE_SECRET=[redacted]");
  expect(lines).toContain("DATABASE_URL=postgres://troupe:redacted@db/x?sslmode=require&password=redacted");
  expect(lines).toContain("APP_URL=");
});

test("[PG-1] DATABASE_URL may have several hosts, of which the one that takes writes is used", () => {
  const url = "postgres://troupe:hunter2@db:5432,10.0.0.2:5433,db/troupe?target_session_attrs=read-write";
  expect(configOf({ DATABASE_URL: url }).databaseUrl).toBe(url);
  expect(describeConfig(configOf({ DATABASE_URL: url }))).toContain(
    `DATABASE_URL=${url.replace("hunter2", "redacted")}`,
  );
});

test("[START-5] without APP_URL the address follows from where the service listens", () => {
  expect(appUrlOf(configOf({}), 4000)).toBe("http://127.0.0.1:4000");
  expect(appUrlOf(configOf({ HOST: "0.0.0.0" }), 3000)).toBe("http://localhost:3000");
  expect(appUrlOf(configOf({ HOST: "::1" }), 3000)).toBe("http://[::1]:3000");
  expect(appUrlOf(configOf({ APP_URL: "https://troupe.example" }), 3000)).toBe("https://troupe.example");
  expect(appUrlOf(configOf({ APP_URL: "https://troupe.example/a/" }), 3000)).toBe("https://troupe.example/a");
});

test("[START-6] the limit of outgoing requests is Bun's own unless the environment raised it", () => {
  expect(outboundRequestLimit({})).toBe(256);
  expect(outboundRequestLimit({ BUN_CONFIG_MAX_HTTP_REQUESTS: "20000" })).toBe(20_000);
  expect(outboundRequestLimit({ BUN_CONFIG_MAX_HTTP_REQUESTS: "many" })).toBe(256);
});

test("[START-1] the README has a row for every setting, and for none that there is not", async () => {
  const text = await Bun.file(new URL("../../README.md", import.meta.url)).text();
  const [, table = ""] = text.split("| Variable | Default | Meaning |\n");
  const rows = table.split("\n\n")[0]!.split("\n").slice(1);
  const named = rows.flatMap((row) => row.split("|")[1]!.match(/[A-Z][A-Z0-9_]+/g) ?? []);
  const settings = describeConfig(configOf({}))
    .split("\n")
    .map((line) => line.split("=")[0]!);
  expect(named.toSorted()).toEqual(settings.toSorted());
});

test("[RUN-20] a budget of cost for all needs prices", () => {
  expect(readConfig({ MONTHLY_COST_BUDGET: "10" })).toMatchObject({
    ok: false,
    errors: [{ variable: "MODEL_PRICES", message: "is missing; MONTHLY_COST_BUDGET needs the prices of models" }],
  });
});
