/** What an agent does with files: by its tools, in the workspace of its chat, and as far as it may (RUN-2). */
import type { TranscriptEntry } from "../../actors/job/ports.ts";
import { until } from "../support/condition.ts";
import { answered, type Json } from "../support/current.ts";
import { sceneOfFile } from "../support/scene.ts";
import { expect, test } from "bun:test";

const { service, owner, client } = sceneOfFile();

const CHANGING = ["write_file", "edit_file", "move_file"];
const use = (name: string, input: Json) => ({
  use: { type: "tool_use" as const, id: crypto.randomUUID(), name, input: input as never },
});

/** What the tools have answered so far. */
const resultsOf = (entries: readonly TranscriptEntry[]): string[] =>
  entries.flatMap((entry) =>
    entry.role === "assistant"
      ? entry.blocks.flatMap((block) => (block.type === "tool_result" ? [block.content] : []))
      : [],
  );

/** Lets an agent make these calls one after the other; answers their results. */
async function calls(
  allowedTools: readonly string[] | null,
  ...uses: readonly ReturnType<typeof use>[]
): Promise<string[]> {
  const agent = { name: "Ada", system_prompt: "Be brief.", allowed_tools: allowedTools };
  const id = await client.agent(agent);
  service.model.script = ({ entries }) => {
    const step = uses[resultsOf(entries).length];
    return step === undefined ? [{ say: "done" }] : [step];
  };
  const { job } = await client.send(await client.chat(id, owner.workspaceId), "go");
  await client.reached(job.id, "completed");
  const last = service.model.calls.at(-1)!;
  return resultsOf(last.entries);
}
const content = (path: string): Promise<Response> =>
  fetch(`${service.url}/api/workspaces/${owner.workspaceId}/files/content?path=${path}`, {
    headers: { authorization: `Bearer ${owner.token}` },
  });

test("[RUN-2] an edit changes the text that it names and nothing else of a file", async () => {
  const put = (path: string, body: Uint8Array<ArrayBuffer>, type: string) =>
    client.putFile(owner.workspaceId, path, body, type);
  const latin = new Uint8Array([...Buffer.from("caf"), 0xe9, ...Buffer.from(" old")]);
  await put("latin.txt", latin, "text/plain");
  await put("marked", new Uint8Array([0xef, 0xbb, 0xbf, ...Buffer.from("a,old")]), "text/csv");
  const [refused, changed] = await calls(
    CHANGING,
    use("edit_file", { path: "latin.txt", old_text: "old", new_text: "new" }),
    use("edit_file", { path: "marked", old_text: "old", new_text: "new" }),
  );
  expect(refused).toContain("The file is not UTF-8");
  expect(await (await content("latin.txt")).bytes()).toEqual(latin);
  expect(changed).toContain('"path":"marked"');
  const marked = await content("marked");
  expect(marked.headers.get("content-type")).toBe("text/csv");
  expect(Buffer.from(await marked.bytes()).toString("latin1")).toBe("\xef\xbb\xbfa,new");
});

test("[RUN-2] an agent writes a file, edits it, moves it and finds it, and a share serves it", async () => {
  const results = await calls(
    CHANGING,
    use("write_file", { path: "Reports/q3.md", text: "Revenue was 5." }),
    use("edit_file", { path: "reports/Q3.md", old_text: "was 5", new_text: "was 7" }),
    use("move_file", { from: "Reports/q3.md", to: "final/q3.md" }),
    use("list_files", { recursive: true }),
    use("search_files", { query: "revenue" }),
    use("read_file", { path: "final/q3.md" }),
  );
  expect(results).toHaveLength(6);
  expect(results[3]).toContain("final/q3.md");
  expect(results[4]).toContain("Revenue was 7");
  expect(results[5]).toContain("Revenue was 7.");
  const answer = await content("final/q3.md");
  expect([answer.headers.get("content-type"), await answer.text()]).toEqual(["text/markdown", "Revenue was 7."]);
  const body = { path: "final/q3.md" };
  const shared = client.call("POST", `/api/workspaces/${owner.workspaceId}/files/share`, body);
  const { token } = await answered<{ token: string }>(shared, 201);
  expect(await (await fetch(`${service.url}/share/${token}`)).text()).toBe("Revenue was 7.");
});

test("[RUN-2] [WSP-4] an agent with the tool queries its files with SQL, and gets the reason of a refused query", async () => {
  const query =
    "SELECT region, sum(amount) AS total FROM 'agent/sales.csv' WHERE amount > $1 GROUP BY region ORDER BY 1";
  const granted = ["write_file", "query_data"];
  const results = await calls(
    granted,
    use("write_file", { path: "agent/sales.csv", text: "region,amount\nnorth,1\nnorth,2\nsouth,5\n" }),
    use("query_data", { query, params: [1] }),
    use("query_data", { query: "FROM range(100)", limit: 2 }),
    use("query_data", { query: "COPY (SELECT 1) TO 'x.csv'" }),
    use("query_data", { query: "SELECT * FROM 'agent/missing.csv'" }),
  );
  expect(JSON.parse(results[1] ?? "")).toEqual({
    columns: [
      { name: "region", type: "VARCHAR" },
      { name: "total", type: "HUGEINT" },
    ],
    rows: [
      ["north", 2],
      ["south", 5],
    ],
    row_count: 2,
    truncated: false,
  });
  expect(JSON.parse(results[2] ?? "")).toMatchObject({ rows: [[0], [1]], truncated: true });
  expect(results[3]).toContain("exactly one SELECT");
  expect(results[4]).toContain("There is no file `agent/missing.csv`");
  const [refusal] = await calls(["write_file"], use("query_data", { query: "SELECT 1" }));
  expect(refusal).toContain("not allowed to use query_data");
});

test("[JOB-5] [SSE-7] [SSE-8] [CHAT-6] a job lists each file that it made once, in its last state, and its streams report it once", async () => {
  const id = await client.agent({ allowed_tools: CHANGING });
  const steps = [
    [use("write_file", { path: "made/a.md", text: "one" }), use("write_file", { path: "made/b.csv", text: "x" })],
    [use("edit_file", { path: "made/a.md", old_text: "one", new_text: "one two" })],
    [use("move_file", { from: "made/a.md", to: "made/final.md" }), use("write_file", { path: "../x", text: "" })],
  ];
  service.model.script = ({ entries }) => {
    const done = resultsOf(entries).length;
    const step = steps.find((_, i) => steps.slice(0, i).flat().length === done);
    return step === undefined ? [{ say: "done" }] : [...step];
  };
  const chat = await client.chat(id, owner.workspaceId);
  const { job } = await client.send(chat, "go");
  const { artifacts } = await client.reached(job.id, "completed");
  const url = (path: string): string =>
    `/api/workspaces/${owner.workspaceId}/files/content?path=${encodeURIComponent(path)}`;
  const made = (path: string, mime: string, size: number) => ({
    id: expect.stringMatching(/^art_[\w-]{21}$/),
    kind: "file",
    name: path.split("/").at(-1),
    path,
    mime,
    size,
    url: url(path),
  });
  const listed = [made("made/b.csv", "text/csv", 1), made("made/final.md", "text/markdown", 7)];
  const byPath = (all: unknown) => (all as { path: string }[]).toSorted((a, b) => (a.path < b.path ? -1 : 1));
  expect(byPath(artifacts)).toEqual(listed);
  const { work } = await client.get<{ work: { artifacts: Json[] } }>(`/api/chats/${chat}/messages`);
  expect(byPath(work.artifacts)).toEqual(listed);
  expect(
    await (
      await fetch(`${service.url}${listed[1]!.url}`, { headers: { authorization: `Bearer ${owner.token}` } })
    ).text(),
  ).toBe("one two");
  for (const stream of [`/api/jobs/${job.id}/events`, `/api/chats/${chat}/events`]) {
    const told = await artifactsOf(`${stream}?replay=all`);
    expect(told.map(({ path }) => String(path)).toSorted()).toEqual(["made/a.md", "made/b.csv"]);
    expect(new Set(told.map(({ id: artifact }) => artifact))).toEqual(
      new Set((artifacts as Json[]).map((one) => one["id"])),
    );
  }
});

/** The `artifact.created` of a stream up to the end of its turn. */
async function artifactsOf(path: string): Promise<Json[]> {
  const stop = new AbortController();
  const answer = await fetch(`${service.url}${path}`, {
    headers: { authorization: `Bearer ${owner.token}` },
    signal: stop.signal,
  });
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (/event: (?:job|message)\.completed\n/.test(text) && text.endsWith("\n\n")) break;
  }
  stop.abort();
  return [...text.matchAll(/event: artifact\.created\ndata: (.*)\n/g)].map(
    ([, data]) => JSON.parse(data ?? "") as Json,
  );
}

test("[HOOK-4] each change by an agent emits one event, and a call without effect emits none", async () => {
  await calls(
    CHANGING,
    use("write_file", { path: "events.txt", text: "one" }),
    use("write_file", { path: "events.txt", text: "one" }),
    use("edit_file", { path: "events.txt", old_text: "absent", new_text: "x" }),
    use("move_file", { from: "events.txt", to: "moved.txt" }),
  );
  const changes = async (): Promise<readonly unknown[]> => {
    const { events } = await client.get<{ events: { type: string; actor: Json; data: Json }[] }>(
      "/api/events?limit=100",
    );
    const own = events.filter(
      ({ type, data }) => type === "workspace_file.changed" && /events|moved/.test(`${String(data["path"])}`),
    );
    return own.map(({ actor, data }) => [actor["type"], data["change"], data["path"]]);
  };
  await until("both events are there", async () => (await changes()).length === 2);
  expect(await changes()).toEqual([
    ["agent", "created", "events.txt"],
    ["agent", "moved", "moved.txt"],
  ]);
});

test("[RUN-2] without a grant an agent reads and changes nothing", async () => {
  await calls(["write_file"], use("write_file", { path: "granted.txt", text: "x" }));
  const attempts = [use("read_file", { path: "granted.txt" }), use("write_file", { path: "granted.txt", text: "y" })];
  // Null: the tools that change nothing. An empty list means no tools at all.
  expect((await calls(null, ...attempts))[0]).toContain('"text":"x"');
  expect(await calls([], ...attempts)).toEqual([
    "This agent is not allowed to use read_file.",
    "This agent is not allowed to use write_file.",
  ]);
  expect(await (await content("granted.txt")).text()).toBe("x");
});

test("[RUN-2] [WSP-3] a tool reports what it cannot do: bad paths, missing files, and texts that do not occur exactly once", async () => {
  const results = await calls(
    CHANGING,
    use("write_file", { path: "../x", text: "x" }),
    use("read_file", { path: "nowhere.txt" }),
    use("write_file", { path: "twice.txt", text: "a a" }),
    use("edit_file", { path: "twice.txt", old_text: "a", new_text: "b" }),
  );
  expect(results[0]).toContain("must not leave the workspace");
  expect(results[1]).toContain("There is no such file");
  expect(results[3]).toContain("2 times");
});
