/** The alert rules under Prometheus' own checks: that they are rules, and that each fires when it is to. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const RULES = join(import.meta.dir, "../../docs/monitoring/alerts.yml");
const hasPromtool = Bun.which("promtool") !== null;
const folder = mkdtempSync(join(tmpdir(), "troupe-rules-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function promtool(...args: string[]) {
  const check = Bun.spawn(["promtool", ...args], { stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([check.stdout.text(), check.stderr.text(), check.exited]);
  return { code, said: out + err };
}

test.skipIf(!hasPromtool)("[OPS-2] promtool accepts the alert rules", async () => {
  const { code, said } = await promtool("check", "rules", RULES);
  expect(said).toContain("SUCCESS: 18 rules found");
  expect(code).toBe(0);
});

type Series = Readonly<Record<string, string>>;

/** What a service tells, one value a minute, and after how many minutes the alert fires; nothing else does then. */
const FIRING: Readonly<Record<string, readonly [minutes: number, series: Series]>> = {
  TroupeDown: [5, { 'up{job="troupe"}': "0x10" }],
  TroupeNotReady: [5, { troupe_ready: "0x10" }],
  TroupeLeaseNotRenewed: [5, { troupe_lease_age_seconds: "8x10" }],
  TroupeServerErrors: [
    15,
    {
      'troupe_http_requests_total{operation="a",status="500"}': "0+5x20",
      'troupe_http_requests_total{operation="a",status="200"}': "0+100x20",
    },
  ],
  // What has happened once: a count that begins with its first event is never seen to increase.
  TroupeStorageFull: [4, { 'troupe_http_refusals_total{kind="storage_full"}': "0 0 1 1 1 1" }],
  TroupeCommitOutcomeUnknown: [5, { 'troupe_flushes_total{outcome="unknown"}': "0 0 1 1 1 1 1" }],
  TroupeModelUnpriced: [6, { 'troupe_model_unpriced_tokens_total{model="a:b"}': "0 0 0 50 50 50 50" }],
  TroupeMessagesParked: [8, { troupe_messages_parked: "1x10" }],
  TroupeSlowCommits: [
    20,
    {
      'troupe_flush_duration_seconds_bucket{le="0.25"}': "0+90x30",
      'troupe_flush_duration_seconds_bucket{le="1"}': "0+100x30",
      'troupe_flush_duration_seconds_bucket{le="+Inf"}': "0+100x30",
    },
  ],
  TroupeLoopHeld: [
    20,
    {
      'troupe_loop_delay_seconds_bucket{le="0.25"}': "0+90x30",
      'troupe_loop_delay_seconds_bucket{le="1"}': "0+100x30",
      'troupe_loop_delay_seconds_bucket{le="+Inf"}': "0+100x30",
    },
  ],
  TroupeMailboxDeep: [5, { 'troupe_mailbox_deepest_commands{kind="chat"}': "600x10" }],
  TroupeJobsWait: [20, { 'troupe_jobs{status="queued"}': "200x30" }],
  TroupeModelFails: [
    30,
    {
      'troupe_model_calls_total{model="a:b",outcome="provider_error"}': "0+3x40",
      'troupe_model_calls_total{model="a:b",outcome="finished"}': "0+7x40",
    },
  ],
  // 6 an hour for a day, and then 120.
  TroupeSpendJumps: [1_600, { 'troupe_model_cost_total{model="a:b",currency="USD"}': "0+0.1x1500 152+2x180" }],
  TroupeWebhooksFail: [
    50,
    {
      'troupe_webhook_attempts_total{outcome="timeout"}': "0+6x60",
      'troupe_webhook_attempts_total{outcome="delivered"}': "0+4x60",
    },
  ],
  TroupeReadersStalled: [15, { troupe_streams_behind: "20x20", troupe_streams_open: "60x20" }],
  TroupeSpansLost: [
    50,
    {
      'troupe_trace_spans_total{outcome="dropped"}': "0+2x60",
      'troupe_trace_spans_total{outcome="exported"}': "0+8x60",
    },
  ],
  TroupeDiskLow: [8, { troupe_disk_free_bytes: "1000000000x10" }],
};

/** A service to which nothing happens. */
const QUIET: Series = {
  'up{job="troupe"}': "1x60",
  troupe_ready: "1x60",
  troupe_lease_age_seconds: "2x60",
  'troupe_http_requests_total{operation="a",status="200"}': "0+100x60",
  'troupe_http_refusals_total{kind="storage_full"}': "0x60",
  'troupe_flushes_total{outcome="unknown"}': "0x60",
  'troupe_flush_duration_seconds_bucket{le="0.25"}': "0+100x60",
  'troupe_flush_duration_seconds_bucket{le="+Inf"}': "0+100x60",
  'troupe_jobs{status="queued"}': "10x60",
  troupe_disk_free_bytes: "100000000000x60",
};

/** A test of promtool: the names of the alerts that fire. JSON is YAML. */
const caseOf = (minutes: number, series: Series, firing: readonly string[]): object => ({
  interval: "1m",
  input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
  promql_expr_test: [
    {
      expr: 'group by (alertname) (ALERTS{alertstate="firing"})',
      eval_time: `${minutes}m`,
      exp_samples: firing.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
    },
  ],
});

test("[OPS-2] each alert is tried", () => {
  const alerts = [...readFileSync(RULES, "utf8").matchAll(/- alert: (\w+)/g)].map(([, name = ""]) => name);
  expect(Object.keys(FIRING).toSorted()).toEqual(alerts.toSorted());
});

test.skipIf(!hasPromtool)(
  "[OPS-2] each alert fires for its cause, and none for a quiet service",
  async () => {
    const file = join(folder, "tests.yml");
    const firing = Object.entries(FIRING).map(([name, [minutes, series]]) => caseOf(minutes, series, [name]));
    const tests = [...firing, caseOf(59, QUIET, [])];
    writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: "1m", tests }));
    const { code, said } = await promtool("test", "rules", file);
    expect(said).toContain("SUCCESS");
    expect(code).toBe(0);
  },
  300_000,
);
