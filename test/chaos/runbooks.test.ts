/** Each fault that the chaos tests make has its runbook in `docs/operations.md`, and speaks of alerts that exist. */
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const TEST = join(import.meta.dir, "..");
const read = (path: string): string => readFileSync(join(TEST, "..", path), "utf8");

/** Which tests make the fault of which runbook. */
const MADE_BY: Readonly<Record<string, readonly string[]>> = {
  "The process is killed": [
    "chaos/clone-killed.long.test.ts",
    "chaos/idempotency.long.test.ts",
    "chaos/mission-killed.long.test.ts",
    "chaos/mission-killed.test.ts",
    "chaos/rate-windows.long.test.ts",
    "chaos/run-killed.long.test.ts",
    "chaos/run-killed.test.ts",
    "chaos/service-killed.test.ts",
    "chaos/storms.long.test.ts",
  ],
  "The database is away": ["chaos/failover.long.test.ts", "chaos/storms.long.test.ts"],
  "A connection breaks in the middle of a commit": [
    "chaos/idempotency.test.ts",
    "chaos/ledger-faults.test.ts",
    "chaos/ledger-storm.test.ts",
    "chaos/soak.long.test.ts",
  ],
  "The database is slow, or somebody holds locks": ["chaos/ledger-faults.test.ts", "chaos/ledger-storm.test.ts"],
  "A process is paused past its lease": ["chaos/service-paused.long.test.ts", "chaos/take-up.test.ts"],
  "The replicas do not reach each other": ["chaos/replicas.long.test.ts", "chaos/take-up.long.test.ts"],
  "The disk is full": ["service/disk-full.long.test.ts"],
  "A model provider fails": ["chaos/provider-faults.long.test.ts", "chaos/provider-faults.test.ts"],
  "A receiver of webhooks fails": ["chaos/webhooks.long.test.ts", "chaos/webhooks.test.ts"],
  "A flood, or a stranger that answers badly": ["chaos/floods.long.test.ts", "chaos/strangers.long.test.ts"],
};
/** They judge and make no fault. */
const OTHERS = ["chaos/ledger-history.test.ts", "chaos/runbooks.test.ts"];

test("[OPS-20] each of the ten faults that the chaos tests make has a runbook, with what is seen, done and to be done", () => {
  const [, section = ""] = read("docs/operations.md").split("\n## Runbooks\n");
  const [runbooks = ""] = section.split("\n## ");
  const [, ...parts] = runbooks.split("\n### ");
  expect(parts.map((part) => part.split("\n")[0])).toEqual(Object.keys(MADE_BY));
  expect(parts).toHaveLength(10);
  for (const part of parts)
    for (const word of ["*Seen*: ", "*What it does*: ", "*You*: "]) expect(part).toContain(word);

  const made = Object.values(MADE_BY).flat();
  expect(made.filter((path) => !existsSync(join(TEST, path)))).toEqual([]);
  const chaos = readdirSync(import.meta.dir).filter((file) => file.endsWith(".test.ts"));
  const unknown = chaos.map((file) => `chaos/${file}`).filter((path) => ![...made, ...OTHERS].includes(path));
  expect(unknown).toEqual([]);

  const alerts = [...read("docs/monitoring/alerts.yml").matchAll(/- alert: (\w+)/g)].map(([, name = ""]) => name);
  const named = [...runbooks.matchAll(/`(Troupe\w+)`/g)].map(([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((name) => !alerts.includes(name))).toEqual([]);
});
