/** The models that the operator allows, and where a model is named (RUN-4), over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createModels } from "../../src/runner/models.ts";
import { answered, Client, type Json, refused } from "../support/current.ts";
import { NO_MODELS } from "../support/model-calls.ts";
import { type Founded, type Service, startService } from "../support/service.ts";
import { createAgent, execute, expectFailure } from "../support/v1.ts";

/** Nothing listens there: no test of this file calls it. */
const ENDPOINT = "http://127.0.0.1:1/v1";
const ALLOWED = "openai:gpt-x";

test("[RUN-3] [RUN-4] a run keeps the operator's limits, and the list of models reports them", async () => {
  const service = await startService({ settings: { jobSteps: 2, jobMinutes: 1.5 } });
  try {
    const owner = await service.found();
    const client = new Client(service, owner);
    const [model] = (await client.get<{ models: Json[] }>("/api/models")).models;
    expect(model?.["limits"]).toMatchObject({ max_steps: 2, max_run_seconds: 90 });
    const agent = await createAgent(service, owner);
    service.model.script = () => [
      { use: { type: "tool_use", id: `c${service.model.calls.length}`, name: "current_time", input: {} } },
    ];
    const { job } = await client.send(await client.chat(agent, owner.workspaceId), "go");
    const { error, started_at, budget } = await client.reached(job.id, "failed");
    expect(error).toMatchObject({ code: "step_limit" });
    expect(service.model.calls.length).toBe(2);
    const { deadline_at } = budget as { deadline_at: string };
    expect(Date.parse(deadline_at) - Date.parse(started_at as string)).toBe(90_000);
  } finally {
    await service.stop();
  }
});

describe("models of a configuration", () => {
  let service: Service;
  let owner: Founded;
  let client: Client;
  beforeAll(async () => {
    service = await startService({
      models: createModels({ ...NO_MODELS, model: "demo:echo", models: [ALLOWED], openaiBaseUrl: ENDPOINT }),
    });
    owner = await service.found();
    client = new Client(service, owner);
  });
  afterAll(() => service.stop());

  test("[RUN-4] GET /api/models lists them with provider and limits", async () => {
    const limits = (context_tokens: number) => ({ context_tokens, max_steps: 32, max_run_seconds: 1_800 });
    expect(await client.get("/api/models")).toEqual({
      currency: null,
      models: [
        {
          id: "demo:echo",
          provider: "demo",
          name: "echo",
          default: true,
          demo: true,
          input: ["text", "image", "file"],
          needs_own_key: false,
          priced: true,
          limits: limits(1_000_000),
        },
        {
          id: ALLOWED,
          provider: "openai",
          name: "gpt-x",
          default: false,
          demo: false,
          input: ["text"],
          needs_own_key: false,
          priced: false,
          limits: limits(32_768),
        },
      ],
    });
  });

  test("[RUN-4] [AUTH-3] listing models needs a token with agents:read", async () => {
    await refused(service.call(null, "GET", "/api/models"), 401, "unauthenticated");
    const narrow = await service.tokenFor(owner, { scopes: ["tasks:read"] });
    await refused(service.call(narrow, "GET", "/api/models"), 403, "insufficient_scope");
  });

  /** The refusal names the field, and the model or its provider. */
  const naming = (path: string, model: string) => ({
    errors: [{ path, message: expect.stringMatching(new RegExp(model.split(":")[0] ?? "", "i")) }],
  });
  const agentBody = { name: "Ada", system_prompt: "Be brief." };

  test.each(["openai:gpt-y", "anthropic:claude", "acme:x", "gpt-x"])(
    "[RUN-4] an agent and a chat cannot be set to %s, and the refusal names the field",
    async (model) => {
      const none = client.call("POST", "/api/agents", { ...agentBody, model });
      expect(await refused(none, 400, "invalid_request")).toEqual(naming("/model", model));
      const made = client.call("POST", "/api/agents", { ...agentBody, model: ALLOWED });
      const agent = await answered<{ id: string }>(made, 201);
      const patch = client.call("PATCH", `/api/agents/${agent.id}`, { model });
      expect(await refused(patch, 400, "invalid_request")).toEqual(naming("/model", model));
      expect((await client.get<Json>(`/api/agents/${agent.id}`))["model"]).toBe(ALLOWED);

      const chat = { agent_id: agent.id, workspace_id: owner.workspaceId };
      const opened = client.call("POST", "/api/chats", { ...chat, options: { model } });
      expect(await refused(opened, 400, "invalid_request")).toEqual(naming("/options/model", model));
      const id = await client.chat(agent.id, owner.workspaceId, { options: { model: ALLOWED } });
      const set = client.call("PATCH", `/api/chats/${id}/options`, { model });
      expect(await refused(set, 400, "invalid_request")).toEqual(naming("/model", model));
      await answered(client.call("PATCH", `/api/chats/${id}/options`, { model: null }));
    },
  );
});

describe("a chat whose own model is not allowed any more", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  test("[RUN-4] both surfaces refuse before anything is created, and the agent's other chats continue", async () => {
    const owner = await service.found();
    const client = new Client(service, owner);
    const agent = await createAgent(service, owner);
    const chat = await client.chat(agent, owner.workspaceId, { options: { model: "fake:dear" } });
    service.model.gone.add("fake:dear");
    const before = await client.readChat(chat);
    await expectFailure(
      await execute(service, owner, agent, { message: "hi", chatId: chat }),
      502,
      "fake:dear is gone",
    );
    await refused(client.call("POST", `/api/chats/${chat}/messages`, { content: "hi" }), 502, "provider_error");
    expect(await client.readChat(chat)).toEqual(before);
    expect((await execute(service, owner, agent, { message: "hi" })).status).toBe(200);
  });
});
