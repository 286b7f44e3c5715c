/** Clients of one organization who execute without a pause made the writes of another one wait for seconds. */
import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { createModels } from "../../src/runner/models.ts";
import { NO_MODELS } from "../support/model-calls.ts";
import { answered } from "../support/current.ts";
import { type Founded, type Service, startService } from "../support/service.ts";

/** Sent at once, before the other one's write: without shares all of them begin before it. */
const EXECUTES = 160;
/** What an organization begins in a few turns of the loop, while the write is authenticated and read. */
const MOST_BEFORE = EXECUTES / 4;

let service: Service;
let flooding: Founded;
let other: Founded;
beforeAll(async () => {
  service = await startService({ models: createModels({ ...NO_MODELS, model: "demo:echo", allowDemoModel: true }) });
  flooding = await service.found();
  other = await service.found();
});
afterAll(() => service.stop());

/** As the server's router hands it on: with parameters, if none. */
const asked = (of: Founded, path: string, body: object): Request =>
  Object.assign(
    new Request(`http://localhost${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${of.token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
    { params: {} },
  );

test("[FAIR-2] a write of another organization begins before most of the executions that were sent before it", async () => {
  const body = { name: "Ada", system_prompt: "Be brief." };
  const agent = await answered<{ id: string }>(service.call(flooding, "POST", "/api/agents", body), 201);
  await answered(service.call(other, "POST", "/api/tasks", { title: "So that both are at work" }), 201);
  const begun = spyOn(service.system, "dispatchGroup");
  const path = `/api/v1/agents/${agent.id}/execute`;
  // Without sockets: in the order of these lines.
  const executions = Array.from({ length: EXECUTES }, () =>
    service.app.handle(asked(flooding, path, { message: "Go on" })),
  );
  const write = service.app.handle(asked(other, "/api/tasks", { title: "A task" }));
  expect((await write).status).toBe(201);
  for (const execution of await Promise.all(executions)) expect(execution.status).toBe(200);
  const organizations = begun.mock.calls.map(([[first]]) =>
    first !== undefined && "ref" in first ? first.ref.organizationId : null,
  );
  const before = organizations.slice(0, organizations.indexOf(other.organizationId));
  begun.mockRestore();
  expect(organizations).toContain(other.organizationId);
  expect(before.length).toBeLessThan(MOST_BEFORE);
  // The flood is on the account of its organization.
  const { leading } = service.system.loopTime.reading(2);
  expect(leading[0]?.organizationId).toBe(flooding.organizationId);
}, 60_000);
