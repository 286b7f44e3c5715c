/** Tasks over HTTP: their lists, their record, and the updates of their status (GEN-8). */
import { describe, expect, test } from "bun:test";
import { answered, Client, type Json, refused } from "../support/current.ts";
import { personOfFile, sceneOfFile } from "../support/scene.ts";
import type { Caller } from "../support/service.ts";
import { success } from "../support/v1.ts";

interface Task extends Json {
  readonly id: string;
  readonly status: string;
  readonly version: number;
  readonly completed_at: string | null;
  readonly allowed_actions: readonly string[];
}
interface TaskPage {
  readonly tasks: readonly Task[];
  readonly next_cursor?: string;
}

const { service, owner, client } = sceneOfFile();
const stranger = personOfFile(() => service.found("Stranger"));

/** Tasks are made on v1. */
async function create(fields: object = {}, by: Caller = owner): Promise<string> {
  const made = service.call(by, "POST", "/api/v1/tasks", { title: "T", ...fields });
  return (await success<{ task: { id: string } }>(made)).task.id;
}
const read = (id: string) => client.get<Task>(`/api/tasks/${id}`);
const patch = (id: string, body: unknown) => client.call("PATCH", `/api/tasks/${id}`, body);
const changed = (id: string, body: unknown) => answered<Task>(patch(id, body));
/** A task that has gone through these statuses. */
async function taskThat(...statuses: readonly string[]): Promise<string> {
  const id = await create();
  for (const status of statuses) await changed(id, { status });
  return id;
}

describe("record", () => {
  test("[GEN-8] [GEN-5] a task of v1 has its complete record here, and nothing more", async () => {
    const fields = { title: "Write", description: "It all", priority: "high", assignTo: "agt_x", spaceId: "wsp_x" };
    const id = await create(fields);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;
    expect(await read(id)).toEqual({
      id,
      title: "Write",
      description: "It all",
      status: "pending",
      priority: "high",
      assigned_to: "agt_x",
      workspace_id: "wsp_x",
      created_by: owner.userId,
      completed_at: null,
      organization_id: owner.organizationId,
      version: 1,
      created_at: time,
      updated_at: time,
      links: { self: `/api/tasks/${id}` },
      allowed_actions: ["start", "cancel", "update", "delete"],
    } as never);
  });

  test.each(["task-0000000000000-000000000000", "nope", "%00", "a%2Fb", "x".repeat(2_000)])(
    "[GEN-8] no task is called %s",
    async (id) => {
      await refused(client.call("GET", `/api/tasks/${id}`), 404, "not_found");
      await refused(patch(id, { title: "x" }), 404, "not_found");
    },
  );

  test("[AUTH-4] [GEN-8] a task of another organization is not found, and does not change", async () => {
    const id = await create();
    const before = await read(id);
    const foreign = new Client(service, stranger);
    await refused(foreign.call("GET", `/api/tasks/${id}`), 404, "not_found");
    await refused(foreign.call("PATCH", `/api/tasks/${id}`, { title: "Mine" }), 404, "not_found");
    expect((await foreign.get<TaskPage>("/api/tasks")).tasks).toEqual([]);
    expect(await read(id)).toEqual(before);
  });
});

describe("making and deleting", () => {
  test("[GEN-8] a task created here is pending, and its creator is the caller", async () => {
    const body = {
      title: "Write",
      description: "It all",
      priority: "high",
      assigned_to: "agt_x",
      workspace_id: "wsp_x",
    };
    const made = await answered<Task>(client.call("POST", "/api/tasks", body), 201);
    expect(made).toMatchObject({ ...body, status: "pending", created_by: owner.userId, completed_at: null });
    expect(await read(made.id)).toEqual(made);
    const plain = await answered<Task>(client.call("POST", "/api/tasks", { title: "T", assigned_to: "" }), 201);
    expect(plain).toMatchObject({ description: null, priority: "medium", assigned_to: null, workspace_id: null });
    for (const bad of [{}, { title: " " }, { title: "T", priority: "now" }, { title: "T", status: "completed" }])
      await refused(client.call("POST", "/api/tasks", bad), 400, "invalid_request");
  });

  test("[V1-7] an empty string removes the assignee and the workspace, and v1 shows neither", async () => {
    const id = await create({ assignTo: "agt_x", spaceId: "wsp_x" });
    const task = await changed(id, { assigned_to: "", workspace_id: "" });
    expect(task).toMatchObject({ assigned_to: null, workspace_id: null, version: 2 });
    expect(await changed(id, { assigned_to: "", workspace_id: null })).toEqual(task);
    const { tasks } = await success<{ tasks: { id: string }[] }>(service.call(owner, "GET", "/api/v1/tasks"));
    const shown = tasks.find((one) => one.id === id);
    expect(shown).not.toHaveProperty("assignedTo");
    expect(shown).not.toHaveProperty("spaceId");
  });

  test("[GEN-8] a deleted task is 404 everywhere and in no list of either surface", async () => {
    const id = await create({ title: "Gone" });
    const kept = await create({ title: "Kept" });
    const reader = new Client(service, await service.tokenFor(owner, { scopes: ["tasks:read"] }));
    await refused(reader.call("DELETE", `/api/tasks/${id}`), 403, "insufficient_scope");
    await refused(new Client(service, stranger).call("DELETE", `/api/tasks/${id}`), 404, "not_found");
    const gone = await answered<Task>(client.call("DELETE", `/api/tasks/${id}`));
    expect(gone).toMatchObject({ id, title: "Gone", deleted: true, version: 2, allowed_actions: [] });
    for (const method of ["GET", "PATCH", "DELETE"])
      await refused(
        client.call(method, `/api/tasks/${id}`, method === "PATCH" ? { title: "x" } : undefined),
        404,
        "not_found",
      );
    const { tasks } = await client.get<TaskPage>("/api/tasks?limit=100");
    const v1 = await success<{ tasks: { id: string }[] }>(service.call(owner, "GET", "/api/v1/tasks"));
    for (const ids of [tasks.map((task) => task.id), v1.tasks.map((task) => task.id)]) {
      expect(ids).not.toContain(id);
      expect(ids).toContain(kept);
    }
  });
});

test("[GEN-5] a task's actions are those of the caller's scopes", async () => {
  const id = await create();
  const reader = new Client(service, await service.tokenFor(owner, { scopes: ["tasks:read"] }));
  expect((await reader.get<Task>(`/api/tasks/${id}`)).allowed_actions).toEqual([]);
  expect((await reader.get<TaskPage>("/api/tasks?limit=100")).tasks.flatMap((task) => task.allowed_actions)).toEqual(
    [],
  );
  expect((await read(id)).allowed_actions).toEqual(["start", "cancel", "update", "delete"]);
});

describe("list", () => {
  const pageOf = (by: Caller, query: string) => new Client(service, by).get<TaskPage>(`/api/tasks?${query}`);

  test("[GEN-3] [GEN-8] pages are newest first, have no gaps, and the last page has no cursor", async () => {
    const by = await service.found("Pages");
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) ids.unshift(await create({ title: `T${i}` }, by));
    const seen: string[] = [];
    const sizes: number[] = [];
    for (let cursor: string | undefined = ""; cursor !== undefined;) {
      const page: TaskPage = await pageOf(by, `limit=3&cursor=${cursor}`);
      seen.push(...page.tasks.map(({ id }) => id));
      sizes.push(page.tasks.length);
      cursor = page.next_cursor;
    }
    expect(sizes).toEqual([3, 3, 1]);
    expect(seen.toSorted()).toEqual(ids.toSorted());
    const times = (await pageOf(by, "limit=100")).tasks.map((task) => String(task["created_at"]));
    expect(times).toEqual(times.toSorted().toReversed());
  });

  test("[GEN-8] all given filters must match", async () => {
    const by = await service.found("Filters");
    const mine = await create({ assignTo: "usr_a", spaceId: "wsp_a" }, by);
    const other = await create({ assignTo: "usr_a", spaceId: "wsp_b" }, by);
    const done = await create({ spaceId: "wsp_a" }, by);
    await answered(service.call(by, "PATCH", `/api/tasks/${done}`, { status: "cancelled" }));
    const ids = async (query: string) => (await pageOf(by, query)).tasks.map(({ id }) => id).toSorted();
    expect(await ids("assigned_to=usr_a")).toEqual([mine, other].toSorted());
    expect(await ids("workspace_id=wsp_a")).toEqual([mine, done].toSorted());
    expect(await ids("status=cancelled")).toEqual([done]);
    expect(await ids("assigned_to=usr_a&workspace_id=wsp_b&status=pending")).toEqual([other]);
    expect(await ids("assigned_to=usr_a&status=cancelled")).toEqual([]);
    expect(await ids("assigned_to=&status=")).toHaveLength(3);
  });

  test.each([
    ["status=open", "invalid_request", "/status"],
    ["assigned_to=%00", "invalid_request", "/assigned_to"],
    [`workspace_id=${"x".repeat(257)}`, "invalid_request", "/workspace_id"],
    ["limit=0", "invalid_request", "/limit"],
    ["limit=101", "invalid_request", "/limit"],
    ["cursor=nonsense", "invalid_cursor", null],
  ])("[GEN-3] ?%s is refused", async (query, code, path) => {
    const details = await refused(client.call("GET", `/api/tasks?${query}`), 400, code);
    expect(details).toEqual(path === null ? {} : { errors: [{ path, message: expect.any(String) }] });
  });
});

describe("scopes", () => {
  test("[AUTH-3] [AUTH-4] without a token 401; reading needs tasks:read, changing tasks:write", async () => {
    const id = await create();
    const reader = await service.tokenFor(owner, { scopes: ["tasks:read"] });
    const none = await service.tokenFor(owner, { scopes: ["jobs:write"] });
    const operations = [
      ["GET", "/api/tasks", undefined, "tasks:read"],
      ["GET", `/api/tasks/${id}`, undefined, "tasks:read"],
      ["PATCH", `/api/tasks/${id}`, { title: "x" }, "tasks:write"],
    ] as const;
    for (const [method, path, body, scope] of operations) {
      await refused(service.call(null, method, path, body), 401, "unauthenticated");
      const details = await refused(service.call(none, method, path, body), 403, "insufficient_scope");
      expect(details).toEqual({ required_scopes: [scope] });
    }
    await answered(service.call(reader, "GET", "/api/tasks"));
    await answered(service.call(reader, "GET", `/api/tasks/${id}`));
    await refused(service.call(reader, "PATCH", `/api/tasks/${id}`, { title: "x" }), 403, "insufficient_scope");
  });
});

describe("update", () => {
  test("[GEN-8] changes only the given fields; null removes a text", async () => {
    const id = await create({ description: "D", assignTo: "usr_a" });
    const before = await read(id);
    const after = await changed(id, { title: "New", description: null });
    expect(after).toEqual({
      ...before,
      title: "New",
      description: null,
      version: 2,
      updated_at: after["updated_at"],
    } as never);
    expect(await changed(id, { priority: "urgent", assigned_to: null, workspace_id: "wsp_y" })).toMatchObject({
      title: "New",
      priority: "urgent",
      assigned_to: null,
      workspace_id: "wsp_y",
      version: 3,
    });
    expect(await read(id)).toMatchObject({ version: 3 });
  });

  test("[GEN-8] a change without effect is 200 and leaves no trace", async () => {
    const id = await create();
    const before = await read(id);
    expect(await changed(id, {})).toEqual(before);
    // Null takes back what may be absent; a title may not.
    await refused(patch(id, { title: null }), 400, "invalid_request");
    expect(await read(id)).toEqual(before);
  });

  test("[GEN-8] a task is started, paused, restarted and completed, and completed_at is set and kept", async () => {
    const id = await create();
    const started = await changed(id, { status: "in_progress" });
    expect(started).toMatchObject({
      completed_at: null,
      allowed_actions: ["pause", "complete", "cancel", "update", "delete"],
    });
    expect(await changed(id, { status: "pending" })).toMatchObject({
      allowed_actions: ["start", "cancel", "update", "delete"],
    });
    await changed(id, { status: "in_progress" });
    const done = await changed(id, { status: "completed" });
    expect(done).toMatchObject({ status: "completed", allowed_actions: ["update", "delete"] });
    expect(done.completed_at).toBe(done["updated_at"] as string);
    expect(await changed(id, { status: "completed", title: "Done" })).toMatchObject({
      title: "Done",
      completed_at: done.completed_at,
    });
  });

  const MOVES: readonly (readonly [readonly string[], string, boolean])[] = [
    [[], "in_progress", true],
    [[], "cancelled", true],
    [[], "completed", false],
    [["in_progress"], "pending", true],
    [["in_progress"], "completed", true],
    [["in_progress"], "cancelled", true],
    ...["pending", "in_progress", "cancelled"].map((to) => [["in_progress", "completed"], to, false] as const),
    ...["pending", "in_progress", "completed"].map((to) => [["cancelled"], to, false] as const),
  ];
  test.each(MOVES)("[GEN-5] [GEN-8] after %j a task to %s: %p", async (before, status, isAllowed) => {
    const id = await taskThat(...before);
    const task = await read(id);
    if (isAllowed) {
      const moved = await changed(id, { status });
      expect(moved).toMatchObject({ status, version: task.version + 1 });
      expect(moved.completed_at !== null).toBe(status === "completed");
      return;
    }
    const details = await refused(patch(id, { status, title: "Changed" }), 409, "invalid_state");
    expect(details).toEqual({ status: task.status, allowed_actions: [...task.allowed_actions] });
    expect(await read(id)).toEqual(task);
  });

  test.each([
    [{ status: "done" }, "/status"],
    [{ priority: 1 }, "/priority"],
    [{ title: " " }, "/title"],
    [{ title: "t".repeat(513) }, "/title"],
    [{ description: {} }, "/description"],
    [{ assigned_to: 7 }, "/assigned_to"],
    [{ workspace_id: "x".repeat(257) }, "/workspace_id"],
  ])("[GEN-7] %j is refused and names the field", async (body, path) => {
    const id = await create();
    const details = await refused(patch(id, body), 400, "invalid_request");
    expect(details["errors"]).toEqual([{ path, message: expect.stringMatching(/\S/) }]);
    expect((await read(id)).version).toBe(1);
  });

  test("[GEN-7] all wrong fields are reported together", async () => {
    const details = await refused(patch(await create(), { status: "x", priority: "x" }), 400, "invalid_request");
    expect((details["errors"] as Json[]).map(({ path }) => String(path)).toSorted()).toEqual(["/priority", "/status"]);
  });

  test("[GEN-8] If-Match: an old version is 409 and changes nothing, the current one is accepted", async () => {
    const id = await create();
    const { version } = await changed(id, { title: "Second" });
    const withMatch = (match: string) =>
      service.call(owner, "PATCH", `/api/tasks/${id}`, { title: "Third" }, { "if-match": match });
    expect(await refused(withMatch(String(version - 1)), 409, "version_conflict")).toEqual({ version });
    await refused(withMatch("yesterday"), 400, "invalid_request");
    expect(await read(id)).toMatchObject({ title: "Second", version });
    expect(await answered(withMatch(`"${version}"`))).toMatchObject({ title: "Third", version: version + 1 });
  });
});
