/** Operations called by their names, without a server and without a request. */
import { beforeAll, describe, expect, test } from "bun:test";
import type { Principal } from "../../../actors/organization/principal.ts";
import { type Caller, localCaller } from "../../../src/http/request/caller.ts";
import type { LocalInput } from "../../../src/http/input/local-input.ts";
import { sceneOfFile } from "../../support/scene.ts";

let caller: Caller;

const { service, owner } = sceneOfFile();
beforeAll(() => void (caller = localCaller(principal())));

const principal = (changes: Partial<Principal> = {}): Principal => ({
  organizationId: owner.organizationId,
  userId: owner.userId,
  tokenId: owner.tokenId,
  tokenKind: "personal",
  role: "owner",
  scopes: ["*"],
  expiresAt: "2099-01-01T00:00:00.000Z",
  ...changes,
});
const invoke = (id: string, input?: LocalInput, by = caller) => service.app.invoke(id, by, input);

async function value<T>(id: string, input?: LocalInput, by = caller): Promise<T> {
  const outcome = await invoke(id, input, by);
  if (!outcome.ok) throw new Error(`${id} is refused: ${JSON.stringify(outcome.fault)}`);
  return outcome.value as T;
}
async function fault(id: string, input?: LocalInput, by = caller) {
  const outcome = await invoke(id, input, by);
  return outcome.ok ? null : outcome.fault;
}

interface Agent {
  readonly id: string;
  readonly name: string;
  readonly version: number;
}
const ADA = { name: "Ada", system_prompt: "Be brief." };

describe("without HTTP", () => {
  test("[GEN-11] an operation reads and changes as a request does", async () => {
    const agent = await value<Agent>("createAgent", { body: ADA });
    expect(await value<Agent>("getAgent", { params: { id: agent.id } })).toEqual(agent);
    const params = { id: agent.id };
    const changed = await value<Agent>("updateAgent", { params, body: { name: "Eve" }, headers: { "if-match": "1" } });
    expect(changed).toMatchObject({ name: "Eve", version: 2 });
    const { agents } = await value<{ agents: Agent[] }>("listAgents", { query: { limit: 1 } });
    expect(agents.map(({ id }) => id)).toEqual([agent.id]);
    expect(await value<object>("v1GetAgent", { params })).toMatchObject({ success: true, agent: { name: "Eve" } });
  });

  test("[GEN-11] [GEN-7] its input is validated, with every error at once", async () => {
    expect(await fault("updateAgent", { params: { id: "no id!" }, body: {} })).toEqual({
      kind: "not_found",
      noun: "agent",
    });
    const { id } = await value<Agent>("createAgent", { body: ADA });
    const input = { query: { limt: 1 }, body: { nam: "x" }, headers: { "if-match": "x" }, params: { id } };
    const refused = await fault("updateAgent", input);
    const errors = refused?.kind === "invalid_request" ? refused.errors.map(({ path }) => path) : [];
    expect(errors).toEqual(["/limt", "/if-match", "/nam"]);
  });

  test("[GEN-11] [AUTH-3] [AUTH-5] scopes and roles are checked", async () => {
    const reader = localCaller(principal({ scopes: ["agents:read"] }));
    expect(await fault("createAgent", { body: ADA }, reader)).toEqual({
      kind: "insufficient_scope",
      required: ["agents:write"],
    });
    const member = localCaller(principal({ role: "member" }));
    expect(await fault("listSecrets", {}, member)).toEqual({ kind: "owner_required" });
  });

  test("[GEN-11] [IDEM-1] with a key it is executed once, and another input is a conflict", async () => {
    const input = { body: ADA, idempotencyKey: "once" };
    const first = await value<Agent>("createAgent", input);
    expect(await value<Agent>("createAgent", input)).toEqual(first);
    const other = { body: { ...ADA, name: "Bob" }, idempotencyKey: "once" };
    expect(await fault("createAgent", other)).toEqual({ kind: "idempotency_conflict" });
  });

  test("[GEN-11] [HOOK-12] a change emits its event, with the caller's request id", async () => {
    const by = localCaller(principal(), { requestId: "req_of_the_console" });
    const agent = await value<Agent>("createAgent", { body: ADA }, by);
    const { events } = await value<{ events: { type: string; request_id: string; resource: object }[] }>("listEvents", {
      query: { limit: 100 },
    });
    expect(events.filter(({ request_id: id }) => id === "req_of_the_console")).toEqual([
      expect.objectContaining({
        type: "agent.created",
        resource: expect.objectContaining({ type: "agent", id: agent.id }) as object,
      }),
    ]);
  });

  test("[GEN-11] an unknown operation is not found", async () => {
    expect(await fault("dropEverything")).toEqual({ kind: "not_found", noun: "route" });
  });
});
