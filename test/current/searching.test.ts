/** Filters and searches of agents, chats and jobs. */
import { beforeEach, describe, expect, test } from "bun:test";
import { answered, Client, type Json, refused } from "../support/current.ts";
import { sceneOfTest } from "../support/scene.ts";

const { service, owner, client } = sceneOfTest();
beforeEach(() => void (service.model.script = () => [{ say: "An answer about zebras." }]));

const agent = (name: string, fields: Json = {}): Promise<string> =>
  client.agent({ name, system_prompt: "x", ...fields });
/** The names, titles or inputs of what a list finds. */
const found = async (path: string, field: string, by = client): Promise<unknown[]> => {
  const [list] = Object.values(await by.get(path)) as [Json[]];
  return list.map((one) => one[field]);
};

describe("agents", () => {
  const names = (query: string, by = client) => found(`/api/agents?${query}`, "name", by);

  test("[GEN-8] matches words of the name, or their beginnings, in any order and case", async () => {
    await agent("Ada Lovelace");
    await agent("Grace Hopper, Rear Admiral");
    expect(await names("name=ada")).toEqual(["Ada Lovelace"]);
    expect(await names("name=LOVE+ad")).toEqual(["Ada Lovelace"]);
    expect(await names("name=ra")).toEqual([]);
    expect(await names("name=admiral+hop")).toEqual(["Grace Hopper, Rear Admiral"]);
    for (const odd of ["%27", "%25", "%3A*", "a'b", "%5C", "!!", "%26%7C", "ada%00"].slice(0, -1))
      expect(await names(`name=${odd}`)).toEqual([]);
    await refused(client.call("GET", "/api/agents?name=ada%00"), 400, "invalid_request");
    await refused(client.call("GET", `/api/agents?name=${"x".repeat(257)}`), 400, "invalid_request");
  });

  test("[GEN-8] by tag, source and visibility, the library's entries too", async () => {
    await agent("One", { tags: ["texts", "short"] });
    await agent("Two", { tags: ["texts"], visibility: "organization" });
    await agent("Three", { visibility: "unlisted" });
    expect(await names("tag=texts")).toEqual(["Two", "One"]);
    expect(await names("tag=text")).toEqual([]);
    expect(await names("tag=short&visibility=private")).toEqual(["One"]);
    expect(await names("visibility=organization,unlisted&source=private")).toEqual(["Three", "Two"]);
    expect(await names("visibility=public")).toEqual([]);
    const library = await found("/api/agents?source=library&limit=100", "source");
    expect(library.length).toBeGreaterThan(4);
    expect(new Set(library)).toEqual(new Set(["library"]));
    expect((await names("source=library&visibility=private")).length).toBe(0);
  });

  test("[AGT-5] a search finds neither private agents of other people nor agents of other organizations", async () => {
    await agent("Secret", { tags: ["hidden"] });
    const colleague = new Client(service, await service.join(owner.organizationId));
    const stranger = new Client(service, await service.found());
    for (const by of [colleague, stranger])
      for (const query of ["name=secret", "tag=hidden", "visibility=private", "source=private"])
        expect(await names(query, by)).toEqual([]);
    expect(await names("name=secret")).toEqual(["Secret"]);
  });
});

test("[AGT-2] a new agent has the visibility that is given, private unless given", async () => {
  const colleague = new Client(service, await service.join(owner.organizationId));
  const shared = await agent("Shared", { visibility: "organization" });
  const own = await agent("Own");
  expect((await colleague.get(`/api/agents/${shared}`))["visibility"]).toBe("organization");
  await refused(colleague.call("GET", `/api/agents/${own}`), 404, "not_found");
  const body = { name: "x", system_prompt: "x", visibility: "everybody" };
  await refused(client.call("POST", "/api/agents", body), 400, "invalid_request");
});

describe("chats", () => {
  const titles = (query: string, by = client) => found(`/api/chats?${query}`, "title", by);

  test("[CHAT-10] by words of the title, by whether they are pinned, and by what is said in them", async () => {
    const id = await agent("Ada", { visibility: "organization" });
    const notes = await client.chat(id, owner.workspaceId, { title: "Release notes of May" });
    const plan = await client.chat(id, owner.workspaceId, { title: "A plan", options: { pinned: true } });
    const { job } = await client.send(notes, "Please write about giraffes and elephants");
    await client.reached(job.id, "completed");
    expect(await titles("title=note+rel")).toEqual(["Release notes of May"]);
    expect(await titles("pinned=true")).toEqual(["A plan"]);
    expect(await titles("pinned=false&title=plan")).toEqual([]);
    expect(await titles("text=giraffes")).toEqual(["Release notes of May"]);
    expect(await titles("text=zebras")).toEqual(["Release notes of May"]);
    expect(await titles('text="giraffes and elephants"')).toEqual(["Release notes of May"]);
    expect(await titles('text="elephants and giraffes"')).toEqual([]);
    expect(await titles("text=giraffes+-elephants")).toEqual([]);
    expect(await titles("text=!!!")).toEqual([]);
    expect(await titles(`text=giraffes&agent_id=${id}&status=done`)).toEqual(["Release notes of May"]);
    expect(await titles("text=giraffes&status=error")).toEqual([]);
    await answered(client.call("PATCH", `/api/chats/${plan}/options`, { pinned: false }));
    expect(await titles("pinned=true")).toEqual([]);
    const stranger = new Client(service, await service.found());
    expect(await titles("text=giraffes", stranger)).toEqual([]);
    await refused(client.call("GET", "/api/chats?pinned=yes"), 400, "invalid_request");
  });

  test("[AGT-5] a search finds nothing that was said to somebody else's private agent", async () => {
    const chat = await client.chat(await agent("Own"), owner.workspaceId, { title: "Mine" });
    await client.send(chat, "about giraffes");
    const colleague = new Client(service, await service.join(owner.organizationId));
    expect(await titles("text=giraffes", colleague)).toEqual([]);
    expect(await titles("title=mine", colleague)).toEqual([]);
    expect(await titles("text=giraffes")).toEqual(["Mine"]);
  });

  test("[CHAT-10] only the creator and owners rename and delete a chat; others read it and write in it", async () => {
    const id = await agent("Ada", { visibility: "organization" });
    const maker = new Client(service, await service.join(owner.organizationId));
    const other = new Client(service, await service.join(owner.organizationId));
    const chat = await maker.chat(id, owner.workspaceId, { title: "Mine" });
    const path = `/api/chats/${chat}`;
    expect((await other.get(path))["allowed_actions"]).toEqual(["send_message", "update_options"]);
    expect((await maker.get(path))["allowed_actions"]).toEqual(["send_message", "update", "update_options", "delete"]);
    await refused(other.call("PATCH", path, { title: "Theirs" }), 403, "forbidden");
    await refused(other.call("PATCH", `${path}/options`, { title: "Theirs" }), 403, "forbidden");
    await refused(other.call("DELETE", path), 403, "forbidden");
    await answered(other.call("PATCH", `${path}/options`, { pinned: true, title: "Mine" }));
    await other.send(chat, "hello");
    const renamed = await answered(maker.call("PATCH", path, { title: "Still mine", metadata: { ticket: "T-7" } }));
    expect(renamed).toMatchObject({ title: "Still mine", metadata: { ticket: "T-7" }, options: { pinned: true } });
    expect(await answered(client.call("PATCH", path, { title: "An owner's" }))).toMatchObject({ title: "An owner's" });
    const same = await answered(client.call("PATCH", path, { title: "An owner's", metadata: { ticket: "T-7" } }));
    await refused(
      service.call(owner, "PATCH", path, { metadata: { big: "x".repeat(17_000) } }),
      413,
      "payload_too_large",
    );
    expect(await answered(maker.call("DELETE", path))).toMatchObject({ deleted: true, title: same["title"] });
  });
});

describe("metadata of jobs", () => {
  const inputs = (metadata: unknown, by = client) =>
    found(`/api/jobs?metadata=${encodeURIComponent(JSON.stringify(metadata))}`, "input", by);

  test("[JOB-15] are set where a job begins, continue with it, and filter the list", async () => {
    const chat = await client.chat(await agent("Ada"), owner.workspaceId);
    const { job } = await client.send(chat, "one", { metadata: { ticket: "T-7", of: { team: "a", size: 2 } } });
    await client.send(chat, "two", { metadata: { ticket: "T-8" } });
    await client.send(chat, "three");
    expect((await client.reached(job.id, "completed"))["metadata"]).toEqual({
      ticket: "T-7",
      of: { team: "a", size: 2 },
    });
    expect(await inputs({ ticket: "T-7" })).toEqual(["one"]);
    expect(await inputs({ of: { size: 2 } })).toEqual(["one"]);
    expect(await inputs({ of: { size: "2" } })).toEqual([]);
    expect((await inputs({})).length).toBe(3);
    const next = await answered<Json>(client.decide(job.id, "iterate", { feedback: "shorter" }), 202);
    expect(next["metadata"]).toEqual({ ticket: "T-7", of: { team: "a", size: 2 } });
    const other = await answered<Json>(
      client.decide(job.id, "iterate", { feedback: "longer", metadata: { ticket: "T-9" } }),
      202,
    );
    expect(other["metadata"]).toEqual({ ticket: "T-9" });
    expect(await inputs({ ticket: "T-9" })).toEqual(["longer"]);
    expect(await inputs({ ticket: "T-7" }, new Client(service, await service.found()))).toEqual([]);
    for (const bad of ["ticket", "[1]", '"x"', '{"a":"\\u0000"}', '{"a":"\\ud800"}'])
      await refused(client.call("GET", `/api/jobs?metadata=${encodeURIComponent(bad)}`), 400, "invalid_request");
  });

  test("[JOB-15] of a mission are those of its jobs", async () => {
    const body = { title: "M", goal: "the goal", agent_id: await agent("Ada"), metadata: { ticket: "T-1" } };
    const mission = await answered<Json>(client.call("POST", "/api/missions", body), 201);
    expect(mission["metadata"]).toEqual({ ticket: "T-1" });
    const path = `/api/missions/${String(mission["id"])}`;
    const { job } = await answered<{ job: Json }>(client.call("POST", `${path}/run`), 202);
    expect(job["metadata"]).toEqual({ ticket: "T-1" });
    const changed = await answered(client.call("PATCH", path, { metadata: {} }));
    expect(changed["metadata"]).toEqual({});
  });
});
