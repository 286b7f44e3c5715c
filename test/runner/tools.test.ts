import { DEFAULT_RESULT_BYTES } from "../../actors/job/limits.ts";
import { ok, type Outcome, refuse } from "../../actors/fault.ts";
import type { Toolbox, ToolContext, ToolPort, ToolResult } from "../../actors/job/ports.ts";
import type { Agent, Task } from "../../actors/organization/schema.ts";
import type { AgentSnapshot } from "../../actors/job/schema.ts";
import { type JsonObject, Type } from "../../actors/schema.ts";
import { toolInput } from "../../src/runner/tool-input.ts";
import { builtinTools, createTools } from "../../src/runner/tools.ts";
import type { TaskService } from "../../src/runner/tools/service.ts";
import { defineTool, success, type ToolSource } from "../../src/runner/tools/tool.ts";
import { until } from "../support/condition.ts";
import { DEAF_HOST, NO_DELEGATIONS, OPENED_AT } from "../support/fake-tools.ts";
import { PAUSES } from "../support/pauses.ts";
import { describe, expect, test } from "bun:test";

const CONTEXT: ToolContext = {
  organizationId: "org_1",
  userId: "usr_1",
  agentId: "agt_1",
  jobId: "job_1",
  missionId: null,
};
const NOON = Date.parse("2026-11-21T12:00:00.000Z");
const BASE = {
  organizationId: "org_1",
  version: 1,
  createdAt: "2026-11-21T12:00:00.000Z",
  updatedAt: "2026-11-21T12:00:00.000Z",
};

const task = (more: Partial<Task>): Task => ({
  ...BASE,
  id: "task-1-a",
  title: "T",
  description: null,
  status: "pending",
  priority: "medium",
  assignedTo: null,
  workspaceId: null,
  createdBy: "usr_1",
  completedAt: null,
  ...more,
});
const AGENT: Agent = {
  ...BASE,
  id: "agt_1",
  name: "Ada",
  role: "Assistant",
  systemPrompt: "private words",
  visibility: "organization",
  status: "active",
  description: null,
  source: "private",
  installState: "installed",
  model: null,
  allowedTools: [],
  approvalTools: [],
  mcpServers: [],
  maxSteps: null,
  tags: [],
  createdBy: "usr_1",
};

const agentWith = (allowedTools: string[], approvalTools: string[] = []): AgentSnapshot => ({
  id: "agt_1",
  name: "Ada",
  version: 1,
  systemPrompt: "",
  model: null,
  allowedTools,
  approvalTools,
  mcpServers: [],
  maxSteps: null,
});
const boxOf = (tools: ToolPort, allowedTools: string[], approvalTools: string[] = []): Promise<Toolbox> =>
  tools.open(agentWith(allowedTools, approvalTools), CONTEXT, new AbortController().signal);
const offered = async (tools: ToolPort, allowedTools: string[]) => (await boxOf(tools, allowedTools)).tools;

/** Notes what it is asked; makes one task for each key. */
function fakeService(fault?: Outcome<never>) {
  const asked: unknown[] = [];
  const made = new Map<string, Task>();
  const service: TaskService = {
    async listTasks(context, filter) {
      asked.push({ context, filter });
      return fault ?? ok([task({})]);
    },
    async createTask(context, input, { key }) {
      asked.push({ context, input, key });
      const present = made.get(key) ?? task({ ...input, id: `task-${made.size + 1}-a` });
      made.set(key, present);
      return fault ?? ok(present);
    },
    async listAgents(context) {
      asked.push({ context });
      return fault ?? ok([AGENT]);
    },
  };
  return { asked, service };
}

async function call(
  tools: ToolPort,
  name: string,
  input: JsonObject = {},
  signal = new AbortController().signal,
): Promise<ToolResult> {
  const box = await boxOf(tools, ["create_task"]);
  return box.call(
    { name, input, idempotencyKey: "job_1:1:0", openedAt: OPENED_AT, context: CONTEXT, host: DEAF_HOST },
    signal,
  );
}

const builtin = (fault?: Outcome<never>) => {
  const { asked, service } = fakeService(fault);
  return {
    asked,
    tools: createTools(
      builtinTools({ tasks: service, delegations: NO_DELEGATIONS }, () => NOON),
      { pauses: PAUSES },
    ),
  };
};

describe("the registry of tools", () => {
  test("[RUN-2] safe reads are on by default, the rest needs an entry", async () => {
    const { tools } = builtin();
    expect((await offered(tools, [])).map(({ name }) => name)).toEqual(["current_time", "list_agents", "list_tasks"]);
    expect((await offered(tools, ["create_task", "unknown"])).map(({ name }) => name)).toEqual([
      "create_task",
      "current_time",
      "list_agents",
      "list_tasks",
    ]);
  });

  test("[RUN-2] a tool that the agent may not use is not run", async () => {
    const { tools, asked } = builtin();
    const made = {
      name: "create_task",
      input: { title: "x" },
      idempotencyKey: "k",
      openedAt: OPENED_AT,
      host: DEAF_HOST,
      context: CONTEXT,
    };
    expect(await (await boxOf(tools, [])).call(made, new AbortController().signal)).toEqual({
      content: "This agent is not allowed to use create_task.",
      isError: true,
    });
    expect(asked).toEqual([]);
  });

  test("[RUN-2] each has a name that every provider takes, a description and an object schema that is plain JSON", async () => {
    for (const { name, description, inputSchema } of await offered(builtin().tools, ["create_task"])) {
      expect(name).toMatch(/^[a-z0-9_-]{1,64}$/);
      expect(description.length).toBeGreaterThan(10);
      expect(inputSchema).toMatchObject({ type: "object" });
      expect(JSON.parse(JSON.stringify(inputSchema))).toEqual(inputSchema);
    }
  });

  test("[RUN-2] tools of a source are named one by one or all of a server, and missing ones have a reason", async () => {
    const tool = (name: string, safeToRepeat: boolean) =>
      defineTool({
        name,
        description: name,
        input: Type.Object({}),
        access: "granted",
        safeToRepeat,
        run: async () => success(`${name} ran`),
      });
    const source: ToolSource = {
      find: async () => ({
        tools: [tool("crm__read", true), tool("crm__write", false), tool("crm_other", false)],
        notes: ["The crm is slow today."],
        missing: { required: [], optional: [] },
        whyMissing: (name) => (name.startsWith("wiki__") ? "The wiki is down." : null),
      }),
    };
    const tools = createTools([], { pauses: PAUSES, sources: [source] });
    const names = async (allowed: string[]) => (await offered(tools, allowed)).map(({ name }) => name);
    expect(await names([])).toEqual([]);
    expect(await names(["crm__write"])).toEqual(["crm__write"]);
    expect(await names(["crm__*"])).toEqual(["crm__read", "crm__write"]);
    expect(await names(["crm", "crm*", "__*", "*"])).toEqual([]);
    const box = await boxOf(tools, ["crm__*"], ["crm__*"]);
    expect(box.notes).toEqual(["The crm is slow today."]);
    expect(box.rulesOf("crm__read")).toMatchObject({ safe: true, needsApproval: true });
    expect(box.rulesOf("crm__write")).toMatchObject({ safe: false, needsApproval: true });
    expect(box.rulesOf("crm_other")).toEqual({ safe: false, needsApproval: false });
    expect((await call(tools, "wiki__read")).content).toBe("The wiki is down.");
    expect((await call(tools, "crm_other")).isError).toBe(true);
  });

  test("[JOB-7] the tools that may be repeated are known by name", async () => {
    const box = await boxOf(builtin().tools, []);
    expect(["current_time", "create_task", "gone"].map((name) => box.rulesOf(name).safe)).toEqual([true, true, false]);
  });

  test("[JOB-7] the key is passed on, so a repeated call creates one task", async () => {
    const { tools, asked } = builtin();
    const input = { title: "Write it", priority: "high", assign_to: "agt_2" };
    const first = await call(tools, "create_task", input);
    expect(await call(tools, "create_task", input)).toEqual(first);
    expect(JSON.parse(first.content)).toMatchObject({
      task: { id: "task-1-a", title: "Write it", priority: "high", assigned_to: "agt_2", status: "pending" },
    });
    expect(asked[0]).toEqual({
      context: CONTEXT,
      key: "job_1:1:0",
      input: { title: "Write it", description: null, priority: "high", assignedTo: "agt_2", workspaceId: null },
    });
  });

  test("[V1-7] create_task with an empty assign_to leaves the task unassigned", async () => {
    const { tools, asked } = builtin();
    await call(tools, "create_task", { title: "Write it", assign_to: "" });
    expect(asked[0]).toMatchObject({ input: { assignedTo: null } });
  });

  test("[RUN-2] list_tasks passes its filters on, list_agents shows no prompts", async () => {
    const { tools, asked } = builtin();
    await call(tools, "list_tasks", { status: "pending", assigned_to: "agt_1", limit: 3 });
    await call(tools, "list_tasks");
    expect(asked).toEqual([
      { context: CONTEXT, filter: { status: "pending", assignedTo: "agt_1", limit: 3 } },
      { context: CONTEXT, filter: { status: null, assignedTo: null, limit: 50 } },
    ]);
    expect(await call(tools, "list_agents")).toEqual({
      content: '{"agents":[{"id":"agt_1","name":"Ada","role":"Assistant"}]}',
      isError: false,
    });
  });

  test("[RUN-2] current_time is in UTC and in a zone", async () => {
    const { tools } = builtin();
    expect(JSON.parse((await call(tools, "current_time")).content)).toEqual({ utc: "2026-11-21T12:00:00.000Z" });
    expect((await call(tools, "current_time", { timezone: "Europe/Berlin" })).content).toContain("13:00:00");
    expect(await call(tools, "current_time", { timezone: "Mars/Base" })).toEqual({
      content: 'timezone: "Mars/Base" is not the IANA name of a time zone.',
      isError: true,
    });
  });

  const bad: readonly (readonly [string, JsonObject, RegExp])[] = [
    ["create_task", {}, /not valid: title: /],
    ["create_task", { title: "" }, /not valid: title: /],
    ["create_task", { title: 7 }, /not valid: title: /],
    [
      "create_task",
      { title: "x", priority: "max" },
      /not valid: priority: Expected one of low, medium, high, urgent\.$/,
    ],
    ["list_tasks", { status: "open" }, /not valid: status: /],
    ["list_tasks", { limit: 201 }, /not valid: limit: /],
    ["list_tasks", { limit: 1.5 }, /not valid: limit: /],
    ["current_time", toolInput("[1"), /not a JSON object/],
    ["nope", {}, /no tool with the name nope/],
  ];
  for (const [name, input, words] of bad) {
    test(`[GEN-7] ${name} refuses ${JSON.stringify(input)} and names the field`, async () => {
      const { tools, asked } = builtin();
      expect(await call(tools, name, input)).toEqual({ content: expect.stringMatching(words), isError: true });
      expect(asked).toEqual([]);
    });
  }

  test("[GEN-7] unknown keys are ignored", async () => {
    expect(await call(builtin().tools, "list_agents", { why: "not" })).toMatchObject({ isError: false });
  });

  test("[RUN-2] a refusal of the service is an error result with a message", async () => {
    const words = async (fault: Outcome<never>) =>
      (await call(builtin(fault).tools, "create_task", { title: "x" })).content;
    expect(await words(refuse({ kind: "not_found", noun: "workspace" }))).toBe("There is no such workspace.");
    expect(await words(refuse({ kind: "timeout", message: "" }))).toMatch(/Try again later/);
    const tooLong = refuse({ kind: "invalid_request", errors: [{ path: "/title", message: "is too long" }] });
    expect(await words(tooLong)).toBe("The arguments are not valid: title: is too long");
  });
});

describe("results of tools", () => {
  const answering = (run: () => Promise<ToolResult>) =>
    defineTool({
      name: "probe",
      description: "for tests",
      input: Type.Object({}),
      access: "safe",
      safeToRepeat: false,
      run,
    });

  test("[RUN-3] a result of 64 KiB is whole, one byte more is cut with a note", async () => {
    const small = createTools([answering(async () => success("x".repeat(2_000)))], {
      pauses: PAUSES,
      resultBytes: 1_024,
    });
    expect(Buffer.byteLength((await call(small, "probe")).content)).toBe(1_024);
    const whole = "x".repeat(DEFAULT_RESULT_BYTES);
    const resultOf = (text: string) =>
      call(createTools([answering(async () => success(text))], { pauses: PAUSES }), "probe");
    expect((await resultOf(whole)).content).toBe(whole);
    const { content, isError } = await resultOf(`${whole}x`);
    expect(Buffer.byteLength(content)).toBe(DEFAULT_RESULT_BYTES);
    expect(content).toMatch(/x\n\[Cut: the result has 65537 bytes, the limit is 65536\.\]$/);
    expect(isError).toBe(false);
  });

  test("[RUN-3] a cut is at a character's boundary, and bad code units are replaced", async () => {
    for (const start of ["", "a", "ab", "abc"]) {
      const { content } = await call(
        createTools([answering(async () => success(start + "😀".repeat(20_000)))], { pauses: PAUSES }),
        "probe",
      );
      expect(Buffer.byteLength(content)).toBeLessThanOrEqual(DEFAULT_RESULT_BYTES);
      expect(content.isWellFormed() && !content.includes("\ufffd")).toBe(true);
    }
    expect(
      (await call(createTools([answering(async () => success("a\0b\ud800"))], { pauses: PAUSES }), "probe")).content,
    ).toBe("a\ufffdb\ufffd");
  });

  test("[RUN-2] an exception is a neutral error result; the log has its cause", async () => {
    const logged: object[] = [];
    const log = { warn: () => {}, error: (details: object) => void logged.push(details) };
    const broken = answering(async () => {
      throw new Error("password is hunter2");
    });
    const { content, isError } = await call(createTools([broken], { pauses: PAUSES, log }), "probe");
    expect(isError).toBe(true);
    expect(content).not.toContain("hunter2");
    expect(logged).toMatchObject([{ tool: "probe", jobId: "job_1", err: { message: "password is hunter2" } }]);
  });

  test("[RUN-3] an aborted call ends, even if the tool ignores the abort", async () => {
    let started = 0;
    const deaf = answering(() => {
      started += 1;
      return new Promise(() => {});
    });
    const tools = createTools([deaf], { pauses: PAUSES });
    const controller = new AbortController();
    const running = call(tools, "probe", {}, controller.signal);
    await until("the tool has begun", () => started === 1);
    controller.abort();
    expect(await running).toMatchObject({ isError: true, content: expect.stringMatching(/stopped/) });
    expect(await call(tools, "probe", {}, AbortSignal.abort())).toMatchObject({ isError: true });
    expect(started).toBe(1);
  });
});

test("[GEN-19] limits of built-in tools are code points, and a refusal names them", async () => {
  const { service, asked } = fakeService();
  const tools = createTools(builtinTools({ tasks: service, delegations: NO_DELEGATIONS }), { pauses: PAUSES });
  const longest = "👍".repeat(500);
  expect((await call(tools, "create_task", { title: longest })).isError).toBe(false);
  expect(asked).toMatchObject([{ input: { title: longest } }]);
  expect(await call(tools, "create_task", { title: `${longest}a` })).toEqual({
    content: "The arguments are not valid: title: Expected at most 500 characters.",
    isError: true,
  });
});

test("[GUARD-7] a tool's answer is shown with its control and bidi characters marked", async () => {
  const tool = defineTool({
    name: "odd",
    description: "Answers oddly",
    input: Type.Object({}),
    access: "safe",
    safeToRepeat: true,
    run: async () => success("a\u001b[2Jb\u202ec\r\nd"),
  });
  const { content } = await call(createTools([tool], { pauses: PAUSES }), "odd");
  expect(content).toBe("a␛[2Jb⟨U+202E⟩c\nd");
});
