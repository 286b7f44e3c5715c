/** Who decides about a call that waits (APR-7, APR-8, APR-10), over HTTP. */
import { beforeEach, describe, expect, test } from "bun:test";
import { answered, Client, type Job, type Json, refused } from "../support/current.ts";
import { FakeTools } from "../support/fake-tools.ts";
import { sceneOfTest } from "../support/scene.ts";
import type { Caller, Founded } from "../support/service.ts";

let starter: Client;
let ada: Client;
let ben: Client;
let chief: Client;
const tools = new FakeTools();

const { service, owner } = sceneOfTest({ tools });
beforeEach(async () => {
  chief = await person(owner);
  const joined = async (): Promise<Client> => person(await service.join(owner.organizationId, "member"));
  [starter, ada, ben] = [await joined(), await joined(), await joined()];
  service.model.script = ({ entries }) =>
    entries.at(-1)?.role === "user"
      ? [{ use: { type: "tool_use", id: "c1", name: "send", input: { to: "x" } } }]
      : [{ say: "done" }];
});

/** The calls that the job has made. */
const madeBy = ({ id }: Job) => tools.calls.filter(({ context }) => context.jobId === id);
const ids = new Map<Client, string>();
const idOf = (client: Client): string => ids.get(client) ?? "";
async function person(caller: Founded | Caller): Promise<Client> {
  const client = new Client(service, caller);
  ids.set(client, caller.userId);
  return client;
}
const group = (members: readonly Client[], name = "finance") =>
  chief.call("PUT", `/api/groups/${name}`, { members: members.map(idOf) });
async function waiting(rule: Json, by = starter): Promise<Job> {
  const approval_rules = [{ tool: "send", then: "ask", ...rule }];
  const body = { name: "Ada", system_prompt: "x", visibility: "organization", allowed_tools: ["send"], approval_rules };
  const id = await chief.agent(body);
  const { job } = await by.send(await by.chat(id, owner.workspaceId), "go");
  return by.reached(job.id, "blocked");
}
const approve = (by: Client, { id }: Job, body: Json = {}) => by.decide(id, "approve", body);
const approvalOf = (job: Job) => job.approvals[0] as unknown as Json;
/** Who may decide, by their answers: each is tried with a denial of an approval that does not exist, then really. */
async function mayDecide(rule: Json, by: Client): Promise<boolean> {
  const job = await waiting(rule);
  const seen = await by.job(job.id);
  const isOffered = (seen["allowed_actions"] as readonly string[]).includes("approve");
  const answer = await approve(by, job);
  const { status } = answer;
  expect([isOffered, approvalOf(seen)["decision_refusal"] === null]).toEqual([status === 200, status === 200]);
  if (status !== 200) {
    expect(((await answer.json()) as Json)["message"]).toBe(approvalOf(seen)["decision_refusal"] as string);
    expect([status, madeBy(job).length]).toEqual([403, 0]);
  } else await by.reached(job.id, "completed");
  return status === 200;
}

describe("who decides", () => {
  test("[APR-7] the starter, the agent's creator, owners or a group, and without a word any member", async () => {
    await answered(group([ada]), 201);
    const table: readonly (readonly [Json, readonly Client[], readonly Client[]])[] = [
      [{}, [starter, ada, chief], []],
      [{ of: "anyone", not_starter: true }, [ada, chief], [starter]],
      [{ of: "starter" }, [starter], [ada, chief]],
      [{ of: "agent_owner" }, [chief], [starter, ada]],
      [{ of: "owners" }, [chief], [starter, ada]],
      [{ of: { group: "finance" } }, [ada], [ben, chief, starter]],
    ];
    for (const [rule, may, mayNot] of table) {
      for (const one of may) expect([rule, await mayDecide(rule, one)]).toEqual([rule, true]);
      for (const one of mayNot) expect([rule, await mayDecide(rule, one)]).toEqual([rule, false]);
    }
  }, 120_000);

  test("[APR-7] nobody is the second person of their own work, also as an owner or in the group", async () => {
    await answered(group([starter, ada]), 201);
    const job = await waiting({ of: { group: "finance" }, not_starter: true });
    await refused(approve(starter, job), 403, "forbidden");
    await refused(approve(starter, job, { decision: "deny" }), 403, "forbidden");
    await answered(approve(ada, job));
    const own = await waiting({ of: "owners", not_starter: true }, chief);
    await refused(approve(chief, own), 403, "forbidden");
  });

  test("[APR-7] the token of a service is no person, unless the rule says so; a personal one is its person", async () => {
    const token = await service.tokenFor(owner, { kind: "service" });
    const robot = new Client(service, token);
    const job = await waiting({ of: "owners" });
    await refused(approve(robot, job), 403, "forbidden");
    expect((await robot.job(job.id))["allowed_actions"]).not.toContain("approve");
    await answered(approve(new Client(service, await service.tokenFor(owner, {})), job));
    await answered(approve(robot, await waiting({ of: "owners", services: true })));
    await answered(approve(robot, await waiting({})));
  });

  test("[APR-8] several people must approve; each counts once, and one denial denies", async () => {
    await answered(group([ada, ben]), 201);
    const job = await waiting({ of: { group: "finance" }, count: 2 });
    const one = await answered<Job>(approve(ada, job, { comment: "Fine." }));
    expect([one.status, approvalOf(one)["votes"]]).toEqual([
      "blocked",
      [{ by: idOf(ada), at: expect.any(String), comment: "Fine." }],
    ]);
    await refused(approve(ada, job), 409, "invalid_state");
    await refused(approve(chief, job), 403, "forbidden");
    expect(madeBy(job)).toEqual([]);
    expect(approvalOf(await answered<Job>(approve(ben, job)))).toMatchObject({
      decision: "approve",
      decided_by: idOf(ben),
    } as never);
    await ada.reached(job.id, "completed");
    expect(madeBy(job)).toHaveLength(1);
    const other = await waiting({ of: { group: "finance" }, count: 2 });
    await answered(approve(ada, other));
    await answered(approve(ben, other, { decision: "deny" }));
    await ada.reached(other.id, "completed");
    expect(madeBy(other)).toEqual([]);
  });

  test("[APR-8] of many deciders at once each counts once, and the call is made once", async () => {
    await answered(group([ada, ben, starter]), 201);
    const job = await waiting({ of: { group: "finance" }, count: 2 });
    const all = [ada, ben, starter].flatMap((one) => Array.from({ length: 4 }, () => approve(one, job)));
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(2);
    expect(statuses.filter((status) => status === 409)).toHaveLength(10);
    await ada.reached(job.id, "completed");
    expect(madeBy(job)).toHaveLength(1);
  });

  test("[APR-8] somebody who has left the group or the organization counts no more, not even their earlier approval", async () => {
    await answered(group([ada, ben, starter]), 201);
    const job = await waiting({ of: { group: "finance" }, count: 2 });
    await answered(approve(ada, job));
    const votes = async () => approvalOf(await chief.job(job.id))["votes"] as Json[];
    expect((await votes()).map(({ by }) => by)).toEqual([idOf(ada)]);
    await answered(group([ben, starter]));
    expect(await votes()).toEqual([]);
    const { jobs } = await chief.get<{ jobs: Job[] }>("/api/jobs?status=blocked");
    expect(approvalOf(jobs.find(({ id }) => id === job.id)!)["votes"]).toEqual([]);
    await refused(approve(ada, job), 403, "forbidden");
    const second = await answered<Job>(approve(ben, job));
    expect([second.status, (approvalOf(second)["votes"] as Json[]).map(({ by }) => by)]).toEqual([
      "blocked",
      [idOf(ben)],
    ]);
    await answered(chief.call("DELETE", `/api/members/${idOf(ben)}`));
    expect((await answered<Job>(approve(starter, job))).status).toBe("blocked");
    expect((await chief.get<{ members: string[] }>("/api/groups/finance")).members).toEqual([idOf(starter)]);
    expect(madeBy(job)).toEqual([]);
  });

  test("[APR-4] the arguments of a call that several people decide cannot be changed", async () => {
    await answered(group([starter, ada]), 201);
    const job = await waiting({ of: { group: "finance" }, count: 2 });
    await refused(approve(starter, job, { arguments: { to: "y" } }), 400, "invalid_request");
    await answered(approve(ada, job));
    await refused(approve(starter, job, { arguments: { to: "y" } }), 400, "invalid_request");
    expect(approvalOf(await ada.job(job.id))).toMatchObject({ arguments: { to: "x" } } as never);
  });
});

test("[APR-7] in bulk and by a foreign protocol the same people decide, and nobody else", async () => {
  const first = await waiting({ of: "owners", not_starter: true });
  const everything = { action: "approve", filter: { status: ["blocked"] } };
  const bulk = async (by: Client) =>
    (await answered<{ results: Json[] }>(by.call("POST", "/api/jobs/bulk", everything))).results;
  expect((await bulk(ada)).map(({ outcome }) => outcome)).toEqual(["refused"]);
  const run = (fields: Json) =>
    starter.call("POST", `/ag-ui/agents/${String(first["agent_id"])}`, {
      threadId: "t1",
      runId: crypto.randomUUID(),
      state: {},
      tools: [],
      context: [],
      messages: [{ id: "m1", role: "user", content: "go" }],
      forwardedProps: {},
      ...fields,
    });
  const interruptId = /"id":"(apr_[^"]+)"/.exec(await (await run({})).text())?.[1];
  expect(interruptId).toBeDefined();
  const answer = await run({ resume: [{ interruptId, status: "resolved", payload: { approved: true } }] });
  expect(await answer.text()).toContain("somebody else must");
  expect(tools.calls.filter(({ context }) => context.userId === idOf(starter))).toEqual([]);
  expect((await bulk(chief)).map(({ outcome }) => outcome)).toEqual(["done", "done"]);
  await ada.reached(first.id, "completed");
  expect(madeBy(first)).toHaveLength(1);
});

describe("groups", () => {
  test("[APR-10] owners write them, members read them, and rules name only those that exist", async () => {
    const made = await answered<Json>(group([ben, ada, ada]), 201);
    expect(made).toMatchObject({ name: "finance", members: [idOf(ada), idOf(ben)].sort() });
    await answered(group([ada, ben]));
    expect((await ada.get<{ groups: Json[] }>("/api/groups")).groups).toEqual([made]);
    for (const by of [ada, new Client(service, await service.tokenFor(owner, { scopes: ["tokens:write"] }))])
      expect([401, 403]).toContain((await by.call("PUT", "/api/groups/finance", { members: [] })).status);
    await refused(chief.call("PUT", "/api/groups/finance", { members: ["usr_nobody"] }), 400, "invalid_request");
    await refused(chief.call("PUT", "/api/groups/Finance", { members: [] }), 400, "invalid_request");
    await refused(chief.call("GET", "/api/groups/none"), 404, "not_found");
    await refused(chief.call("PUT", "/api/groups/other", { members: "all" }), 400, "invalid_request");
    const rule = (fields: Json) =>
      chief.call("POST", "/api/agents", {
        name: "Ada",
        system_prompt: "x",
        allowed_tools: ["send"],
        approval_rules: [{ tool: "send", then: "ask", ...fields }],
      });
    const wrong = async (fields: Json) =>
      ((await refused(rule(fields), 400, "invalid_request"))["errors"] as { path: string }[])[0]?.path;
    expect(await wrong({ of: { group: "finances" } })).toBe("/approval_rules/0/of/group");
    expect(await wrong({ then: "allow", of: "owners" })).toBe("/approval_rules/0/then");
    expect(await wrong({ of: "starter", count: 2 })).toBe("/approval_rules/0/count");
    expect(await wrong({ of: "starter", not_starter: true })).toBe("/approval_rules/0/not_starter");
    expect(await wrong({ expiry: { after_seconds: 60, on_expiry: "escalate" } })).toBe(
      "/approval_rules/0/expiry/escalate_to",
    );
    for (const [to, fields] of [
      ["agent_owner", { count: 2 }],
      ["starter", { count: 2 }],
      ["starter", { not_starter: true }],
    ] as const)
      expect(await wrong({ ...fields, expiry: { after_seconds: 60, on_expiry: "escalate", escalate_to: to } })).toBe(
        "/approval_rules/0/expiry/escalate_to",
      );
    for (const fields of [
      { count: 0 },
      { count: 9 },
      { of: "everybody" },
      { of: {} },
      { expiry: { after_seconds: 59, on_expiry: "keep" } },
      { expiry: { after_seconds: 60, on_expiry: "approve" } },
    ])
      await refused(rule(fields), 400, "invalid_request");
    // The agents above were refused, so no rule names the group.
    await answered(chief.call("DELETE", "/api/groups/finance"));
    await refused(chief.call("DELETE", "/api/groups/finance"), 404, "not_found");
    const { audit_entries: entries } = await chief.get<{ audit_entries: Json[] }>("/api/audit?action=group.set");
    expect(entries.map(({ detail }) => detail)).toEqual(["finance"]);
  });

  test("[APR-10] the later of two editors of a group learns that the other one was first", async () => {
    const edit = (members: readonly Client[], version: number) =>
      service.call(owner, "PUT", "/api/groups/edited", { members: members.map(idOf) }, { "if-match": String(version) });
    await refused(edit([ada], 1), 409, "version_conflict");
    expect(await answered(edit([ada], 0), 201)).toMatchObject({ version: 1 });
    expect(await answered(edit([ada, ben], 1))).toMatchObject({ version: 2 });
    expect(await refused(edit([ben], 1), 409, "version_conflict")).toEqual({ version: 2 });
    expect(await answered(edit([ben, ada], 2))).toMatchObject({ version: 2 });
    await answered(chief.call("DELETE", "/api/groups/edited"));
  });

  test("[APR-10] a group that a rule of an agent names is not deleted, and the refusal names the agent", async () => {
    const rules = [
      { of: { group: "finance" } },
      { expiry: { after_seconds: 60, on_expiry: "escalate", escalate_to: { group: "finance" } } },
    ];
    await answered(group([ada]), 201);
    await answered(group([ada], "finances"), 201);
    const remove = () => chief.call("DELETE", "/api/groups/finance");
    for (const [at, rule] of rules.entries()) {
      const body = { name: `Payer ${at}`, system_prompt: "x", allowed_tools: ["send"] };
      const approval_rules = [
        { tool: "send", then: "deny" },
        { tool: "send", then: "ask", ...rule },
      ];
      const ofBen = at === 1;
      const by = ofBen ? ben : chief;
      const shown = ofBen ? {} : { visibility: "organization" };
      const id = await by.agent({ ...body, ...shown, approval_rules });
      const answer = await remove();
      const { code, message } = (await answer.json()) as Json;
      expect([answer.status, code]).toEqual([409, "invalid_state"]);
      // Ben's agent is private.
      expect(message).toBe(
        `Approval rules name the group finance: change those of ${ofBen ? "1 agent" : `\`Payer 0\` (${id})`} first`,
      );
      if (at === 0) await answered(chief.call("PATCH", `/api/agents/${id}`, { approval_rules: [] }));
      else await answered(ben.call("DELETE", `/api/agents/${id}`));
    }
    await answered(chief.call("DELETE", "/api/groups/finances"));
    await answered(remove());
  });
});
