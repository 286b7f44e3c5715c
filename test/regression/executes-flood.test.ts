/** Twelve clients of one organization who execute without a pause made the writes of another one wait for seconds. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createModels } from "../../src/runner/models.ts";
import { until } from "../support/condition.ts";
import { NO_MODELS } from "../support/model-calls.ts";
import { answered } from "../support/current.ts";
import { type Founded, type Service, startService } from "../support/service.ts";

const CLIENTS = 12;
const WRITES = 12;
/** An execution is two commits at least and a write is one, so most clients get one answer meanwhile. */
const MOST_ANSWERS = 4 * CLIENTS;

let service: Service;
let flooding: Founded;
let other: Founded;
beforeAll(async () => {
  service = await startService({ models: createModels({ ...NO_MODELS, model: "demo:echo", allowDemoModel: true }) });
  flooding = await service.found();
  other = await service.found();
});
afterAll(() => service.stop());

test("[FAIR-2] [FAIR-3] while an organization executes over twelve connections, another one's writes are not passed by", async () => {
  const body = { name: "Ada", system_prompt: "Be brief." };
  const agent = await answered<{ id: string }>(service.call(flooding, "POST", "/api/agents", body), 201);
  let answers = 0;
  let isOver = false;
  const client = async (): Promise<void> => {
    while (!isOver) {
      const response = await service.call(flooding, "POST", `/api/v1/agents/${agent.id}/execute`, { message: "Go on" });
      expect(response.status).toBe(200);
      await response.text();
      answers++;
    }
  };
  const clients = Array.from({ length: CLIENTS }, client);
  await until("the flood is under way", () => answers > CLIENTS);
  const passed: number[] = [];
  for (let i = 0; i < WRITES; i++) {
    const before = answers;
    await answered(service.call(other, "POST", "/api/tasks", { title: `Task ${i}` }), 201);
    passed.push(answers - before);
  }
  isOver = true;
  await Promise.all(clients);
  expect(Math.max(...passed)).toBeLessThanOrEqual(MOST_ANSWERS);
  // The flood went on meanwhile, and is on the account of its organization.
  expect(passed.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
  const { leading } = service.system.loopTime.reading(2);
  expect(leading[0]?.organizationId).toBe(flooding.organizationId);
});
