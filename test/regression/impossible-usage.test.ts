/** A provider that counted 1e308 tokens made the report of usage fail for ever, and three of them began the budget anew. */
import { expect, test } from "bun:test";
import { usageRef } from "../../actors/usage/schema.ts";
import { answered, Client, type Json } from "../support/current.ts";
import { serviceOfFile } from "../support/scene.ts";

const service = serviceOfFile();

test("[GUARD-4] an impossible count neither fails the report nor resets the budget", async () => {
  const owner = await service.found();
  const client = new Client(service, owner);
  const usage = usageRef(owner.organizationId);
  await service.system.dispatch(usage, { kind: "set_budget", limit: { kind: "tokens", tokens: 1_000 } });
  const counts = { inputTokens: 1e308, outputTokens: 1e308, jobs: 1, toolCalls: 0 };
  for (let time = 0; time < 3; time++)
    await service.system.dispatch(usage, { kind: "count_usage", agentId: "agt_1", model: "a:b", counts });
  const budget = await service.system.dispatch(usage, { kind: "check_budget" });
  expect(budget).toMatchObject({ ok: true, value: { spent: "tokens" } });
  // As a version has stored it that did not clamp.
  await service.database.flush`
    update day_usage set body = jsonb_set(body, '{inputTokens}', to_jsonb(1e308::numeric)) where organization_id = ${owner.organizationId}`;
  for (const group of ["day", "agent", "model"]) {
    const report = await answered<{ readonly totals: Json }>(client.call("GET", `/api/usage?group_by=${group}`));
    expect(report.totals).toMatchObject({ input_tokens: Number.MAX_SAFE_INTEGER, jobs: 3 });
  }
});
