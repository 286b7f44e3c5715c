/** Missions over HTTP (MIS-1 to MIS-8): what is made by a request fires, shows in the ledger, and ends. */
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { answered, Client, type Job, type Json, refused } from "../support/current.ts";
import { gate } from "../support/fake-model.ts";
import { type Mission, MissionClient, type Run } from "../support/mission-client.ts";
import { sceneOfFile } from "../support/scene.ts";
import { createAgent } from "../support/v1.ts";

let client: Client;
let agent: string;
let missions: MissionClient;

const { service, owner } = sceneOfFile();
beforeAll(async () => {
  missions = await MissionClient.of(service, owner);
  ({ client, agent } = missions);
});
beforeEach(() => void (service.model.script = () => [{ say: "done" }]));

const create = (fields?: Json): Promise<Mission> => missions.create(fields);
const read = (id: string): Promise<Mission> => missions.read(id);
const patch = (id: string, body: Json): Promise<Response> => missions.patch(id, body);
const runs = (id: string): Promise<readonly Run[]> => missions.runs(id);
const becomes = (id: string, isIt: (mission: Mission) => boolean): Promise<Mission> => missions.becomes(id, isIt);

test("[MIS-2] a mission has the whole record", async () => {
  const mission = await create({
    schedule: { type: "cron", value: "0 9 * * 1-5", timezone: "Europe/London", start_at: "2030-01-01", max_runs: 3 },
  });
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/) as unknown;
  expect(mission).toEqual({
    id: expect.stringMatching(/^mis_[A-Za-z0-9_-]{21}$/),
    title: "Report",
    goal: "Write it",
    agent_id: agent,
    workspace_id: owner.workspaceId,
    visibility: "organization",
    priority: "medium",
    status: "pending",
    paused_reason: null,
    failed_reason: null,
    schedule: {
      type: "cron",
      value: "0 9 * * 1-5",
      timezone: "Europe/London",
      description: "Weekdays at 09:00, Europe/London",
      start_at: "2030-01-01T00:00:00.000Z",
      end_at: null,
      next_run_at: "2030-01-01T09:00:00.000Z",
      last_run_at: null,
      upcoming_runs_at: ["01", "02", "03"].map((day) => `2030-01-${day}T09:00:00.000Z`),
      run_count: 0,
      max_runs: 3,
      overlap: "skip",
      catchup_window_seconds: 60,
      jitter_seconds: 0,
    },
    review_required: false,
    budget: { max_tokens: null, max_cost: null, max_steps: null },
    metadata: {},
    model_settings: null,
    consecutive_failures: 0,
    tasks: [],
    last_run: null,
    created_by: owner.userId,
    organization_id: owner.organizationId,
    version: 1,
    created_at: time,
    updated_at: time,
    links: {
      self: `/api/missions/${mission.id}`,
      runs: `/api/missions/${mission.id}/runs`,
      forecast: `/api/missions/${mission.id}/forecast`,
    },
    allowed_actions: ["run", "pause", "update", "change_tasks", "delete"],
  });
  expect(await read(mission.id)).toEqual(mission);
});

describe("runs", () => {
  test("[MIS-5] a one-time mission fires, appears in its ledger, and is completed", async () => {
    const { id } = await create({ schedule: { type: "once", value: new Date().toISOString() } });
    const mission = await becomes(id, ({ status }) => status === "completed");
    const [run, ...others] = await runs(id);
    expect(others).toEqual([]);
    expect(run).toMatchObject({
      outcome: "succeeded",
      trigger: "schedule",
      run_number: 1,
      count: 1,
      result: "done",
      error: null,
    });
    expect(mission.last_run).toMatchObject({ id: run?.id, outcome: "succeeded" });
    const job = await client.job(run?.job_id ?? "");
    expect(job).toMatchObject({ mission_id: id, status: "completed", result: "done" });
    expect(await client.readChat(job.chat_id)).toMatchObject({ mission_id: id, run_number: 1, title: "Report #1" });
    expect((await client.get<{ jobs: Job[] }>(`/api/jobs?mission_id=${id}`)).jobs.map((one) => one.id)).toEqual([
      job.id,
    ]);
  });

  test("[MIS-1] run now answers with the run and its job", async () => {
    const { id } = await create({ priority: "high", review_required: true, budget: { max_steps: 3 } });
    const started = await answered<{ mission: Mission; run: Run; job: Job }>(
      client.call("POST", `/api/missions/${id}/run`),
      202,
    );
    expect(started).toMatchObject({
      mission: { status: "running", schedule: { run_count: 1 } },
      run: { outcome: "started", trigger: "manual", job_id: started.job.id },
      job: { status: "queued", mission_id: id, priority: "high", review: { required: true }, budget: { max_steps: 3 } },
    });
    await client.reached(started.job.id, "needs_review");
    expect((await read(id)).status).toBe("running");
    await answered(client.decide(started.job.id, "approve"));
    await becomes(id, ({ status }) => status === "pending");
    expect((await runs(id)).map(({ outcome }) => outcome)).toEqual(["succeeded"]);
  });

  test("[MIS-1] PATCH with running follows the overlap policy that it sets", async () => {
    const { hold, open } = gate();
    service.model.script = () => [{ hold }, { say: "done" }];
    const { id } = await create();
    await answered(patch(id, { status: "running" }));
    await refused(patch(id, { status: "running" }), 409, "invalid_state");
    const both = await answered<Mission>(patch(id, { status: "running", schedule: { overlap: "allow_all" } }));
    expect(both).toMatchObject({ status: "running", schedule: { overlap: "allow_all", run_count: 2 } });
    open();
    await becomes(id, ({ status }) => status === "pending");
  });

  test("[MIS-1] PATCH with running is a run now, with the other changes in the same commit", async () => {
    const { id } = await create();
    const mission = await answered<Mission>(patch(id, { status: "running", title: "Other" }));
    expect(mission).toMatchObject({ status: "running", title: "Other", version: 2 });
    await becomes(id, ({ status }) => status === "pending");
  });

  test("[GEN-6] a long poll answers as soon as a mission has changed", async () => {
    const { id, version } = await create();
    const polling = client.get<Mission>(`/api/missions/${id}?since_version=${version}&wait=20`);
    await answered(patch(id, { title: "Changed" }));
    expect(await polling).toMatchObject({ title: "Changed", version: version + 1 });
    expect((await client.call("GET", `/api/missions/${id}?since_version=1000`)).status).toBe(304);
  });

  test("[IDEM-2] a run that is requested twice with one key runs once", async () => {
    const { id } = await create();
    const headers = { authorization: `Bearer ${owner.token}`, "idempotency-key": crypto.randomUUID() };
    const ask = () => fetch(`${service.url}/api/missions/${id}/run`, { method: "POST", headers });
    const first = await answered<{ job: Job }>(ask(), 202);
    expect((await answered<{ job: Job }>(ask(), 202)).job.id).toBe(first.job.id);
    await becomes(id, ({ status }) => status === "pending");
    expect(await runs(id)).toHaveLength(1);
  });
});

describe("refusals", () => {
  test("[MIS-3] an invalid schedule is refused with its field and a corrected example", async () => {
    const bad = (schedule: Json): Promise<Json> =>
      refused(
        client.call("POST", "/api/missions", { title: "M", goal: "g", agent_id: agent, schedule }),
        400,
        "invalid_schedule",
      );
    expect(await bad({ type: "cron", value: "0 25 * * *" })).toEqual({
      errors: [
        {
          path: "/schedule/value",
          message: "The hour `25` is not valid: it takes 0-23, `*`, lists, ranges and steps; for example `0 9 * * *`",
        },
      ],
    });
    expect(await bad({ type: "cron", value: "0 9 * * *", timezone: "London" })).toMatchObject({
      errors: [{ path: "/schedule/timezone" }],
    });
    expect(await bad({ start_at: "soon", end_at: "later" })).toMatchObject({
      errors: [{ path: "/schedule/start_at" }, { path: "/schedule/end_at" }],
    });
    const { id } = await create();
    await refused(patch(id, { schedule: { type: "cron" } }), 400, "invalid_schedule");
  });

  test("[MIS-1] a change of status without a transition is 409 with the allowed actions", async () => {
    const { id } = await create();
    expect(await refused(patch(id, { status: "completed" }), 409, "invalid_state")).toEqual({
      status: "pending",
      allowed_actions: ["run", "pause", "update", "change_tasks", "delete"],
    });
    await answered(patch(id, { status: "paused", paused_reason: "Holidays" }));
    expect(await refused(patch(id, { status: "running" }), 409, "invalid_state")).toEqual({
      status: "paused",
      allowed_actions: ["resume", "update", "change_tasks", "delete"],
    });
    expect(await answered<Mission>(patch(id, { status: "pending" }))).toMatchObject({
      status: "pending",
      paused_reason: null,
    });
    await refused(client.call("PATCH", `/api/missions/${id}`, { status: "asleep" }), 400, "invalid_request");
  });

  test("[MIS-2] an agent that does not exist or is of another organization is 404", async () => {
    const stranger = await service.found("Stranger");
    const theirs = await createAgent(service, stranger);
    await refused(client.call("POST", "/api/missions", { title: "M", goal: "g", agent_id: theirs }), 404, "not_found");
    const { id } = await create();
    await refused(patch(id, { agent_id: theirs }), 404, "not_found");
    await refused(patch(id, { workspace_id: stranger.workspaceId }), 404, "not_found");
  });

  test("[MIS-9] only its creator changes what a mission does; an owner may pause and delete it", async () => {
    const member = await service.join(owner.organizationId);
    const mate = new Client(service, member);
    const made = { title: "Mine", goal: "g", agent_id: agent };
    const { id } = await answered<Mission>(mate.call("POST", "/api/missions", made), 201);
    expect(await read(id)).toMatchObject({ allowed_actions: ["pause", "delete"] });
    await refused(patch(id, { goal: "something else" }), 403, "forbidden");
    await refused(client.call("POST", `/api/missions/${id}/run`), 403, "forbidden");
    await refused(client.call("POST", `/api/missions/${id}/tasks`, { title: "T" }), 403, "forbidden");
    expect(await answered<Mission>(patch(id, { status: "paused" }))).toMatchObject({ status: "paused" });
    await answered(client.call("DELETE", `/api/missions/${id}`));
    await refused(mate.call("GET", `/api/missions/${id}`), 404, "not_found");
    const secret = await answered<Mission>(mate.call("POST", "/api/missions", { ...made, visibility: "private" }), 201);
    await refused(client.call("GET", `/api/missions/${secret.id}`), 404, "not_found");
    const { missions } = await client.get<{ missions: Mission[] }>("/api/missions?limit=100");
    expect(missions.map((mission) => mission.id)).not.toContain(secret.id);
  });

  test("[GEN-8] a change that is based on an old version is refused", async () => {
    const { id } = await create();
    const headers = { authorization: `Bearer ${owner.token}`, "if-match": "7", "content-type": "application/json" };
    const url = `${service.url}/api/missions/${id}`;
    await refused(
      fetch(url, { method: "PATCH", headers, body: JSON.stringify({ title: "N" }) }),
      409,
      "version_conflict",
    );
  });
});

describe("lists", () => {
  test("[MIS-5] missions and their ledgers are listed in pages, newest first, with filters", async () => {
    const founded = await service.found("Lists");
    const hands = new Client(service, founded);
    const worker = await createAgent(service, founded);
    const made: string[] = [];
    for (const title of ["A", "B", "C"]) {
      const body = { title, goal: "g", agent_id: worker };
      made.unshift((await answered<Mission>(hands.call("POST", "/api/missions", body), 201)).id);
    }
    interface List {
      readonly missions: readonly Mission[];
      readonly next_cursor?: string;
    }
    const first = await hands.get<List>("/api/missions?limit=2");
    expect(first.missions.map(({ id }) => id)).toEqual(made.slice(0, 2));
    const rest = await hands.get<List>(`/api/missions?limit=2&cursor=${first.next_cursor ?? ""}`);
    expect(rest).toMatchObject({ missions: [{ id: made[2] }] });
    expect(rest.next_cursor).toBeUndefined();
    await answered(hands.call("PATCH", `/api/missions/${made[0]}`, { status: "paused" }));
    const paused = await hands.get<List>(`/api/missions?status=paused&agent_id=${worker}`);
    expect(paused.missions.map(({ id }) => id)).toEqual([made[0]!]);
    await answered(hands.call("POST", `/api/missions/${made[1]}/run`), 202);
    expect(await hands.get(`/api/missions/${made[1]}/runs?outcome=missed`)).toEqual({ runs: [] });
  });

  test("[MIS-6] the forecast has the next times, in UTC and local time, with notes", async () => {
    const { id } = await create({
      schedule: { type: "cron", value: "30 1 * * *", timezone: "Europe/London", start_at: "2030-03-30T12:00:00Z" },
    });
    expect(await client.get(`/api/missions/${id}/forecast?count=2`)).toEqual({
      mission_id: id,
      timezone: "Europe/London",
      times: [
        {
          at: "2030-03-31T01:00:00.000Z",
          local_time: "2030-03-31T02:00:00.000+01:00",
          note: {
            kind: "shifted",
            message: "01:30 does not exist on this day: the clock goes forward, and it fires at 02:00",
          },
        },
        { at: "2030-04-01T00:30:00.000Z", local_time: "2030-04-01T01:30:00.000+01:00", note: null },
      ],
    });
    expect((await client.get<{ times: Json[] }>(`/api/missions/${id}/forecast`)).times).toHaveLength(20);
    await refused(client.call("GET", `/api/missions/${id}/forecast?count=101`), 400, "invalid_request");
  });

  test("[MIS-6] a schedule that is not saved has the same forecast, and the same refusals", async () => {
    const schedule = {
      type: "cron",
      value: "30 1 * * *",
      timezone: "Europe/London",
      start_at: "2030-03-30T12:00:00Z",
      end_at: "2030-04-03T00:00:00Z",
    };
    const { id } = await create({ schedule });
    const ask = (body: Json) => client.call("POST", "/api/missions/forecast", body);
    const saved = await client.get<{ times: readonly Json[] }>(`/api/missions/${id}/forecast`);
    const drafted = await answered<{ times: readonly Json[]; description: string }>(ask({ schedule }));
    expect(drafted.times).toEqual(saved.times);
    expect(drafted.times).toHaveLength(3);
    expect(drafted.description).toContain("Europe/London");
    expect(await answered<Json>(ask({ schedule: { ...schedule, max_runs: 1 } }))).toMatchObject({
      times: [{ note: { kind: "shifted" } }],
    });
    expect(await answered<Json>(ask({ schedule: {} }))).toMatchObject({ times: [] });
    const once = { type: "once", value: "2030-05-01T09:00", timezone: "Europe/London" };
    expect(await answered<Json>(ask({ schedule: once }))).toMatchObject({
      times: [{ at: "2030-05-01T08:00:00.000Z", note: null }],
    });
    await refused(ask({ schedule: { ...schedule, value: "61 1 * * *" } }), 400, "invalid_schedule");
    await refused(ask({ schedule: { ...schedule, end_at: "2020-04-03T00:00:00Z" } }), 400, "invalid_schedule");
    await refused(ask({ schedule, count: 101 }), 400, "invalid_request");
    await refused(ask({}), 400, "invalid_request");
  });
});

test("[MIS-4] the database accepts each time of a mission's schedule only once", async () => {
  const { id } = await create({ schedule: { type: "once", value: new Date().toISOString() } });
  await becomes(id, ({ status }) => status === "completed");
  const [run] = await service.database.read`select * from mission_run where mission_id = ${id}`;
  const again = service.database.read`
    insert into mission_run (organization_id, id, version, body)
    select organization_id, 'mrn_other', 1, body from mission_run where mission_id = ${id}`;
  await expect(Promise.resolve(again)).rejects.toThrow("mission_run_scheduled");
  expect(run).toBeDefined();
});
