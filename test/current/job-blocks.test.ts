/** Images and files in what people say to jobs: feedback, and the input of a resume (FILE-5, FILE-6, FILE-8, FILE-9). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { MessagePart, ModelCall } from "../../actors/job/ports.ts";
import type { BlobKey } from "../../actors/workspace/ports.ts";
import { sweepOnce } from "../../db/sweeps.ts";
import { workspaceSweeps } from "../../db/workspace-sweeps.ts";
import { createEgress } from "../../src/egress/egress.ts";
import { answered, Client, type Job, type Json, refused } from "../support/current.ts";
import { FakeTools } from "../support/fake-tools.ts";
import { sceneOfTest } from "../support/scene.ts";
import { SmallWeb } from "../support/small-web.ts";
import { PNG, uploaded } from "../support/uploads.ts";
import { createAgent } from "../support/v1.ts";

const DAY_MS = 86_400_000;

let web: SmallWeb;
let chat: string;
let picture: string;

const { service, owner, client } = sceneOfTest({
  egress: createEgress({ allow: ["127.0.0.1"], production: false }),
  tools: new FakeTools(),
});
beforeAll(() => void (web = new SmallWeb(() => new Response(PNG, { headers: { "content-type": "image/png" } }))));
afterAll(() => web.stop());
beforeEach(async () => {
  chat = await client.chat(await createAgent(service, owner), owner.workspaceId);
  picture = (await uploaded(client, "pixel.png", PNG)).id;
  web.asked.length = 0;
  service.model.calls.length = 0;
  service.model.blind.clear();
  service.model.script = () => [{ say: "seen" }];
});

const text = (said: string): Json => ({ type: "text", text: said });
const image = (source: Json): Json => ({ type: "image", source });
const upload = (id: string): Json => image({ kind: "upload", file_id: id });
const atUrl = (): Json => image({ kind: "url", url: web.at("/a.png") });
const SEEN = { type: "image", mediaType: "image/png", name: "pixel.png", data: PNG } as const;
/** What the model was told in the newest message of a user. */
const told = (call: ModelCall | undefined = service.model.calls.at(-1)): string | readonly MessagePart[] | undefined =>
  (call?.entries ?? []).flatMap((entry) => (entry.role === "user" ? [entry.parts ?? entry.text] : [])).at(-1);
const pathsOf = async (response: Promise<Response>): Promise<unknown> =>
  ((await refused(response, 400, "invalid_request"))["errors"] as { path: string }[]).map(({ path }) => path);
const failing = async (content: unknown): Promise<Job> => {
  service.model.script = () => [{ fail: { code: "provider_error", message: "broken" } }];
  const sent = client.call("POST", `/api/chats/${chat}/messages`, { content });
  const { job } = await answered<{ job: Job }>(sent, 202);
  const failed = await client.reached(job.id, "failed");
  service.model.script = () => [{ say: "seen" }];
  return failed;
};
/** A job that has made the one step of its budget. */
const blocked = async (): Promise<Job> => {
  service.model.script = () => [
    { use: { type: "tool_use", id: `c${service.model.calls.length}`, name: "look", input: {} } },
  ];
  const { job } = await client.send(chat, "go", { budget: { max_steps: 1 } });
  const waits = await client.reached(job.id, "blocked");
  service.model.script = () => [{ say: "seen" }];
  return waits;
};
const MORE = { budget: { max_steps: 5 } };
const eventsOf = async (job: string): Promise<readonly { readonly type: string; readonly data: Json }[]> =>
  (await client.get<{ events: { type: string; data: Json }[] }>(`/api/jobs/${job}/transcript-events?limit=100`)).events;

describe("feedback", () => {
  test("[FILE-5] [JOB-2] with an image begins the next round with the image, and has an event in the stream", async () => {
    const { job } = await client.send(chat, "draw a pixel");
    await client.reached(job.id, "completed");
    const feedback = [text("like this"), upload(picture)];
    const child = await answered<Job>(client.decide(job.id, "iterate", { feedback }), 202);
    expect(child).toMatchObject({ relation: "iteration", input: "like this" });
    await client.reached(child.id, "completed");
    expect(told()).toEqual([{ type: "text", text: "like this" }, SEEN]);
    expect((await client.job(job.id)).review).toMatchObject({ comment: "like this" });
    const asked = (await eventsOf(job.id)).find(({ type }) => type === "job.iteration_requested");
    expect(asked?.data).toMatchObject({
      feedback: "like this",
      blocks: [text("like this"), { media_type: "image/png" }],
    });
    const message = (await client.messages(chat)).find(({ content }) => content === "like this");
    expect(message?.["blocks"]).toMatchObject([text("like this"), { name: "pixel.png" }]);
    expect((await client.get(`/api/files/${picture}`))["expires_at"]).toBeNull();
  });

  test("[FILE-5] may be an image alone", async () => {
    const { job } = await client.send(chat, "draw a pixel");
    await client.reached(job.id, "completed");
    const child = await answered<Job>(client.decide(job.id, "iterate", { feedback: [upload(picture)] }), 202);
    await client.reached(child.id, "completed");
    expect(told()).toEqual([SEEN]);
    expect((await client.job(job.id)).review).toMatchObject({ comment: null });
  });

  test("[FILE-5] [FILE-8] that is wrong is refused with its place, and nothing is decided", async () => {
    const { job } = await client.send(chat, "draw a pixel");
    const done = await client.reached(job.id, "completed");
    const iterate = (feedback: unknown) => client.decide(job.id, "iterate", { feedback });
    expect(await pathsOf(iterate([text("x"), upload("upl_none")]))).toEqual(["/feedback/1/source/file_id"]);
    expect(await pathsOf(iterate([{ type: "video" }]))).toEqual(["/feedback/0/type"]);
    expect(await pathsOf(iterate([]))).toEqual(["/feedback"]);
    service.model.blind.add(null);
    expect(await pathsOf(iterate([text("x"), upload(picture)]))).toEqual(["/feedback/1"]);
    expect((await client.job(job.id)).version).toBe(done.version);
  });

  test("[FILE-5] [GEN-5] for a job that cannot be iterated names no address that is fetched", async () => {
    const waits = await blocked();
    await refused(client.decide(waits.id, "iterate", { feedback: [atUrl()] }), 409, "invalid_state");
    expect(web.asked).toHaveLength(0);
  });
});

describe("the input of a resume", () => {
  test("[FILE-9] of a failed job continues in the next one, with what was said or with what it had", async () => {
    const job = await failing([text("look"), upload(picture)]);
    service.model.script = () => [{ fail: { code: "provider_error", message: "broken" } }];
    const again = await answered<Job>(client.decide(job.id, "resume", {}), 202);
    await client.reached(again.id, "failed");
    expect(told()).toEqual([{ type: "text", text: "look" }, SEEN]);
    service.model.script = () => [{ say: "seen" }];
    const other = await answered<Job>(
      client.decide(again.id, "resume", { input: [upload(picture), text("or so")] }),
      202,
    );
    await client.reached(other.id, "completed");
    expect(told()).toEqual([SEEN, { type: "text", text: "or so" }]);
  });

  test("[FILE-8] [FILE-9] a job whose images its chat's model cannot read any more is not begun again", async () => {
    const job = await failing([upload(picture)]);
    service.model.blind.add(null);
    expect(await pathsOf(client.decide(job.id, "resume", {}))).toEqual(["/input/0"]);
    expect(service.model.calls).toHaveLength(1);
  });

  test("[FILE-6] [JOB-9] of a blocked job reaches its next call, and its content stays when its upload is gone", async () => {
    const waits = await blocked();
    const input = [text("here it is"), upload(picture)];
    await answered(client.decide(waits.id, "resume", { input, ...MORE }), 202);
    await client.reached(waits.id, "completed");
    expect(told()).toEqual([{ type: "text", text: "here it is" }, SEEN]);
    const said = (await eventsOf(waits.id)).find(({ data }) => data["kind"] === "user_text");
    expect(said?.data).toMatchObject({ text: "here it is", blocks: [text("here it is"), { name: "pixel.png" }] });
    // The next turn has it too, where the model got it.
    const userEntries = () => service.model.calls.at(-1)!.entries.filter(({ role }) => role === "user");
    const before = userEntries();
    await client.reached((await client.send(waits.chat_id, "And now?")).job.id, "completed");
    expect(userEntries().slice(0, -1)).toEqual(before);
    const { sha256 } = await answered<{ sha256: string }>(client.call("DELETE", `/api/files/${picture}`));
    const removed: string[] = [];
    const blobs = {
      async remove(key: BlobKey) {
        if (key.organizationId === owner.organizationId) removed.push(key.sha256);
      },
    };
    for (const one of workspaceSweeps(blobs)) {
      const now = Date.now() + 30 * DAY_MS;
      for (let isDone = false; !isDone;) ({ isDone } = await sweepOnce(service.database, one, { now, limit: 100 }));
    }
    expect(removed).not.toContain(sha256);
  });

  test("[FILE-5] [FILE-8] of a blocked job is refused with its place, and what nobody may say fetches nothing", async () => {
    const waits = await blocked();
    const resume = (input: unknown, by = client) => by.decide(waits.id, "resume", { input, ...MORE });
    expect(await pathsOf(resume([upload("upl_none")]))).toEqual(["/input/0/source/file_id"]);
    service.model.blind.add(null);
    expect(await pathsOf(resume([text("x"), upload(picture)]))).toEqual(["/input/1"]);
    service.model.blind.clear();
    const colleague = new Client(service, await service.join(owner.organizationId));
    await refused(resume([atUrl()], colleague), 403, "forbidden");
    expect(web.asked).toHaveLength(0);
    expect((await client.job(waits.id)).version).toBe(waits.version);
    await answered(resume([atUrl()]), 202);
    expect(web.asked).toHaveLength(1);
    await client.reached(waits.id, "completed");
    await refused(resume([atUrl()]), 409, "invalid_state");
    expect(web.asked).toHaveLength(1);
  });

  test("[FILE-5] is text as before", async () => {
    const failed = await failing("first");
    const next = await answered<Job>(client.decide(failed.id, "resume", { input: "second" }), 202);
    await client.reached(next.id, "completed");
    expect(told()).toBe("second");
  });
});
