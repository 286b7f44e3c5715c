/** Settings that are refused: each by its name, alone and in its company. */
import { expect, test } from "bun:test";
import { modelErrors } from "../../src/service/model-choice.ts";
import { describeConfig, describeErrors, readConfig } from "../../src/settings/config.ts";
import { configOf, errorsOf, SECRET } from "../support/settings.ts";

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
  ["EGRESS_ALLOW", "https://mcp.internal/a"],
  ["EGRESS_ALLOW", "http://user@mcp.internal"],
  ["EGRESS_ALLOW", "http://10.0.0.0/8"],
  ["EGRESS_ALLOW", "ftp://mcp.internal"],
  ["EGRESS_CA_FILE", "/etc/nowhere.pem"],
  ["EGRESS_CA_FILE", "/etc/passwd"],
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

test("[START-2] all errors are reported at once, with what is allowed", () => {
  const result = readConfig({ PORT: "x", LOG_LEVEL: "loud", NODE_ENV: "y" });
  expect(result.ok ? "" : describeErrors(result.errors)).toBe(
    'PORT is "x"; it must be an integer from 0 (any free port) to 65535\n' +
      'LOG_LEVEL is "loud"; it must be one of trace, debug, info, warn, error, fatal, silent\n' +
      'NODE_ENV is "y"; it must be one of development, production, test',
  );
});

test("[START-2] a wrong NODE_ENV does not hide a wrong model", () => {
  const result = readConfig({ NODE_ENV: "prod", MODEL: "clod:4", MODELS: "openai:gpt-5-mini" }, [modelErrors]);
  expect(result.ok ? [] : result.errors.map(({ variable }) => variable)).toEqual(["NODE_ENV", "MODEL", "MODELS"]);
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

test("[START-47] the credentials of FILES_URL are set together", () => {
  const env = { FILES_ACCESS_KEY_ID: "id", FILES_SECRET_ACCESS_KEY: "key" };
  expect(errorsOf(env)).toEqual([]);
  expect(errorsOf({ FILES_ACCESS_KEY_ID: "id" })).toEqual(["FILES_SECRET_ACCESS_KEY"]);
  expect(errorsOf({ FILES_SECRET_ACCESS_KEY: "key" })).toEqual(["FILES_ACCESS_KEY_ID"]);
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

test("[RUN-20] a budget of cost for all needs prices", () => {
  expect(readConfig({ MONTHLY_COST_BUDGET: "10" })).toMatchObject({
    ok: false,
    errors: [{ variable: "MODEL_PRICES", message: "is missing; MONTHLY_COST_BUDGET needs the prices of models" }],
  });
});
