/** `model_settings` of agents and messages over HTTP: kept, merged, given to the model, and refused. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { answered, Client, type Job, type Json, refused } from "../support/current.ts";
import { type Founded, type Service, startService } from "../support/service.ts";

let service: Service;
let owner: Founded;
let client: Client;

beforeAll(async () => void (service = await startService()));
afterAll(() => service.stop());
beforeEach(async () => {
  owner = await service.found();
  client = new Client(service, owner);
  service.model.calls.length = 0;
});

const agent = (settings: Json): Promise<Response> =>
  client.call("POST", "/api/agents", { name: "Ada", system_prompt: "x", model_settings: settings });
const agentWith = (settings: Json) => answered<{ id: string; model_settings: Json | null }>(agent(settings), 201);

/** The job of a message to this agent, once it has ended. */
async function done(agentId: string, message: Json = {}): Promise<Job> {
  const { job } = await client.send(await client.chat(agentId, owner.workspaceId), "hello", message);
  return client.reached(job.id, "completed");
}

describe("settings of an agent", () => {
  test("[RUN-32] are shown, replaced as a whole, and cleared by null", async () => {
    const all: Json = {
      effort: "low",
      max_output_tokens: 2_048,
      temperature: 0.5,
      top_p: 0.9,
      stop: ["END"],
      service_tier: "auto",
      thinking: { type: "enabled", budget_tokens: 1_024 },
      provider_options: { seed: 7, nested: { deep: [1, "two", null] } },
    };
    const { id, model_settings } = await agentWith(all);
    expect(model_settings).toEqual(all);
    const change = (settings: Json | null) =>
      answered<{ model_settings: Json | null }>(
        client.call("PATCH", `/api/agents/${id}`, { model_settings: settings }),
      );
    expect((await change({ effort: "high", temperature: null })).model_settings).toEqual({ effort: "high" });
    expect((await change({})).model_settings).toBe(null);
    await change({ top_p: 1 });
    expect((await change(null)).model_settings).toBe(null);
  });

  test("[RUN-32] are given to each of its calls as they were when the job began", async () => {
    const { id } = await agentWith({ effort: "low", max_output_tokens: 100 });
    const gate = Promise.withResolvers<void>();
    service.model.script = () => [{ hold: gate.promise }, { say: "ok" }];
    const { job } = await client.send(await client.chat(id, owner.workspaceId), "hello");
    await service.model.called(1);
    await answered(client.call("PATCH", `/api/agents/${id}`, { model_settings: { effort: "high" } }));
    gate.resolve();
    expect(await client.reached(job.id, "completed")).toMatchObject({
      model_settings: { effort: "low", max_output_tokens: 100 },
    });
    expect(service.model.calls.map(({ settings }) => settings)).toEqual([{ effort: "low", maxOutputTokens: 100 }]);
  });
});

describe("settings of a message", () => {
  test("[RUN-32] replace the agent's field by field, and null removes one; a job that continues it keeps them", async () => {
    service.model.script = () => [{ say: "ok" }];
    const { id } = await agentWith({ effort: "low", temperature: 0.5, stop: ["A"] });
    const settings = { effort: "high", stop: null, max_output_tokens: 50 };
    const job = await done(id, { model_settings: settings });
    const merged = { effort: "high", temperature: 0.5, max_output_tokens: 50 };
    expect(job).toMatchObject({ model_settings: merged });
    const next = await answered<Job>(client.call("POST", `/api/jobs/${job.id}/iterate`, { feedback: "again" }), 202);
    expect(await client.reached(next.id, "completed")).toMatchObject({ model_settings: merged });
    expect(await done(id)).toMatchObject({ model_settings: { effort: "low", temperature: 0.5, stop: ["A"] } });
    expect(service.model.calls.map((call) => call.settings)).toEqual([
      { effort: "high", temperature: 0.5, maxOutputTokens: 50 },
      { effort: "high", temperature: 0.5, maxOutputTokens: 50 },
      { effort: "low", temperature: 0.5, stop: ["A"] },
    ]);
  });
});

test("[RUN-32] a misspelt or impossible setting is refused by its name", async () => {
  const cases: readonly (readonly [Json, string, string])[] = [
    [{ temprature: 1 }, "/model_settings/temprature", "Unknown field `temprature`; did you mean `temperature`?"],
    [{ effort: "hihg" }, "/model_settings/effort", "did you mean `high`?"],
    [{ top_p: 1.5 }, "/model_settings/top_p", "must be at most 1"],
    [{ max_output_tokens: 0 }, "/model_settings/max_output_tokens", "must be at least 1"],
    [{ stop: [] }, "/model_settings/stop", "at least 1 item"],
    [{ thinking: { type: "enabled", budget: 2_000 } }, "/model_settings/thinking/budget", "Unknown field `budget`"],
    [{ provider_options: [] }, "/model_settings/provider_options", "must be an object"],
  ];
  for (const [settings, path, message] of cases) {
    const { errors } = (await refused(agent(settings), 400, "invalid_request")) as { errors: Json[] };
    expect(errors).toMatchObject([{ path, message: expect.stringContaining(message) }]);
  }
});
