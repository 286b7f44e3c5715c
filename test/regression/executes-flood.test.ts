/** Clients of one organization who execute without a pause made the writes of another one wait for seconds. */
import { expect, spyOn, test } from "bun:test";
import type { MemberStep } from "../../actors/runtime/turns/members.ts";
import { createModels } from "../../src/runner/models.ts";
import { NO_MODELS } from "../support/model-calls.ts";
import { answered } from "../support/current.ts";
import { personOfFile, serviceOfFile } from "../support/scene.ts";
import type { Founded } from "../support/service.ts";

/** Sent at once, before the other one's write: without shares all of them begin before it. */
const EXECUTES = 160;
/**
 * What an organization begins in two turns of the loop: twice its quantum, by the first estimate of a request. What they
 * have cost is not known by then, so the count does not depend on the machine.
 */
const MOST_BEFORE = 40;

const service = serviceOfFile({ models: createModels({ ...NO_MODELS, model: "demo:echo", allowDemoModel: true }) });
const flooding = personOfFile(() => service.found());
const other = personOfFile(() => service.found());

interface Calls {
  readonly mock: {
    readonly calls: readonly (readonly [members: MemberStep | readonly MemberStep[], ...rest: unknown[]])[];
    readonly invocationCallOrder: readonly number[];
  };
}

/** As the server's router hands it on: with parameters, if none. */
function asked(of: Founded, path: string, value: object): Request {
  const body = JSON.stringify(value);
  const headers = {
    authorization: `Bearer ${of.token}`,
    "content-type": "application/json",
    // So that it takes no more of the room for bodies than it has.
    "content-length": String(body.length),
  };
  return Object.assign(new Request(`http://localhost${path}`, { method: "POST", headers, body }), { params: {} });
}

/** Where among all calls the organization's commands of this kind were dispatched. */
function placesOf(calls: Calls, { organizationId }: Founded, kind: string): readonly number[] {
  return calls.mock.calls.flatMap(([members], i) => {
    const [first] = [members].flat();
    return first !== undefined &&
      "ref" in first &&
      first.ref.organizationId === organizationId &&
      first.command.kind === kind
      ? (calls.mock.invocationCallOrder[i] ?? [])
      : [];
  });
}

test("[FAIR-2] a write of another organization begins before most of the executions that were sent before it", async () => {
  const body = { name: "Ada", system_prompt: "Be brief." };
  const agent = await answered<{ id: string }>(service.call(flooding, "POST", "/api/agents", body), 201);
  await answered(service.call(other, "POST", "/api/tasks", { title: "So that both are at work" }), 201);
  const reads = spyOn(service.system, "dispatchKept");
  const commits = spyOn(service.system, "dispatchGroup");
  const path = `/api/v1/agents/${agent.id}/execute`;
  // Without sockets: in the order of these lines.
  const executions = Array.from({ length: EXECUTES }, () =>
    service.app.handle(asked(flooding, path, { message: "Go on" })),
  );
  const write = service.app.handle(asked(other, "/api/tasks", { title: "A task" }));
  expect((await write).status).toBe(201);
  for (const execution of await Promise.all(executions)) expect(execution.status).toBe(200);
  // An execution begins with its agent, the write with its commit.
  const begun = placesOf(reads, flooding, "read_agent");
  const [written = 0] = placesOf(commits, other, "create_task");
  reads.mockRestore();
  commits.mockRestore();
  expect(begun).toHaveLength(EXECUTES);
  expect(written).toBeGreaterThan(0);
  expect(begun.filter((place) => place < written).length).toBeLessThanOrEqual(MOST_BEFORE);
  // The flood is on the account of its organization.
  const { leading } = service.system.loopTime.reading(2);
  expect(leading[0]?.organizationId).toBe(flooding.organizationId);
});
