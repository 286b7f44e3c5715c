/** The alert rules under Prometheus' own check. */
import { expect, test } from "bun:test";
import { join } from "node:path";

test.skipIf(Bun.which("promtool") === null)("[OPS-2] promtool accepts the alert rules", async () => {
  const rules = join(import.meta.dir, "../../docs/monitoring/alerts.yml");
  const check = Bun.spawn(["promtool", "check", "rules", rules], { stdout: "pipe", stderr: "pipe" });
  const said = (await new Response(check.stdout).text()) + (await new Response(check.stderr).text());
  expect(said).toContain("SUCCESS: 18 rules found");
  expect(await check.exited).toBe(0);
});
