/** Keys of organizations for providers of models: whose key each call is made with, and what becomes of a bad one. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { jobRef } from "../../actors/job/schema.ts";
import { createModels } from "../../src/runner/models.ts";
import { until } from "../support/condition.ts";
import { answered, Client, type Json, refused } from "../support/current.ts";
import { gate } from "../support/fake-model.ts";
import { startFakeOpenAi } from "../support/fake-openai.ts";
import type { FakeProvider } from "../support/fake-provider.ts";
import { NO_MODELS } from "../support/model-calls.ts";
import { type Founded, type Service, startService } from "../support/service.ts";
import { storedText } from "../support/stored-text.ts";
import { createAgent } from "../support/v1.ts";

const OPERATOR = "sk-operator-0123456789";
const OWN = "sk-own-9876543210";

let provider: FakeProvider;
let service: Service;
let owner: Founded;
let client: Client;

beforeAll(async () => {
  provider = await startFakeOpenAi();
  const settings = {
    ...NO_MODELS,
    model: "openai:fake-model",
    openaiApiKey: OPERATOR,
    ownKeyModels: ["openai:dear"],
    models: ["acme:m"],
  };
  const acme = {
    name: "acme",
    format: "chat-completions",
    baseUrl: `${provider.baseUrl}/?api-version=7`,
    apiKey: OPERATOR,
    keyHeader: "api-key",
    headers: { "x-team": "team-of-the-operator" },
  } as const;
  const models = createModels({ ...settings, openaiBaseUrl: provider.baseUrl, providers: [acme] });
  service = await startService({ models });
});
afterAll(async () => {
  await service.stop();
  await provider.stop();
});
beforeEach(async () => {
  provider.answer({ kind: "stream", text: ["ok"] });
  owner = await service.found();
  client = new Client(service, owner);
});

const store = (value: string, name = "KEY") => client.call("PUT", `/api/secrets/${name}`, { value });
const use = (secret = "KEY", of = "openai") => client.call("PUT", `/api/provider-keys/${of}`, { secret });

async function work(hands = client, caller = owner): Promise<{ readonly id: string; readonly chat: string }> {
  const chat = await hands.chat(await createAgent(service, caller), caller.workspaceId);
  const { job } = await hands.send(chat, "hi");
  return { id: job.id, chat };
}
async function* heldText(held: Promise<void>): AsyncGenerator<string> {
  await held;
  yield "ok";
}

/** The keys of the requests that came since. */
const keysSince = (count: number): (string | undefined)[] =>
  provider.requests.slice(count).map(({ headers }) => headers["authorization"]);
const failureOf = async (id: string): Promise<Json> => {
  await client.reached(id, "failed");
  return (await client.get<{ error: Json }>(`/api/jobs/${id}`)).error;
};

test("[RUN-5] calls use the organization's key from the next one on, and other calls the operator's", async () => {
  const from = provider.requests.length;
  const other = await service.found("Other");
  const runs = async (): Promise<void> => {
    await client.reached((await work()).id, "completed");
  };
  await answered(store(OWN), 201);
  await runs();
  const made = await answered(use(), 201);
  expect(made).toEqual({
    provider: "openai",
    secret: "KEY",
    created_at: made["created_at"],
    updated_at: made["updated_at"],
  });
  await runs();
  const others = new Client(service, other);
  await others.reached((await work(others, other)).id, "completed");
  await answered(store("sk-own-rotated-1"), 200);
  await runs();
  await answered(client.call("DELETE", "/api/provider-keys/openai"));
  await runs();
  expect(keysSince(from)).toEqual(
    [OPERATOR, OWN, OPERATOR, "sk-own-rotated-1", OPERATOR].map((key) => `Bearer ${key}`),
  );
  // Of the four calls of this organization its own keys have paid two.
  const { totals } = await client.get<{ totals: Json }>("/api/usage");
  expect(totals).toMatchObject({ input_tokens: 12, output_tokens: 20, own_key_tokens: 16 });
  expect((await others.get<{ totals: Json }>("/api/usage")).totals).toMatchObject({ own_key_tokens: 0 });
});

test("[RUN-29] a provider of the file has its own address, headers and keys of organizations", async () => {
  const from = provider.requests.length;
  const agent = await createAgent(service, owner);
  await answered(client.call("PATCH", `/api/agents/${agent}`, { model: "acme:m" }));
  const run = async (status = "completed"): Promise<string> => {
    const { job } = await client.send(await client.chat(agent, owner.workspaceId), "hi");
    await client.reached(job.id, status);
    return job.id;
  };
  await run();
  await answered(store(OWN), 201);
  await answered(use("KEY", "acme"), 201);
  await run();
  expect(
    provider.requests.slice(from).map(({ path, headers }) => [path, headers["api-key"], headers["x-team"]]),
  ).toEqual([OPERATOR, OWN].map((key) => ["/v1/chat/completions?api-version=7", key, "team-of-the-operator"]));
  expect(provider.requests.slice(from).map(({ headers }) => headers["authorization"])).toEqual([undefined, undefined]);
  provider.answer({
    kind: "status",
    status: 400,
    body: '{"error":{"message":"not for team-of-the-operator, of 127.0.0.1"}}',
  });
  const { error } = await client.get<{ error: Json }>(`/api/jobs/${await run("failed")}`);
  expect(error["message"]).toMatch(/It said: not for \[hidden\], of \[hidden\]$/);
  const unknown = await refused(use("KEY", "acne"), 400, "invalid_request");
  expect(JSON.stringify(unknown)).toContain("No provider of models has this name; did you mean `acme`?");
});

test("[RUN-5] jobs and messages report the tokens that the organization's key paid for", async () => {
  await answered(store(OWN), 201);
  await answered(use(), 201);
  const { id, chat } = await work();
  await client.reached(id, "completed");
  expect(await client.get<Json>(`/api/jobs/${id}`)).toMatchObject({ metrics: { own_key_tokens: 8 } });
  expect((await client.messages(chat)).at(-1)).toMatchObject({ usage: { own_key_tokens: 8 } });
});

test("[RUN-5] a key that the provider refuses fails the job, and the operator's is not used instead", async () => {
  await answered(store(OWN), 201);
  await answered(use(), 201);
  const from = provider.requests.length;
  provider.answer({ kind: "status", status: 401, body: `{"error":{"message":"Incorrect API key: ${OWN}"}}` });
  const error = await failureOf((await work()).id);
  expect(error).toMatchObject({ code: "provider_key_rejected" });
  expect(error["message"]).toBe(
    "The organization's own key for openai cannot be used. The provider refused its secret KEY. An owner must write the secret again, or remove the key.",
  );
  expect(keysSince(from)).toEqual([`Bearer ${OWN}`]);
});

test("[RUN-5] a key that does not exist, or that no header can hold, fails the job before anything is sent", async () => {
  await answered(store("two words"), 201);
  await answered(use(), 201);
  const from = provider.requests.length;
  expect(await failureOf((await work()).id)).toMatchObject({
    code: "provider_key_rejected",
    message: expect.stringContaining("KEY has a space"),
  });
  const inUse = await refused(client.call("DELETE", "/api/secrets/KEY"), 409, "secret_in_use");
  expect(inUse).toMatchObject({ agents: [], workspaces: [], providers: ["openai"], others: 0 });
  await answered(client.call("DELETE", "/api/secrets/KEY?force=true"));
  expect(await failureOf((await work()).id)).toMatchObject({
    code: "provider_key_rejected",
    message: expect.stringContaining("KEY does not exist"),
  });
  expect(keysSince(from)).toEqual([]);
});

test("[RUN-5] a provider's rate limit for one key delays no other key", async () => {
  await answered(store(OWN), 201);
  await answered(use(), 201);
  const other = await service.found("Other");
  const others = new Client(service, other);
  provider.answer({ kind: "status", status: 429, headers: { "retry-after": "600" }, body: "{}" });
  expect(await failureOf((await work()).id)).toMatchObject({ code: "provider_rate_limited" });
  const from = provider.requests.length;
  provider.answer({ kind: "stream", text: ["ok"] });
  await others.reached((await work(others, other)).id, "completed");
  // Its own pause goes on: nothing is sent.
  const { id } = await work();
  await until("the job waits for its provider", async () => {
    const job = await service.system.dispatch(jobRef(owner.organizationId, id), { kind: "read_job" });
    return job.ok && (job.value.waiting ?? null) !== null;
  });
  await answered(client.decide(id, "cancel"));
  expect(keysSince(from)).toEqual([`Bearer ${OPERATOR}`]);
});

test("[RUN-5] only an owner whose token may use secrets sets and removes keys, and the audit reports it", async () => {
  await answered(store(OWN), 201);
  const member = await service.join(owner.organizationId);
  const writer = await service.tokenFor(owner, { kind: "service", scopes: ["tokens:write"] });
  for (const [method, body] of [["PUT", { secret: "KEY" }], ["DELETE"]] as const) {
    const asked = (by: Parameters<Service["call"]>[0]) => service.call(by, method, "/api/provider-keys/openai", body);
    await refused(asked(member), 403, "owner_required");
    await refused(asked(writer), 403, "insufficient_scope");
    await refused(asked(null), 401, "unauthenticated");
  }
  await refused(service.call(member, "GET", "/api/provider-keys"), 403, "owner_required");
  const user = await service.tokenFor(owner, { kind: "service", scopes: ["secrets:use"] });
  await answered(service.call(user, "PUT", "/api/provider-keys/openai", { secret: "KEY" }), 201);
  await answered(use(), 200);
  await refused(service.call(user, "GET", "/api/provider-keys"), 403, "insufficient_scope");
  expect(await client.get<Json>("/api/provider-keys")).toMatchObject({
    provider_keys: [{ provider: "openai", secret: "KEY" }],
  });
  await answered(client.call("DELETE", "/api/provider-keys/openai"));
  await refused(client.call("DELETE", "/api/provider-keys/openai"), 404, "not_found");
  const { audit_entries: entries } = await client.get<{ audit_entries: Json[] }>("/api/audit");
  const told = entries.filter(({ action }) => String(action).startsWith("provider_key."));
  expect(told.map(({ action, subject_id, detail }) => [action, subject_id, detail])).toEqual([
    ["provider_key.removed", "openai", "KEY"],
    ["provider_key.set", "openai", "KEY"],
  ]);
});

test("[RUN-5] a key must name an existing provider and an existing secret", async () => {
  await refused(use("NONE"), 400, "invalid_request");
  await answered(store(OWN), 201);
  await refused(use("NONE"), 400, "invalid_request");
  for (const of of ["demo", "ai-sdk", "ollama"]) await refused(use("KEY", of), 400, "invalid_request");
  await refused(client.call("PUT", "/api/provider-keys/openai", {}), 400, "invalid_request");
});

test("[RUN-5] a key is in no table, log line, answer or stream", async () => {
  // Of no shape that gives a key away: it is known by its value alone.
  const value = `quietriver${crypto.randomUUID().replaceAll(/[^a-f]/g, "")}`;
  await answered(store(value), 201);
  await answered(use(), 201);
  provider.answer(
    { kind: "stream", text: ["ok"] },
    { kind: "status", status: 400, body: JSON.stringify({ error: { message: `Not with ${value}` } }) },
  );
  const done = await work();
  await client.reached(done.id, "completed");
  const broken = await work();
  await client.reached(broken.id, "failed");
  const texts = [
    await storedText(service.database),
    JSON.stringify(service.log),
    JSON.stringify(await client.get(`/api/jobs/${broken.id}`)),
    JSON.stringify(await client.get("/api/provider-keys")),
    await (await client.call("GET", `/api/jobs/${broken.id}/events`)).text(),
  ];
  for (const text of texts) expect(text.includes(value)).toBe(false);
  expect(texts[0]).toContain('"provider": "openai"');
});

test("[RUN-5] [RUN-4] models for organizations' keys are never called with the operator's key", async () => {
  const { models } = await client.get<{ models: Json[] }>("/api/models");
  expect(models.map(({ id, needs_own_key: needs }) => [id, needs])).toContainAllValues([
    ["openai:fake-model", false],
    ["acme:m", false],
    ["openai:dear", true],
    ["demo:echo", false],
  ]);
  const chat = await client.chat(await createAgent(service, owner), owner.workspaceId);
  await answered(client.call("PATCH", `/api/chats/${chat}/options`, { model: "openai:dear" }));
  const send = () => client.call("POST", `/api/chats/${chat}/messages`, { content: "hi" });
  const from = provider.requests.length;
  const words = /openai:dear is for organizations with a key of their own.*PUT \/api\/provider-keys\/openai/;
  const answer = await send();
  expect(((await answer.clone().json()) as { message: string }).message).toMatch(words);
  await refused(answer, 502, "provider_error");
  await answered(store(OWN), 201);
  await answered(use(), 201);
  const { job } = await answered<{ job: { id: string } }>(send(), 202);
  await client.reached(job.id, "completed");
  expect(keysSince(from)).toEqual([`Bearer ${OWN}`]);
  // Removed while a job waits for its turn: the next call says so, and the operator's key stays unused.
  const stream = gate();
  provider.answer({ kind: "stream", text: heldText(stream.hold) }, { kind: "stream", text: ["ok"] });
  const first = await answered<{ job: { id: string } }>(send(), 202);
  const second = await answered<{ job: { id: string } }>(send(), 202);
  await until("the first is asked", () => keysSince(from).length === 2);
  await answered(client.call("DELETE", "/api/provider-keys/openai"));
  stream.open();
  await client.reached(first.job.id, "completed");
  const error = await failureOf(second.job.id);
  expect(error).toMatchObject({ code: "provider_key_rejected", message: expect.stringMatching(words) });
  expect(keysSince(from)).toEqual([`Bearer ${OWN}`, `Bearer ${OWN}`]);
});
