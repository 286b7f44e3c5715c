/** `model_settings` of agents and messages over HTTP: kept, merged, given to the model, and refused. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { OPTIONS_BYTES, OPTIONS_DEPTH } from "../../actors/job/option-flaws.ts";
import { settingsOfCall } from "../../actors/job/run/call-settings.ts";
import { createModels } from "../../src/runner/models.ts";
import { AGENT } from "../support/job-replica.ts";
import { NO_MODELS } from "../support/model-calls.ts";
import { answered, Client, type Job, type Json, refused } from "../support/current.ts";
import { sceneOfTest } from "../support/scene.ts";
import { type Service, startService } from "../support/service.ts";

const { service, owner, client } = sceneOfTest();
beforeEach(() => void (service.model.calls.length = 0));

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

describe("settings of a mission", () => {
  interface MissionRecord {
    readonly id: string;
    readonly model_settings: Json | null;
  }
  const create = (agentId: string, settings: Json) =>
    client.call("POST", "/api/missions", { title: "T", goal: "go", agent_id: agentId, model_settings: settings });
  const started = async (path: string): Promise<Job> =>
    client.reached((await answered<{ job: Job }>(client.call("POST", path, {}), 202)).job.id, "completed");

  test("[RUN-32] [MIS-2] are those of its runs and tasks, over the agent's, and can be replaced and cleared", async () => {
    service.model.script = () => [{ say: "ok" }];
    const { id: agentId } = await agentWith({ effort: "low", temperature: 0.5 });
    const settings = { effort: "high", temperature: null };
    const mission = await answered<MissionRecord>(create(agentId, settings), 201);
    expect(mission.model_settings).toEqual(settings);
    const run = () => started(`/api/missions/${mission.id}/run`);
    expect(await run()).toMatchObject({ model_settings: { effort: "high" } });
    const addTask = async (fields: Json) =>
      (await answered<{ id: string }>(client.call("POST", `/api/missions/${mission.id}/tasks`, fields), 201)).id;
    const work = (task: string) => started(`/api/missions/${mission.id}/tasks/${task}/start-work`);
    expect(await work(await addTask({ title: "one" }))).toMatchObject({ model_settings: { effort: "high" } });
    const { id: other } = await agentWith({ effort: "none" });
    expect(await work(await addTask({ title: "two", assigned_to: other }))).toMatchObject({
      model_settings: { effort: "none" },
    });
    const change = (given: Json | null) =>
      answered<MissionRecord>(client.call("PATCH", `/api/missions/${mission.id}`, { model_settings: given }));
    expect((await change({ top_p: 0.5 })).model_settings).toEqual({ top_p: 0.5 });
    expect(await run()).toMatchObject({ model_settings: { effort: "low", temperature: 0.5, top_p: 0.5 } });
    expect((await change(null)).model_settings).toBe(null);
    expect(await run()).toMatchObject({ model_settings: { effort: "low", temperature: 0.5 } });
  });

  test("[RUN-32] have options for the provider of the agent's model at that time, and are refused like a message's", async () => {
    service.model.script = () => [{ say: "ok" }];
    service.model.names = true;
    const agentId = await client.agent({ system_prompt: "x", model: "fake:own" });
    const mission = await answered<MissionRecord>(create(agentId, { provider_options: { seed: 7 } }), 201);
    const optionsOfRun = async () => {
      await started(`/api/missions/${mission.id}/run`);
      return service.model.calls.at(-1)?.settings?.providerOptions;
    };
    expect(await optionsOfRun()).toEqual({ seed: 7 });
    await answered(client.call("PATCH", `/api/agents/${agentId}`, { model: "foreign:own" }));
    expect(await optionsOfRun()).toBeUndefined();
    await answered(
      client.call("PATCH", `/api/missions/${mission.id}`, { model_settings: { provider_options: { top: 1 } } }),
    );
    expect(await optionsOfRun()).toEqual({ top: 1 });
    for (const refusing of [
      create(agentId, { provider_options: { model: "x" } }),
      client.call("PATCH", `/api/missions/${mission.id}`, { model_settings: { provider_options: { model: "x" } } }),
    ]) {
      const { errors } = (await refused(refusing, 400, "invalid_request")) as { errors: Json[] };
      expect(errors).toMatchObject([{ path: "/model_settings/provider_options/model" }]);
    }
  });
});

test("[RUN-32] reserved options of a mission whose agent is gone are not kept, nor sent if they were", async () => {
  const { id: agentId } = await agentWith({});
  const fields = { title: "T", goal: "go", agent_id: agentId };
  const { id } = await answered<{ id: string }>(client.call("POST", "/api/missions", fields), 201);
  await answered(client.call("DELETE", `/api/agents/${agentId}`));
  const providerOptions = { api_base: "https://elsewhere.example" };
  const change = client.call("PATCH", `/api/missions/${id}`, { model_settings: { provider_options: providerOptions } });
  await refused(change, 404, "not_found");

  const left: string[] = [];
  const of = { agent: { ...AGENT, modelSettings: { effort: "low", providerOptions } as const } };
  const place = { isElsewhere: false, onLeftSetting: ({ setting }: { setting: string }) => void left.push(setting) };
  expect([settingsOfCall(of, {}, place).settings, left]).toEqual([{ effort: "low" }, ["providerOptions"]]);
});

test("[RUN-32] options of the provider go to the provider for whose model they were chosen", async () => {
  service.model.names = true;
  const named = { name: "Ada", system_prompt: "x", model: "fake:own" };
  const settings = { temperature: 0.5, provider_options: { seed: 7 } };
  const agentId = await client.agent({ ...named, model_settings: settings });
  const chat = await client.chat(agentId, owner.workspaceId);
  const route = (model: string) => answered(client.call("PATCH", `/api/chats/${chat}/options`, { model }));
  const answer = async (message: Json = {}) =>
    client.reached((await client.send(chat, "hello", message)).job.id, "completed");
  const optionsOf = (job: Job) => [
    service.model.calls.at(-1)?.settings?.providerOptions,
    ((job.warnings ?? []) as { message: string }[]).map(({ message }) => message),
  ];
  const ignored = "foreign:other was called without `provider_options`: they are for another provider.";

  expect(optionsOf(await answer())).toEqual([{ seed: 7 }, []]);
  await route("fake:other");
  expect(optionsOf(await answer())).toEqual([{ seed: 7 }, []]);
  await route("foreign:other");
  expect(optionsOf(await answer())).toEqual([undefined, [ignored]]);
  expect(service.model.calls.at(-1)?.settings).toEqual({ temperature: 0.5 });
  const own = await answer({ model_settings: { provider_options: { top: 1 } } });
  expect(optionsOf(own)).toEqual([{ top: 1 }, []]);
  await route("fake:other");
  const again = async (of: Job) =>
    client.reached(
      (await answered<Job>(client.call("POST", `/api/jobs/${of.id}/iterate`, { feedback: "again" }), 202)).id,
      "completed",
    );
  const continued = await again(own);
  expect(optionsOf(continued)).toEqual([undefined, [ignored.replace("foreign", "fake")]]);
  await route("foreign:third");
  expect(optionsOf(await again(continued))).toEqual([{ top: 1 }, []]);
});

test("[RUN-32] options that were chosen for the default model do not follow a new one to another provider", async () => {
  service.model.names = true;
  const model_settings = { provider_options: { seed: 7 } };
  const plain = (await agentWith({})).id;
  const { id: agentId } = await agentWith(model_settings);
  const chat = await client.chat(plain, owner.workspaceId);
  const send = async (chatId: string, message: Json = {}) =>
    client.reached((await client.send(chatId, "hello", message)).job.id, "completed");
  const asked = await send(chat, { model_settings });
  const fields = { title: "T", goal: "go", agent_id: plain, model_settings };
  const { id: missionId } = await answered<{ id: string }>(client.call("POST", "/api/missions", fields), 201);
  const workOf = [
    async () => void (await done(agentId)),
    async () => {
      const again = client.call("POST", `/api/jobs/${asked.id}/iterate`, { feedback: "again" });
      await client.reached((await answered<Job>(again, 202)).id, "completed");
    },
    async () => {
      const run = client.call("POST", `/api/missions/${missionId}/run`, {});
      await client.reached((await answered<{ job: Job }>(run, 202)).job.id, "completed");
    },
  ];
  const before = service.model.info;
  for (const [provider, options] of [
    ["fake", { seed: 7 }],
    ["foreign", undefined],
  ] as const) {
    service.model.info = { ok: true, value: { provider, name: "newer", demo: false } };
    for (const work of workOf) {
      await work();
      expect(service.model.calls.at(-1)?.settings?.providerOptions).toEqual(options);
    }
  }
  service.model.info = before;
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

describe("settings that the model does not take", () => {
  const CLAUDE = "anthropic:claude-sonnet-4-5";
  const GPT = "openai:gpt-5-mini";
  let real: Service;
  let by: Client;
  let workspaceId: string;
  beforeAll(async () => {
    const models = { ...NO_MODELS, model: "demo:echo", allowDemoModel: true, models: [CLAUDE, GPT] };
    real = await startService({ models: createModels({ ...models, anthropicApiKey: "a-key", openaiApiKey: "a-key" }) });
    const founded = await real.found();
    by = new Client(real, founded);
    ({ workspaceId } = founded);
  });
  afterAll(() => real.stop());

  const create = (model: string | null, settings: Json): Promise<Response> =>
    by.call("POST", "/api/agents", { name: "Ada", system_prompt: "x", model, model_settings: settings });
  const errorOf = async (response: Promise<Response>): Promise<Json> => {
    const { errors } = (await refused(response, 400, "invalid_request")) as { errors: Json[] };
    expect(errors).toHaveLength(1);
    return errors[0]!;
  };

  test("[RUN-32] are refused when a mission gets another agent", async () => {
    const [claude, gpt] = await Promise.all(
      [CLAUDE, GPT].map(async (model) => (await answered<{ id: string }>(create(model, {}), 201)).id),
    );
    const fields = { title: "T", goal: "go", agent_id: claude, model_settings: { stop: ["a"] } };
    const { id } = await answered<{ id: string }>(by.call("POST", "/api/missions", fields), 201);
    const change = (body: Json) => by.call("PATCH", `/api/missions/${id}`, body);
    expect(await errorOf(change({ agent_id: gpt }))).toMatchObject({ path: "/agent_id" });
    await answered(change({ agent_id: gpt, model_settings: null }));
  });

  test("[RUN-32] are refused when they are saved, with the field and the reason; the demo's are not", async () => {
    expect(await errorOf(create(GPT, { stop: ["a"] }))).toEqual({
      path: "/model_settings/stop",
      message: `Field model_settings.stop cannot be used with ${GPT}: the Responses format has none`,
    });
    const { id } = await answered<{ id: string }>(create(CLAUDE, { stop: ["a"], temperature: 0.5 }), 201);
    const change = (body: Json) => by.call("PATCH", `/api/agents/${id}`, body);
    expect(await errorOf(change({ model: GPT, model_settings: { stop: ["a"] } }))).toMatchObject({
      path: "/model_settings/stop",
    });
    expect(await errorOf(change({ model_settings: { temperature: 0.5, top_p: 0.5 } }))).toMatchObject({
      path: "/model_settings/top_p",
    });
    const { errors } = (await refused(change({ model: GPT }), 400, "invalid_request")) as { errors: Json[] };
    expect(errors.map(({ path }) => path)).toEqual(["/model", "/model"]);
    await answered(change({ model: null }));
  });

  test("[RUN-32] of a message are refused over those of the agent, and the agent's own are not", async () => {
    const thinking = { type: "enabled", budget_tokens: 2_000 };
    const { id } = await answered<{ id: string }>(create(CLAUDE, { thinking }), 201);
    const send = async (settings: Json, fields: Json = {}) => {
      const chat = await by.chat(id, workspaceId, fields);
      return by.call("POST", `/api/chats/${chat}/messages`, { content: "x", model_settings: settings });
    };
    expect(await errorOf(send({ max_output_tokens: 2_000 }))).toMatchObject({ path: "/model_settings/thinking" });
    expect(await errorOf(send({ temperature: 0.5 }))).toMatchObject({ path: "/model_settings/temperature" });
    const { job } = await answered<{ job: Job }>(
      send({ max_output_tokens: 2_000 }, { options: { model: "demo:echo" } }),
      202,
    );
    expect(await by.reached(job.id, "completed")).toMatchObject({
      warnings: [
        {
          code: "setting_ignored",
          field: "model_settings.thinking",
          message: "demo:echo was called without `thinking`: the demo is no language model and ignores it.",
        },
      ],
    });
  });

  test("[RUN-32] options of the provider cannot replace what the service sets, and are bounded", async () => {
    const deep = (levels: number): Json => (levels === 1 ? {} : { a: deep(levels - 1) });
    const filled = (bytes: number): Json => ({ a: "x".repeat(bytes - '{"a":""}'.length) });
    const cases: readonly (readonly [Json, string, string])[] = [
      [{ model: "x" }, "/model", "is set by the service"],
      [{ messages: [] }, "/messages", "is set by the service"],
      [{ tools: [] }, "/tools", "is set by the service"],
      [{ stream: false }, "/stream", "is set by the service"],
      [{ system: "x" }, "/system", "is set by the service"],
      [{ api_key: "x" }, "/api_key", "is set by the service"],
      [{ models: ["x"] }, "/models", "is set by the service"],
      [{ Model: "x" }, "/model", "is set by the service"],
      [{ openrouter: { model: "x" } }, "/openrouter/model", "is set by the service"],
      [{ aws_region_name: "x" }, "/aws_region_name", "is set by the service"],
      [JSON.parse('{"__proto__": {"a": 1}}') as Json, "", "may not have"],
      [{ text: { format: {} } }, "/text/format", "is set by the service"],
      [{ reasoning: { effort: "low" } }, "/reasoning/effort", "is set by model_settings.effort"],
      [{ max_tokens: 5 }, "/max_tokens", "is set by model_settings.max_output_tokens"],
      [filled(OPTIONS_BYTES + 1), "", `at most ${OPTIONS_BYTES} are allowed`],
      [deep(OPTIONS_DEPTH + 1), "", `nested deeper than ${OPTIONS_DEPTH} levels`],
    ];
    for (const [options, at, message] of cases)
      expect(await errorOf(create(GPT, { provider_options: options }))).toMatchObject({
        path: `/model_settings/provider_options${at}`,
        message: expect.stringContaining(message),
      });
    const allowed = { reasoning: { summary: "auto" }, text: { verbosity: "low" }, metadata: { model: "mine" } };
    for (const options of [allowed, deep(OPTIONS_DEPTH), filled(OPTIONS_BYTES)])
      await answered(create(GPT, { provider_options: options }), 201);
    const incomplete = [{ type: "enabled" }, { type: "adaptive", budget_tokens: 2_000 }];
    for (const thinking of incomplete)
      expect(await errorOf(create(CLAUDE, { thinking }))).toMatchObject({
        path: "/model_settings/thinking/budget_tokens",
      });
  });

  test("[RUN-32] the demo's answer that reaches max_output_tokens is cut, and its job says so", async () => {
    const { id } = await answered<{ id: string }>(create(null, { max_output_tokens: 2 }), 201);
    const chat = await by.chat(id, workspaceId);
    const { job } = await by.send(chat, "/say one two three");
    expect(await by.reached(job.id, "completed")).toMatchObject({
      result: "one two",
      stop_reason: "length",
      warnings: [{ code: "answer_cut" }],
    });
  });
});
