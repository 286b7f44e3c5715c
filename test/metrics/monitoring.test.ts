/** What is shipped for Prometheus and Grafana, and the page that explains it, against the metrics that there are. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { exposition } from "../../src/metrics/exposition.ts";
import { Meters } from "../../src/metrics/meters.ts";
import { silentReadings } from "../support/readings.ts";

const DOCS = join(import.meta.dir, "../../docs");
const read = (name: string): string => readFileSync(join(DOCS, name), "utf8");

const { names } = exposition(new Meters(), silentReadings(), () => {});

/** Names of metrics in expressions, without what Prometheus adds to those of histograms. */
const metricsIn = (text: string): string[] =>
  [...text.matchAll(/\b(?:troupe|process)_[a-z_]+/g)].map(([name]) => name.replace(/_(?:bucket|sum|count)$/, ""));

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

test("[OPS-2] the alert rules and the dashboard speak of metrics that exist, and the dashboard of each", () => {
  expect(names.length).toBeGreaterThan(30);
  const rules = read("monitoring/alerts.yml");
  const expressions = rules.replace(/^ *(?:summary|- alert|- name):.*$/gm, "");
  expect(metricsIn(expressions).filter((name) => !names.includes(name))).toEqual([]);
  const { panels } = JSON.parse(read("monitoring/dashboard.json")) as { panels: readonly Panel[] };
  const shown = panels.flatMap((panel) => (panel.targets ?? []).flatMap(({ expr }) => metricsIn(expr)));
  expect([...new Set(shown)].sort()).toEqual([...names].sort());
});

test("[OPS-2] the page explains every metric, and each alert has a runbook", () => {
  const page = read("operations.md");
  expect(names.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
  const alerts = [...read("monitoring/alerts.yml").matchAll(/- alert: (\w+)/g)].map(([, name]) => name ?? "");
  expect(alerts.length).toBeGreaterThan(10);
  expect(alerts.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
});
