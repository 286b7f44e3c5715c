/** Jobs over HTTP: their record and lists, and the service about itself (JOB-1, JOB-5, JOB-6, JOB-4). */
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { CHAT_MACHINE } from "../../actors/chat/machine.ts";
import { JOB_MACHINE } from "../../actors/job/machine.ts";
import { MISSION_MACHINE } from "../../actors/mission/machine.ts";
import { TASK_MACHINE } from "../../actors/organization/task-machine.ts";
import { until } from "../support/condition.ts";
import { answered, Client, type Job, refused, UNPRICED_CALL } from "../support/current.ts";
import { echo, gate } from "../support/fake-model.ts";
import { FakeTools } from "../support/fake-tools.ts";
import { personOfFile, sceneOfFile } from "../support/scene.ts";
import { createAgent } from "../support/v1.ts";

let agent: string;

const { service, owner, client } = sceneOfFile({ tools: new FakeTools() });
const stranger = personOfFile(() => service.found("Stranger"));
beforeAll(async () => void (agent = await createAgent(service, owner)));
beforeEach(() => {
  service.model.script = echo;
  service.model.calls.length = 0;
});

const chat = () => client.chat(agent, owner.workspaceId);
const use = (id: string, name = "look") => ({
  use: { type: "tool_use" as const, id, name, input: { camelCase: { innerKey: 1 } } },
});
const run = async (content = "hi", chatId?: string): Promise<Job> =>
  client.reached((await client.send(chatId ?? (await chat()), content)).job.id, "completed");
const listed = async (query: string): Promise<string[]> =>
  (await client.get<{ jobs: Job[] }>(`/api/jobs?limit=100&${query}`)).jobs.map(({ id }) => id);

describe("record", () => {
  test("[JOB-5] a completed job has the whole record", async () => {
    const job = await run();
    const self = `/api/jobs/${job.id}`;
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/) as unknown;
    expect(job).toEqual({
      id: expect.stringMatching(/^job_[A-Za-z0-9_-]{21}$/),
      title: "hi",
      status: "completed",
      blocked_reason: null,
      agent_id: agent,
      chat_id: job.chat_id,
      workspace_id: owner.workspaceId,
      mission_id: null,
      mission_task_id: null,
      parent_job_id: null,
      root_job_id: job.id,
      relation: "root",
      iteration: 0,
      attempt: 1,
      priority: "medium",
      input: "hi",
      result: "echo: hi",
      requested_tool_calls: [],
      stop_reason: "stop",
      model_settings: null,
      output_schema: null,
      output: null,
      citations: [],
      error: null,
      progress: { percent: 100, label: null },
      waiting: null,
      warnings: [],
      review: {
        state: "none",
        required: false,
        requested_at: null,
        expires_at: null,
        decided_by: null,
        decided_at: null,
        comment: null,
      },
      approvals: [],
      authorizations: [],
      artifacts: [],
      budget: { max_tokens: null, max_cost: null, max_steps: null, deadline_at: time },
      metadata: {},
      last_seq: 7,
      metrics: {
        ...UNPRICED_CALL,
        tool_calls: 0,
        model_retries: 0,
        duration_ms: expect.any(Number),
        time_to_first_token_ms: expect.any(Number),
      },
      runner: { kind: "fake", model: "fake:fake", started_at: time, heartbeat_at: time },
      created_by: owner.userId,
      started_at: time,
      completed_at: time,
      created_at: time,
      updated_at: time,
      organization_id: owner.organizationId,
      version: expect.any(Number),
      links: {
        self,
        events: `${self}/events`,
        lineage: `${self}/lineage`,
        transcript_events: `${self}/transcript-events`,
        chat: `/api/chats/${job.chat_id}`,
        agent: `/api/agents/${agent}`,
        app_stream: expect.stringContaining(`/mcp-app/jobs/${job.id}/events?sub=`) as string,
      },
      allowed_actions: ["iterate"],
    } as never);
    const { duration_ms, time_to_first_token_ms } = job["metrics"] as Record<string, unknown>;
    expect([duration_ms, time_to_first_token_ms].map(Number.isInteger)).toEqual([true, true]);
  });

  test("[JOB-10] the priority of a message is its job's, and an unknown one is 400", async () => {
    const id = await chat();
    expect((await client.send(id, "now", { priority: "urgent" })).job["priority"]).toBe("urgent");
    const body = { content: "now", priority: "yesterday" };
    await refused(client.call("POST", `/api/chats/${id}/messages`, body), 400, "invalid_request");
  });

  test("[JOB-5] a failed job has its error and may be resumed; one that has not begun has no runner", async () => {
    service.model.script = () => [{ fail: { code: "provider_stalled", message: "silent" } }];
    const failed = await client.reached((await client.send(await chat(), "hi")).job.id, "failed");
    expect(failed).toMatchObject({
      error: { code: "provider_stalled", message: "silent" },
      allowed_actions: ["resume", "iterate"],
    });
    const held = gate();
    service.model.script = () => [{ hold: held.hold }];
    const id = await chat();
    await client.send(id, "one");
    const queued = await client.send(id, "two");
    expect(await client.job(queued.job.id)).toMatchObject({
      status: "queued",
      runner: null,
      started_at: null,
      allowed_actions: ["cancel"],
    });
    held.open();
    await client.reached(queued.job.id, "completed");
  });

  test("[JOB-5] a job that waits for a person says why, since when and until when", async () => {
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/) as unknown;
    const body = { name: "Ada", system_prompt: "Be brief.", allowed_tools: ["look"], approval_tools: ["look"] };
    const expiry = { after_seconds: 60, on_expiry: "cancel" };
    const asking = await answered<{ id: string }>(
      client.call("POST", "/api/agents", { ...body, approval_expiry: expiry }),
      201,
    );
    service.model.script = (call) => (call.entries.length === 1 ? [use("c1")] : [{ say: "Done." }]);
    const sent = await client.send(await client.chat(asking.id, owner.workspaceId), "go", { review_required: true });
    const blocked = await client.reached(sent.job.id, "blocked");
    expect(blocked.approvals).toEqual([
      {
        id: expect.stringMatching(/^apr_[A-Za-z0-9_-]{21}$/),
        tool_name: "look",
        tool_call_id: "c1",
        arguments: { camelCase: { innerKey: 1 } },
        message: "The agent asks to use look",
        expires_at: time,
        on_expiry: "cancel",
        decision: null,
        decided_by: null,
        asked_by: null,
        policy: null,
        votes: [],
        decision_refusal: null,
        decided_at: null,
      },
    ] as never);
    expect(blocked).toMatchObject({ blocked_reason: "approval_required", allowed_actions: ["approve", "cancel"] });
    await answered(client.decide(blocked.id, "approve"));
    const review = { required: true, requested_at: time, expires_at: time };
    const open = { state: "pending", decided_by: null, decided_at: null, comment: null };
    const waiting = await client.reached(blocked.id, "needs_review");
    expect(waiting.review).toEqual({ ...review, ...open } as never);
    expect(waiting.allowed_actions).toEqual(["approve", "cancel", "iterate"]);
    const done = await answered<Job>(client.decide(blocked.id, "approve", { comment: "Good." }));
    const decided = { state: "approved", decided_by: owner.userId, decided_at: time, comment: "Good." };
    expect(done.review).toEqual({ ...review, ...decided } as never);
    expect(done).toMatchObject({ status: "completed", blocked_reason: null, progress: { percent: 100, label: null } });
    expect(done.approvals.map((approval) => approval.decision)).toEqual(["approve"]);
  });

  test("[AUTH-4] a job of another organization, a missing job and a malformed id are 404, on every operation", async () => {
    const job = await run();
    const foreign = new Client(service, stranger);
    const operations: [string, string, unknown][] = [
      ["GET", "", undefined],
      ["GET", "/lineage", undefined],
      ["GET", "/transcript-events", undefined],
      ["POST", "/approve", {}],
      ["POST", "/cancel", {}],
      ["POST", "/resume", {}],
      ["POST", "/iterate", { feedback: "x" }],
    ];
    for (const [method, path, body] of operations) {
      await refused(foreign.call(method, `/api/jobs/${job.id}${path}`, body), 404, "not_found");
      await refused(client.call(method, `/api/jobs/job_${"x".repeat(21)}${path}`, body), 404, "not_found");
      await refused(client.call(method, `/api/jobs/%00${path}`, body), 404, "not_found");
    }
    // A signed link ends so long after it was made.
    expect({ ...(await client.job(job.id)), links: null }).toEqual({ ...job, links: null });
  });

  test("[AUTH-3] every operation requires its scope", async () => {
    const job = await run();
    const reading = await service.tokenFor(owner, { kind: "service", scopes: ["jobs:read"] });
    const other = await service.tokenFor(owner, { kind: "service", scopes: ["chats:write"] });
    for (const path of ["", `/${job.id}`, `/${job.id}/lineage`, `/${job.id}/transcript-events`]) {
      await answered(service.call(reading, "GET", `/api/jobs${path}`));
      expect(await refused(service.call(other, "GET", `/api/jobs${path}`), 403, "insufficient_scope")).toEqual({
        required_scopes: ["jobs:read"],
      });
    }
    for (const verb of ["approve", "cancel", "resume", "iterate"]) {
      const response = await service.call(reading, "POST", `/api/jobs/${job.id}/${verb}`, {});
      expect(response.headers.get("www-authenticate")).toBe('Bearer error="insufficient_scope", scope="jobs:write"');
      expect(await refused(response, 403, "insufficient_scope")).toEqual({ required_scopes: ["jobs:write"] });
      await refused(service.call(null, "POST", `/api/jobs/${job.id}/${verb}`, {}), 401, "unauthenticated");
    }
  });

  test("[GEN-6] a long poll is answered as soon as the job changes; at its end it is 304", async () => {
    const held = gate();
    service.model.script = () => [{ say: "a" }, { hold: held.hold }];
    const { job } = await client.send(await chat(), "hi");
    const { version } = await client.reached(job.id, "running");
    expect((await client.call("GET", `/api/jobs/${job.id}?since_version=${version}&wait=1`)).status).toBe(304);
    const waiting = client.get<Job>(`/api/jobs/${job.id}?since_version=${version}&wait=30`);
    await until("it waits", () => service.app.streams.count === 1);
    held.open();
    expect((await waiting).status).toBe("completed");
    expect(service.app.streams.count).toBe(0);
  });
});

describe("list", () => {
  test("[JOB-6] filters can be combined, and lists have pages", async () => {
    const id = await chat();
    const first = await run("one", id);
    const second = await run("two", id);
    expect(await listed(`chat_id=${id}`)).toEqual([second.id, first.id]);
    const child = await answered<Job>(client.decide(first.id, "iterate", { feedback: "again" }), 202);
    await client.reached(child.id, "completed");
    expect(await listed(`parent_job_id=${first.id}`)).toEqual([child.id]);
    expect(await listed(`chat_id=${id}&status=completed&agent_id=${agent}&workspace_id=${owner.workspaceId}`)).toEqual([
      child.id,
      second.id,
      first.id,
    ]);
    expect(await listed(`chat_id=${id}&created_after=${first["created_at"] as string}`)).toEqual([child.id, second.id]);
    for (const query of ["status=failed", "agent_id=agt_x", "workspace_id=wsp_x", "mission_id=mis_x"])
      expect(await listed(`chat_id=${id}&${query}`)).toEqual([]);
    for (const query of [
      "status=done",
      "created_after=yesterday",
      "created_after=2026-02-30T00:00:00Z",
      "agent_id=%00",
      "limit=0",
    ]) {
      await refused(client.call("GET", `/api/jobs?${query}`), 400, "invalid_request");
    }
    await refused(client.call("GET", "/api/jobs?cursor=x"), 400, "invalid_cursor");
    const page = await client.get<{ jobs: Job[]; next_cursor: string }>(`/api/jobs?chat_id=${id}&limit=2`);
    const rest = await client.get<{ jobs: Job[]; next_cursor?: string }>(
      `/api/jobs?chat_id=${id}&limit=2&cursor=${page.next_cursor}`,
    );
    expect([...page.jobs, ...rest.jobs].map((job) => job.id)).toEqual([child.id, second.id, first.id]);
    expect(rest).not.toHaveProperty("next_cursor");
  });
});

describe("overview", () => {
  test("[JOB-4] only owners read the invariants, and they hold", async () => {
    await run();
    const before = await client.get<{ ok: boolean; checks: { name: string; count: number }[] }>("/api/invariants");
    expect(before.ok).toBe(true);
    expect(before.checks.map(({ count }) => count)).toEqual([0, 0, 0, 0]);
    // Work without a job: of somebody else it is none of theirs, of their own it is counted.
    const { read } = service.database;
    for (const [organizationId, counted] of [
      ["org_elsewhere", 0],
      [owner.organizationId, 1],
    ] as const) {
      await read`insert into effect (shard, organization_id, actor_kind, actor_id, id, kind, intent)
        values (0, ${organizationId}, 'job', 'job_none', ${`eff_${counted}`}, 'none', '{}')`;
      const now = await client.get<typeof before>("/api/invariants");
      expect([now.ok, now.checks.find(({ name }) => name === "work_without_job")?.count]).toEqual([
        counted === 0,
        counted,
      ]);
    }
    await read`delete from effect where actor_id = 'job_none'`;
    const member = await service.join(owner.organizationId);
    await refused(service.call(member, "GET", "/api/invariants"), 403, "owner_required");
    await refused(service.call(null, "GET", "/api/invariants"), 401, "unauthenticated");
  });

  test("[JOB-2] the published state machines are the tables that the code uses", async () => {
    const { machines } = await client.get<{
      machines: {
        name: string;
        states: string[];
        triggers: string[];
        transitions: { from: string; trigger: string; to: string }[];
      }[];
    }>("/api/state-machines");
    expect(machines.map(({ name }) => name)).toEqual(["job", "chat", "mission", "mission_task", "task"]);
    const tables = [JOB_MACHINE, CHAT_MACHINE, MISSION_MACHINE, TASK_MACHINE] as readonly Record<
      string,
      Record<string, string | null>
    >[];
    for (const [i, table] of tables.entries()) {
      const { states, triggers, transitions } = machines[i]!;
      expect(states).toEqual(Object.keys(table));
      for (const from of states)
        for (const trigger of triggers) {
          expect(transitions.find((t) => t.from === from && t.trigger === trigger)?.to ?? null).toBe(
            table[from]![trigger] ?? null,
          );
        }
    }
  });
});
