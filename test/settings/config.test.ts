/** The settings: defaults, how each is read, what is masked. */
import { expect, test } from "bun:test";
import { resolve } from "node:path";
import { appUrlOf, describeConfig, outboundRequestLimit } from "../../src/settings/config.ts";
import { settingsPage } from "../../src/settings/page.ts";
import { configOf, SECRET } from "../support/settings.ts";

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
    modelThinking: [],
    modelsWithoutTools: [],
    modelRetries: 6,
    allowDemoModel: false,
    organizationLoopPercent: 40,
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
    MODEL_THINKING: "openai:gpt-x=open",
    MODELS_WITHOUT_TOOLS: "openai:gpt-x",
    MODEL_RETRIES: "9",
    ANTHROPIC_API_KEY: "a",
    OPENAI_API_KEY: "b",
    OPENAI_BASE_URL: "http://localhost:11434/v1",
    ALLOW_DEMO_MODEL: "1",
    MONTHLY_TOKEN_BUDGET: "5000000",
    MODEL_PRICES: "/etc/prices.json",
    MONTHLY_COST_BUDGET: "250.00",
    ORGANIZATION_LOOP_PERCENT: "100",
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
    EGRESS_ALLOW: "mcp.internal, 10.1.0.0/16 ::1 http://tools.internal:8080",
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
    modelThinking: ["openai:gpt-x=open"],
    modelsWithoutTools: ["openai:gpt-x"],
    modelRetries: 9,
    anthropicApiKey: "a",
    openaiApiKey: "b",
    openaiBaseUrl: "http://localhost:11434/v1",
    allowDemoModel: true,
    monthlyTokenBudget: 5_000_000,
    modelPrices: "/etc/prices.json",
    monthlyCostBudget: "250.00",
    organizationLoopPercent: 100,
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
    egressAllow: ["mcp.internal", "10.1.0.0/16", "::1", "http://tools.internal:8080"],
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

test("[START-1] docs/settings.md is the page that the settings write, with a row for each that --print-config prints", async () => {
  const text = await Bun.file(new URL("../../docs/settings.md", import.meta.url)).text();
  expect(text).toBe(settingsPage());
  const rows = [...text.matchAll(/^\| `(\w+)` \| (.*) \| (.*) \| (.*) \|$/gm)].map(([, name]) => name);
  const settings = describeConfig(configOf({}))
    .split("\n")
    .map((line) => line.split("=")[0]);
  expect(rows).toEqual(settings);
});
