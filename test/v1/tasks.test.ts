import { describe, expect, test } from "bun:test";
import { sceneOfFile } from "../support/scene.ts";
import type { Caller } from "../support/service.ts";
import { expectFailure, success } from "../support/v1.ts";

const { service, owner } = sceneOfFile();

interface TaskView {
  id: string;
  [field: string]: unknown;
}
const post = (body: unknown, by: Caller = owner) => service.call(by, "POST", "/api/v1/tasks", body);
const create = async (body: object, by: Caller = owner) => (await success<{ task: TaskView }>(post(body, by))).task;
const list = (query: string, by: Caller = owner) =>
  success<{ success: boolean; tasks: TaskView[] }>(service.call(by, "GET", `/api/v1/tasks${query}`));
const ids = async (query: string, by: Caller) => (await list(query, by)).tasks.map((task) => task.id);

describe("create", () => {
  test("[V1-7] a new task is pending and belongs to its caller; omitted fields are absent", async () => {
    const answer = await success(post({ title: "T" }));
    expect(answer).toEqual({
      success: true,
      task: {
        id: expect.stringMatching(/^task-\d{13}-[0-9a-z]{12}$/),
        title: "T",
        status: "pending",
        priority: "medium",
        organizationId: owner.organizationId,
        createdBy: owner.userId,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    });
  });

  test("[V1-7] assignee and workspace are kept as given, under the names of the interface", async () => {
    const given = {
      title: "T",
      description: "D",
      priority: "urgent",
      assignTo: "nobody known",
      spaceId: "wsp_unknown",
    };
    expect(await create({ ...given, status: "completed", createdBy: "x" })).toMatchObject({
      description: "D",
      priority: "urgent",
      assignedTo: "nobody known",
      spaceId: "wsp_unknown",
      status: "pending",
      createdBy: owner.userId,
    });
  });

  test("[V1-7] the assignee may be sent under the answer's field name; assignTo wins", async () => {
    expect(await create({ title: "T", assignedTo: "usr_a" })).toMatchObject({ assignedTo: "usr_a" });
    expect(await create({ title: "T", assignedTo: "usr_a", assignTo: "usr_b" })).toMatchObject({ assignedTo: "usr_b" });
    expect(await create({ title: "T", assignedTo: "usr_a", assignTo: null })).toMatchObject({ assignedTo: "usr_a" });
  });

  test.each([
    { assignTo: null, spaceId: null, description: null, priority: null },
    { assignTo: "", spaceId: "" },
  ])("[V1-7] %j leaves a task unassigned", async (more) => {
    const task = await create({ title: "T", ...more });
    expect(task).not.toHaveProperty("assignedTo");
    expect(task).not.toHaveProperty("spaceId");
    expect(task).toMatchObject({ priority: "medium" });
  });

  test.each([
    [{}, "Missing required field: title"],
    [{ title: "" }, "Missing required field: title"],
    [{ title: " " }, "Missing required field: title"],
    [{ title: null }, "Missing required field: title"],
    [{ priority: "x" }, "Missing required field: title"],
    [{ title: 1 }, "Field title must be a string"],
    [{ title: "T", description: 1 }, "Field description must be a string"],
    [{ title: "T", assignTo: ["a"] }, "Field assignTo must be a string"],
    [{ title: "T", assignedTo: 7 }, "Field assignedTo must be a string"],
    [{ title: "T", spaceId: {} }, "Field spaceId must be a string"],
    [{ title: "T", priority: "critical" }, "Invalid priority. Must be: low, medium, high, urgent"],
    [{ title: "T", priority: 3 }, "Invalid priority. Must be: low, medium, high, urgent"],
  ])("[ERR-3] %j is 400: %s", async (body, message) => expectFailure(await post(body), 400, message));

  test.each([
    ["title", 512],
    ["description", 65_536],
    ["assignTo", 256],
    ["assignedTo", 256],
    ["spaceId", 256],
  ] as const)("[ERR-5] %s accepts %d characters and not one more", async (field, limit) => {
    await create({ title: "T", [field]: "x".repeat(limit) });
    const message = `Field ${field} must have at most ${limit} characters`;
    await expectFailure(await post({ title: "T", [field]: "x".repeat(limit + 1) }), 400, message);
  });
});

describe("list", () => {
  test("[V1-1] is empty in a new organization, and has no total", async () => {
    expect(await list("", await service.found())).toEqual({ success: true, tasks: [] });
  });

  test("[V1-1] is newest first and has only the caller's organization", async () => {
    const by = await service.found();
    const made = [];
    for (const title of ["a", "b", "c"]) made.unshift(await create({ title }, by));
    expect((await list("", by)).tasks).toEqual(made);
    expect(await ids("", owner)).not.toContain(made[0]!.id);
  });

  test("[V1-7] filters by status, assignee and workspace, all of which must match", async () => {
    const by = await service.found();
    const mine = await create({ title: "T", assignTo: "usr_a", spaceId: "wsp_1" }, by);
    const elsewhere = await create({ title: "T", assignTo: "usr_a", spaceId: "wsp_2" }, by);
    const other = await create({ title: "T", assignTo: "usr b&c", spaceId: "wsp_1" }, by);
    const free = await create({ title: "T" }, by);
    expect(await ids("?status=pending", by)).toEqual([free.id, other.id, elsewhere.id, mine.id]);
    expect(await ids("?status=completed", by)).toEqual([]);
    expect(await ids("?assignedTo=usr_a", by)).toEqual([elsewhere.id, mine.id]);
    expect(await ids("?spaceId=wsp_1", by)).toEqual([other.id, mine.id]);
    expect(await ids("?status=pending&assignedTo=usr_a&spaceId=wsp_1", by)).toEqual([mine.id]);
    expect(await ids("?assignedTo=usr%20b%26c", by)).toEqual([other.id]);
    expect(await ids("?assignedTo=nobody", by)).toEqual([]);
    expect(await ids("?assignedTo=&spaceId=&unknown=x", by)).toEqual([free.id, other.id, elsewhere.id, mine.id]);
  });

  test.each(["done", "", "Pending", "pending,completed", "%00"])("[ERR-3] the status %p is 400", async (status) => {
    const answer = await service.call(owner, "GET", `/api/v1/tasks?status=${status}`);
    await expectFailure(answer, 400, "Invalid status. Must be: pending, in_progress, completed, cancelled");
  });

  test.each(["assignedTo", "spaceId"])(
    "[ERR-5] a filter by %s with a NUL or past its limit is 400, never 500",
    async (name) => {
      const filter = (value: string) => service.call(owner, "GET", `/api/v1/tasks?${name}=${value}`);
      await expectFailure(await filter("a%00"), 400, `${name} must not contain NUL characters`);
      await success(filter("x".repeat(256)));
      await expectFailure(await filter("x".repeat(257)), 400, `${name} must have at most 256 characters`);
      await success(filter("%E0%A4%A"));
      await success(filter("%ED%A0%80"));
    },
  );
});
