/** One action on many jobs: previewed, done in pages, and told for each job (JOB-18). */
import { beforeEach, expect, test } from "bun:test";
import { answered, type Job, type Json, refused } from "../support/current.ts";
import { eventsAfter, feedHead } from "../support/event-feed.ts";
import { sceneOfTest } from "../support/scene.ts";

let agent: string;

const { service, owner, client } = sceneOfTest();
beforeEach(async () => {
  agent = await client.agent();
  service.model.script = () => [{ say: "done" }];
});

interface BulkAnswer {
  readonly done: number;
  readonly unchanged: number;
  readonly refused: number;
  readonly results: readonly {
    readonly job_id: string;
    readonly outcome: string;
    readonly status: string;
    readonly next_job_id: string | null;
    readonly error: { readonly code: string } | null;
  }[];
  readonly next_cursor?: string;
}

const bulk = (body: Json, query = ""): Promise<BulkAnswer> =>
  answered<BulkAnswer>(client.call("POST", `/api/jobs/bulk${query}`, body));
const countsOf = ({ done, unchanged, refused: no }: BulkAnswer) => ({ done, unchanged, refused: no });

async function jobIn(status: string, fields: Json = {}): Promise<Job> {
  const { job } = await client.send(await client.chat(agent, owner.workspaceId), "hello", fields);
  return client.reached(job.id, status);
}
async function failedJob(): Promise<Job> {
  service.model.script = () => [{ fail: { code: "provider_rejected", message: "No." } }];
  const job = await jobIn("failed");
  service.model.script = () => [{ say: "done" }];
  return job;
}

test("[JOB-18] a dry run says what would happen and does nothing; a real run changes each job with an event of its own", async () => {
  const waiting = [
    await jobIn("needs_review", { review_required: true }),
    await jobIn("needs_review", { review_required: true }),
  ];
  const completed = await jobIn("completed");
  const cancel = { action: "cancel", filter: { agent_id: agent } };
  const head = await feedHead(client);
  expect(countsOf(await bulk({ ...cancel, dry_run: true }))).toEqual({ done: 2, unchanged: 0, refused: 1 });
  expect(await eventsAfter(client, head)).toEqual([]);

  const first = await bulk(cancel);
  expect(first.results.map(({ job_id, outcome, status, error }) => [job_id, outcome, status, error?.code])).toEqual([
    [completed.id, "refused", "completed", "invalid_state"],
    [waiting[1]!.id, "done", "cancelled", undefined],
    [waiting[0]!.id, "done", "cancelled", undefined],
  ]);
  const emitted = (await eventsAfter(client, head)).filter(({ source }) => source === "api_mutation");
  // Newest first, as they were changed.
  expect(emitted.map(({ type, resource }) => [type, resource.id])).toEqual(
    waiting.toReversed().map(({ id }) => ["job.cancelled", id]),
  );
  // Again: nothing is left to do.
  expect(countsOf(await bulk(cancel))).toEqual({ done: 0, unchanged: 2, refused: 1 });
});

test("[JOB-18] ended jobs are resumed once, however often it is asked for", async () => {
  const failed = await failedJob();
  const resume = { action: "resume", filter: { status: ["failed"] } };
  const [result] = (await bulk(resume)).results;
  expect([result?.job_id, result?.outcome]).toEqual([failed.id, "done"]);
  const next = result?.next_job_id ?? "";
  expect(await client.reached(next, "completed")).toMatchObject({ relation: "resume", parent_job_id: failed.id });
  expect((await bulk(resume)).results).toEqual([expect.objectContaining({ outcome: "unchanged", next_job_id: next })]);
});

test("[JOB-18] pages, the same answer under one key, and only conditions that are met", async () => {
  const jobs = [await failedJob(), await failedJob(), await failedJob()];
  const seen: string[] = [];
  let cursor = "";
  do {
    const page = await bulk(
      { action: "cancel", filter: { status: ["failed"] }, dry_run: true },
      `?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`,
    );
    seen.push(...page.results.map(({ job_id }) => job_id));
    cursor = page.next_cursor ?? "";
  } while (cursor !== "");
  expect(seen).toEqual(jobs.map(({ id }) => id).toReversed());

  const keyed = (body: Json): Promise<Response> =>
    service.call(owner, "POST", "/api/jobs/bulk", body, { "idempotency-key": "b1" });
  const resume = { action: "resume", filter: { status: ["failed"], created_after: "2020-01-01" } };
  const first = await answered<BulkAnswer>(keyed(resume));
  expect([countsOf(first), await answered<BulkAnswer>(keyed(resume))]).toEqual([
    { done: 3, unchanged: 0, refused: 0 },
    first,
  ]);

  // Empty metadata is contained in the metadata of every job.
  for (const filter of [{}, { metadata: {} }])
    await refused(client.call("POST", "/api/jobs/bulk", { action: "cancel", filter }), 400, "invalid_request");
  await refused(client.call("POST", "/api/jobs/bulk", { action: "cancel" }), 400, "invalid_request");
  const late = { action: "cancel", filter: { created_after: "soon" } };
  await refused(client.call("POST", "/api/jobs/bulk", late), 400, "invalid_request");
});

test("[JOB-18] jobs that the caller does not see, and those of others, stay as they are", async () => {
  const hidden = await jobIn("needs_review", { review_required: true });
  const others = await service.found("Another");
  const body = { action: "cancel", filter: { status: ["needs_review"] } };
  for (const caller of [others, await service.join(owner.organizationId)])
    expect((await answered<BulkAnswer>(service.call(caller, "POST", "/api/jobs/bulk", body))).done).toBe(0);
  expect((await client.get<Job>(`/api/jobs/${hidden.id}`)).status).toBe("needs_review");
});

test("[JOB-18] reviews are accepted and calls decided together, and jobs that wait for no decision stay as they are", async () => {
  const review = await jobIn("needs_review", { review_required: true });
  const completed = await jobIn("completed");
  const asking = {
    name: "Grace",
    system_prompt: "Ask.",
    allowed_tools: ["list_tasks"],
    approval_tools: ["list_tasks"],
  };
  agent = await client.agent(asking);
  service.model.script = ({ entries }) =>
    entries.at(-1)?.role === "assistant"
      ? [{ say: "done" }]
      : [{ use: { type: "tool_use", id: "c1", name: "list_tasks", input: {} } }];
  const asks = [await jobIn("blocked"), await jobIn("blocked")];
  const all = { filter: { workspace_id: owner.workspaceId } };
  const deny = await bulk({ action: "deny", dry_run: true, ...all });
  expect(deny.results.map(({ job_id, outcome, error }) => [job_id, outcome, error?.code])).toEqual([
    [asks[1]!.id, "done", undefined],
    [asks[0]!.id, "done", undefined],
    [completed.id, "unchanged", undefined],
    [review.id, "refused", "invalid_state"],
  ]);
  const one = { action: "deny", filter: { agent_id: agent }, dry_run: false };
  expect(countsOf(await bulk(one, "?limit=1"))).toEqual({ done: 1, unchanged: 0, refused: 0 });
  await client.reached(asks[1]!.id, "completed");
  const head = await feedHead(client);
  expect(countsOf(await bulk({ action: "approve", ...all }))).toEqual({ done: 2, unchanged: 2, refused: 0 });
  await client.reached(asks[0]!.id, "completed");
  await client.reached(review.id, "completed");
  const emitted = (await eventsAfter(client, head)).filter(({ source }) => source === "api_mutation");
  expect(emitted.map(({ type, resource }) => [type, resource.id])).toEqual([
    ["job.approved", asks[0]!.id],
    ["job.approved", review.id],
  ]);
  const decided = await answered<{ approvals: readonly { decision: string }[] }>(
    client.call("GET", `/api/jobs/${asks[1]!.id}`),
  );
  expect(decided.approvals.map(({ decision }) => decision)).toEqual(["deny"]);
});
