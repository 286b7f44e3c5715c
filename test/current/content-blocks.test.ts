/** Messages with images and files (FILE-5 to FILE-9). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { MessagePart, ModelCall } from "../../actors/job/ports.ts";
import { IMAGE_BYTES } from "../../actors/upload/terms.ts";
import { sweepOnce } from "../../db/sweeps.ts";
import { workspaceSweeps } from "../../db/workspace-sweeps.ts";
import { createEgress } from "../../src/egress/egress.ts";
import type { BlobKey } from "../../actors/workspace/ports.ts";
import { answered, Client, type Job, type Json, type Message, refused, type Sent } from "../support/current.ts";
import { gate } from "../support/fake-model.ts";
import { sceneOfTest } from "../support/scene.ts";
import { SmallWeb } from "../support/small-web.ts";
import { PNG, uploaded } from "../support/uploads.ts";

const DAY_MS = 86_400_000;
const picture = (): Response => new Response(PNG, { headers: { "content-type": "image/png" } });

let web: SmallWeb;
let agent: string;
let chat: string;

const { service, owner, client } = sceneOfTest({ egress: createEgress({ allow: ["127.0.0.1"], production: false }) });
beforeAll(() => void (web = new SmallWeb(picture)));
afterAll(() => web.stop());
beforeEach(async () => {
  agent = await client.agent({ system_prompt: "x" });
  chat = await client.chat(agent, owner.workspaceId);
  web.asked.length = 0;
  service.model.calls.length = 0;
  service.model.blind.clear();
  service.model.script = () => [{ say: "seen" }];
  web.page = picture;
});

const send = (content: unknown, fields: Json = {}, by = client): Promise<Response> =>
  by.call("POST", `/api/chats/${chat}/messages`, { content, ...fields });
async function say(content: unknown, fields: Json = {}): Promise<Sent> {
  const sent = await answered<Sent>(send(content, fields), 202);
  await client.reached(sent.job.id, "completed");
  return sent;
}
const image = (source: Json, more: Json = {}): Json => ({ type: "image", source, ...more });
const file = (source: Json, more: Json = {}): Json => ({ type: "file", source, ...more });
const text = (said: string): Json => ({ type: "text", text: said });
const upload = (id: string): Json => ({ kind: "upload", file_id: id });
const errorsOf = async (content: unknown): Promise<unknown> =>
  (await refused(send(content), 400, "invalid_request"))["errors"];

/** What the model was given in the messages of users, oldest first. */
const told = (call: ModelCall | undefined = service.model.calls.at(-1)): (string | readonly MessagePart[])[] =>
  (call?.entries ?? []).flatMap((entry) => (entry.role === "user" ? [entry.parts ?? entry.text] : []));
const write = (path: string, body: string | Uint8Array<ArrayBuffer>): Promise<Response> =>
  client.putFile(owner.workspaceId, path, body);

describe("an upload", () => {
  test("[FILE-5] is sent to the model with its bytes, in its place, and shown with what is known of it", async () => {
    const { id, sha256 } = await uploaded(client, "pixel.png", PNG);
    const note = await uploaded(client, "note.md", "# A note");
    const content = [text("look at"), image(upload(id)), text("and"), file(upload(note.id), { name: "the note" })];
    const { message, job } = await say(content);
    expect(told()).toEqual([
      [
        { type: "text", text: "look at" },
        { type: "image", mediaType: "image/png", name: "pixel.png", data: PNG },
        { type: "text", text: "and" },
        { type: "file", mediaType: "text/markdown", name: "the note", data: new TextEncoder().encode("# A note") },
      ],
    ]);
    const blocks = [
      text("look at"),
      {
        type: "image",
        media_type: "image/png",
        name: "pixel.png",
        size: PNG.length,
        sha256,
        source: { kind: "upload", file_id: id },
      },
      text("and"),
      {
        type: "file",
        media_type: "text/markdown",
        name: "the note",
        size: 8,
        sha256: note.sha256,
        source: { kind: "upload", file_id: note.id },
      },
    ];
    expect(message["blocks"]).toEqual(blocks);
    expect(message.content).toBe("look at\n\nand");
    expect((await client.messages(chat))[0]).toEqual(message);
    expect(await client.job(job.id)).toMatchObject({ input: "look at\n\nand", title: "look at and" });
    const events = await client.call("GET", `/api/chats/${chat}/events?replay=all&wait=end`);
    expect(await events.text()).toContain(sha256);
  });

  test("[FILE-5] alone is a message too, called by its name", async () => {
    const { id } = await uploaded(client, "pixel.png", PNG);
    const { job, message } = await say([image(upload(id))]);
    expect(job).toMatchObject({ title: "pixel.png", input: "" });
    expect(message.content).toBe("");
    expect((await client.readChat(chat))["last_message_preview"]).toBe("seen");
  });

  test("[FILE-6] goes with later turns, and stays with the message when it is deleted", async () => {
    const { id, sha256 } = await uploaded(client, "pixel.png", PNG);
    await say([text("one"), image(upload(id))]);
    expect((await client.get<Json>(`/api/files/${id}`))["expires_at"]).toBeNull();
    await answered(client.call("DELETE", `/api/files/${id}`));
    expect(await errorsOf([image(upload(id))])).toEqual([
      { path: "/content/0/source/file_id", message: expect.stringContaining(id) as string },
    ]);
    const removed: string[] = [];
    const blobs = { remove: async (key: BlobKey) => void removed.push(key.sha256) };
    for (const one of workspaceSweeps(blobs)) {
      const now = Date.now() + 30 * DAY_MS;
      for (let isDone = false; !isDone;) ({ isDone } = await sweepOnce(service.database, one, { now, limit: 100 }));
    }
    expect(removed).not.toContain(sha256);
    await say("two");
    expect(told()).toEqual([[text("one"), expect.objectContaining({ data: PNG })] as never, "two"]);
  });

  test("[FILE-5] of somebody else, or none, is refused with its place", async () => {
    const colleague = new Client(service, await service.join(owner.organizationId));
    const { id } = await uploaded(colleague, "theirs.png", PNG);
    for (const fileId of [id, "upl_000000000000000000000", "nothing"])
      expect(await errorsOf([text("x"), image(upload(fileId))])).toEqual([
        { path: "/content/1/source/file_id", message: expect.stringContaining("no file") as string },
      ]);
    expect(await client.messages(chat)).toEqual([]);
  });
});

describe("what is said wrongly", () => {
  const cases: readonly (readonly [string, unknown, string])[] = [
    ["a number", 5, "/content"],
    ["null", [null], "/content/0"],
    ["no blocks", [], "/content"],
    ["blank text", [text(" ")], "/content/0/text"],
    ["an unknown type", [{ type: "video" }], "/content/0/type"],
    ["no source", [{ type: "image" }], "/content/0/source"],
    ["an unknown kind", [image({ kind: "ftp" })], "/content/0/source/kind"],
    ["no id", [image({ kind: "upload" })], "/content/0/source/file_id"],
    ["a field too many", [image({ kind: "url", url: "https://a.test", method: "POST" })], "/content/0/source/method"],
    [
      "a version that is none",
      [file({ kind: "workspace", workspace_id: "w", path: "a", version: 0 })],
      "/content/0/source/version",
    ],
    [
      "a path that is none",
      [file({ kind: "workspace", workspace_id: "wsp_1", path: "../a" })],
      "/content/0/source/path",
    ],
  ];
  test.each(cases)("[FILE-5] %s is refused with its place", async (_, content, path) => {
    const errors = (await errorsOf(content)) as { path: string; message: string }[];
    expect(errors.map((error) => error.path)).toEqual([path]);
  });

  test("[FILE-5] all that is wrong is reported at once, and a place has its name", async () => {
    expect(await errorsOf([text(""), image({ kind: "upload" }), { type: "image" }])).toEqual([
      { path: "/content/0/text", message: "content[0].text must be a string that is not empty" },
      {
        path: "/content/1/source/file_id",
        message: "content[1].source.file_id must be a string of 1 to 4096 characters",
      },
      { path: "/content/2/source", message: expect.stringContaining("content[2].source") as string },
    ]);
  });

  test("[FILE-5] too many images are refused, and so is an image that is too long or invalid", async () => {
    const { id } = await uploaded(client, "pixel.png", PNG);
    expect(await errorsOf(Array.from({ length: 21 }, () => image(upload(id))))).toMatchObject([{ path: "/content" }]);
    expect(await errorsOf([file(upload(id))])).toEqual([
      { path: "/content/0/type", message: 'content[0].type must be "image": the content is image/png' },
    ]);
    const large = new Uint8Array(IMAGE_BYTES + 1);
    large.set(PNG);
    const { id: tooLarge } = await uploaded(client, "large.png", large);
    expect(await errorsOf([image(upload(tooLarge))])).toMatchObject([{ path: "/content/0/source" }]);
    const fits = await uploaded(client, "fits.png", large.slice(0, IMAGE_BYTES));
    const most = Array.from({ length: 5 }, () => image(upload(fits.id)));
    expect(await errorsOf(most)).toMatchObject([
      { path: "/content/4/source", message: expect.stringContaining("22 MiB") as string },
    ]);
  });
});

describe("a file of a workspace", () => {
  const at = (path: string, version?: number): Json => ({
    kind: "workspace",
    workspace_id: owner.workspaceId,
    path,
    ...(version === undefined ? {} : { version }),
  });

  test("[FILE-6] is pinned as it is when the message is accepted", async () => {
    await answered(write("a.txt", "first"), 201);
    const { message } = await say([file(at("a.txt"))]);
    expect(message["blocks"]).toMatchObject([
      { name: "a.txt", media_type: "text/plain", source: { kind: "workspace", path: "a.txt", version: 1 } },
    ]);
    await answered(write("a.txt", "second"));
    await say([text("again"), file(at("a.txt")), file(at("a.txt", 1))]);
    const data = (part: MessagePart | string | undefined) =>
      typeof part === "object" && part.type !== "text" ? Buffer.from(part.data).toString() : null;
    expect(told().map((parts) => (typeof parts === "string" ? [] : parts.map((part) => data(part))))).toEqual([
      ["first"],
      [null, "second", "first"],
    ]);
  });

  test("[FILE-5] that does not exist is refused with its place, and needs the scope to read it", async () => {
    expect(await errorsOf([file(at("none.txt"))])).toMatchObject([{ path: "/content/0/source/path" }]);
    expect(await errorsOf([file({ ...at("a.txt"), workspace_id: "wsp_none" })])).toMatchObject([
      { path: "/content/0/source/workspace_id" },
    ]);
    await answered(write("a.txt", "first"), 201);
    expect(await errorsOf([file(at("a.txt", 9))])).toMatchObject([{ path: "/content/0/source/path" }]);
    const chatter = new Client(service, await service.tokenFor(owner, { scopes: ["chats:write"] }));
    await refused(send([file(at("a.txt"))], {}, chatter), 403, "insufficient_scope");
  });
});

describe("a URL", () => {
  const at = (path: string): Json => ({ kind: "url", url: web.at(path) });

  test("[FILE-6] is fetched once when the message is accepted, and its query is not shown", async () => {
    const { message } = await say([image(at("/pictures/a%20pixel.png?key=secret"))]);
    expect(web.asked).toEqual(["/pictures/a%20pixel.png"]);
    expect(message["blocks"]).toMatchObject([
      { name: "a pixel.png", source: { kind: "url", url: web.at("/pictures/a%20pixel.png") } },
    ]);
    web.page = () => new Response("changed");
    await say("and now?");
    expect(told()[0]).toEqual([{ type: "image", mediaType: "image/png", name: "a pixel.png", data: PNG }]);
    expect(web.asked).toHaveLength(1);
  });

  test("[FILE-6] gives a name that can be stored and shown, whatever it has", async () => {
    const { message } = await say([image(at("/a%00b%E2%80%AEgnp.png"))]);
    const [{ name }] = message["blocks"] as [{ name: string }];
    expect([name.startsWith("a"), name.endsWith("gnp.png"), /[\0\u202e]/.test(name)]).toEqual([true, true, false]);
  });

  test("[FILE-6] that cannot be fetched is refused in words about its field", async () => {
    const why = async (source: Json): Promise<unknown> => {
      const errors = (await errorsOf([text("x"), image(source)])) as { path: string; message: string }[];
      expect(errors.map(({ path }) => path)).toEqual(["/content/1/source/url"]);
      return errors[0]?.message;
    };
    web.page = () => new Response("no", { status: 404 });
    expect(await why(at("/none"))).toBe("content[1].source.url answered with status 404");
    expect(await why({ kind: "url", url: "https://10.1.2.3/x.png" })).toContain("public internet");
    expect(await why({ kind: "url", url: "nonsense" })).toContain("complete URL");
    web.page = () => new Response("no picture");
    const [wrong] = (await errorsOf([image(at("/text"))])) as { path: string; message: string }[];
    expect(wrong).toEqual({
      path: "/content/0/type",
      message: 'content[0].type must be "file": the content is text/plain',
    });
    web.page = () => new Response(new Uint8Array(20 * 1024 * 1024 + 1));
    expect(await why(at("/large"))).toContain("more bytes");
    expect(await client.messages(chat)).toEqual([]);
    const blobs = await service.database.read<{ sha256: string }[]>`
      select sha256 from blob_claim where organization_id = ${owner.organizationId}`;
    expect([...blobs]).toEqual([]);
  });

  test("[FILE-6] [IDEM-3] whose host fails for now is 503 with the place, and the same key tries again", async () => {
    web.page = () => new Response("busy", { status: 503 });
    const key = crypto.randomUUID();
    const again = (): Promise<Response> =>
      service.call(
        owner,
        "POST",
        `/api/chats/${chat}/messages`,
        { content: [text("x"), image(at("/a.png"))] },
        { "idempotency-key": key },
      );
    const first = await again();
    expect(Number(first.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await first.clone().json()).toMatchObject({
      message: "content[1].source.url answered with status 503",
    } as never);
    await refused(first, 503, "unavailable");
    web.page = () => new Response(PNG);
    const { job } = await answered<Sent>(again(), 202);
    await client.reached(job.id, "completed");
    expect(web.asked).toHaveLength(2);
  });
});

describe("models", () => {
  test("[FILE-8] that cannot see are refused before anything begins, and text files go to all", async () => {
    service.model.blind.add(null);
    const picture = await uploaded(client, "pixel.png", PNG);
    const pdf = await uploaded(client, "a.pdf", "%PDF-1.7\n");
    const note = await uploaded(client, "a.txt", "a note");
    expect(await errorsOf([text("x"), image(upload(picture.id))])).toEqual([
      { path: "/content/1", message: expect.stringContaining("fake:fake does not read images") as string },
    ]);
    expect(await errorsOf([file(upload(pdf.id))])).toMatchObject([
      { path: "/content/0", message: expect.stringContaining("PDF") as string },
    ]);
    await say([file(upload(note.id))]);
    expect(service.model.calls).toHaveLength(1);
    expect((await client.get<Json>(`/api/files/${picture.id}`))["expires_at"]).not.toBeNull();
  });

  test("[FILE-8] that came to a chat later get descriptions of what they cannot read", async () => {
    const picture = await uploaded(client, "pixel.png", PNG);
    await say([image(upload(picture.id))]);
    service.model.blind.add(null);
    await say("what was it?");
    expect(told()).toEqual([
      [{ type: "text", text: expect.stringContaining('image "pixel.png", image/png, 1 KiB') as string }],
      "what was it?",
    ]);
  });

  test("[FILE-8] GET /api/models says what each reads", async () => {
    const { models } = await client.get<{ models: Json[] }>("/api/models");
    expect(models[0]?.["input"]).toEqual(["text", "image", "file"]);
  });
});

test("[FILE-9] a message that steers, an edit, a resumed job and a fork have them too", async () => {
  const { id } = await uploaded(client, "pixel.png", PNG);
  const held = gate();
  service.model.script = ({ entries }) => (entries.length === 1 ? [{ say: "first" }, held] : [{ say: "then" }]);
  const { job } = await answered<Sent>(send("go"), 202);
  await service.model.called(1);
  await answered(send([text("and this"), image(upload(id))], { on_busy: "steer" }), 202);
  held.open();
  await client.reached(job.id, "completed");
  const picture = { type: "image", mediaType: "image/png", name: "pixel.png", data: PNG };
  expect(told()).toEqual(["go", [text("and this"), picture] as never]);
  const transcript = await client.call("GET", `/api/jobs/${job.id}/transcript-events`);
  expect(await transcript.text()).toContain('"media_type":"image/png"');

  service.model.script = () => [{ say: "seen" }];
  const { message } = await say([text("what is it?"), image(upload(id))]);
  const fork = (body: Json) => client.call("POST", `/api/chats/${chat}/fork`, body);
  const copy = await answered<{ chat: { id: string } }>(fork({ from_message_id: message.id }), 201);
  const copied = (await client.messages(copy.chat.id)).find(({ content }) => content === "what is it?") as Message;
  expect(copied["blocks"]).toEqual(message["blocks"]);
  const edited = await answered<{ chat: { id: string }; job: Job }>(
    fork({ from_message_id: message.id, content: [image(upload(id)), text("in French?")] }),
    201,
  );
  await client.reached(edited.job.id, "completed");
  expect(told().at(-1)).toEqual([picture, text("in French?")] as never);
  const [{ n }] = await service.database.read<[{ n: number }]>`
    select count(*)::int as n from attachment where organization_id = ${owner.organizationId}`;
  // Two messages, the copies of both in the first fork, and the copy of one and the edit in the second.
  expect(n).toBe(6);
});
