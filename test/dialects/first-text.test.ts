/** What each stream asks of the database before its first text: the same as the service's own. */
import { afterAll, beforeAll, beforeEach, expect, mock, spyOn, test } from "bun:test";
import type { ReadPool } from "../../db/client.ts";
import { PostgresActorStore } from "../../db/stores/actor-store.ts";
import { AcpEditor, acpSocket } from "../support/acp-editor.ts";
import { until } from "../support/condition.ts";
import { Client } from "../support/current.ts";
import { gate } from "../support/fake-model.ts";
import { type Founded, type Service, startService } from "../support/service.ts";

let service: Service;
let owner: Founded;
let agent: string;
/**
 * How often the request had to wait for reads since it began, those at the same time counted once; the tables whose
 * records were read; and the commits of its run.
 */
const waits = { reads: 0, commits: 0, records: "" };
const NO_WAITS: typeof waits = { reads: 0, commits: 0, records: "" };
let reading = 0;

/** Counts a read from its beginning to its end. */
function counted<T>(read: Promise<T>): Promise<T> {
  if (reading++ === 0) waits.reads++;
  return read.finally(() => reading--);
}

/** Drizzle's statements are not prepared: the driver waits for their description, and then for their rows. */
const unprepared = ({ sql, query }: ReadPool): ReadPool => ({
  sql,
  get query() {
    waits.reads++;
    return query;
  },
});

beforeAll(async () => {
  service = await startService();
  const { database } = service;
  const read = database.reading.bind(database);
  spyOn(database, "reading").mockImplementation(
    (kind, of, ask) => counted(read(kind, of, (pool) => ask(unprepared(pool)))) as never,
  );
  const readInto = database.readingInto.bind(database);
  spyOn(database, "readingInto").mockImplementation(
    (kind, of, ask, used) => counted(readInto(kind, of, (pool) => ask(unprepared(pool)), used)) as never,
  );
  const { flush, read: readRecords } = PostgresActorStore.prototype;
  spyOn(PostgresActorStore.prototype, "read").mockImplementation(function (this: PostgresActorStore, refs) {
    const tables = refs.map(({ table }) => table).toSorted();
    waits.records = [waits.records, ...tables].filter((table) => table !== "").join(" ");
    return readRecords.call(this, refs);
  });
  spyOn(PostgresActorStore.prototype, "flush").mockImplementation(function (this: PostgresActorStore, batch) {
    // The numbers of events for webhooks are committed beside it, and nothing waits for them.
    if (batch.some(({ writes }) => writes.records.some(({ table }) => table === "job"))) waits.commits++;
    return flush.call(this, batch);
  });
});
afterAll(async () => {
  mock.restore();
  await service.stop();
});
beforeEach(async () => {
  owner = await service.found();
  agent = await new Client(service, owner).agent();
});

const FIRST = "first text";
const message = (id: string) => ({ id, role: "user", content: "hi", parts: [{ type: "text", text: "hi" }] });
const a2a = (id: string) => ({ messageId: id, role: "ROLE_USER", parts: [{ text: "hi" }] });
let count = 0;

const STREAMS: Readonly<Record<string, () => readonly [path: string, body: object]>> = {
  "the service's own": () => [`/api/v1/agents/${agent}/execute`, { message: "hi", stream: true }],
  "OpenAI Chat Completions": () => [
    "/openai/v1/chat/completions",
    { model: agent, stream: true, messages: [{ role: "user", content: `hi ${count}` }] },
  ],
  "OpenAI Responses": () => ["/openai/v1/responses", { model: agent, stream: true, input: `hi ${count}` }],
  "AI SDK UI": () => [`/ai-sdk/agents/${agent}/chat`, { id: `c${count}`, messages: [message(`m${count}`)] }],
  "A2A over JSON-RPC": () => [
    `/a2a/rpc/agents/${agent}`,
    { jsonrpc: "2.0", id: 1, method: "SendStreamingMessage", params: { message: a2a(`m${count}`) } },
  ],
  "A2A over HTTP+JSON": () => [`/a2a/agents/${agent}/message:stream`, { message: a2a(`m${count}`) }],
  "AG-UI": () => [`/ag-ui/agents/${agent}`, { threadId: `t${count}`, runId: "r", messages: [message(`m${count}`)] }],
};

/** The waits before the first text of a new conversation. */
async function waitsBefore(name: string): Promise<typeof waits> {
  count++;
  const { hold, open } = gate();
  service.model.script = () => [{ say: FIRST }, { hold }, { say: "." }];
  const [path, body] = STREAMS[name]!();
  Object.assign(waits, NO_WAITS);
  const answer = await service.call(owner, "POST", path, body, { "a2a-version": "1.0" });
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes(FIRST)) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`${name} ended without text: ${text}`);
    text += value;
  }
  const before = { ...waits };
  open();
  while (!(await reader.read()).done);
  await service.system.settled(owner.organizationId);
  return before;
}

test.each(Object.keys(STREAMS))("[DIA-27] %s waits for nothing but one commit before its first text", async (name) => {
  // The agent, the token and the workspace are in memory then, as they are for all but the first request.
  await waitsBefore(name);
  expect(await waitsBefore(name)).toEqual({ reads: 0, commits: 1, records: "" });
});

test("[DIA-27] the first prompt of ACP waits for nothing but one commit before its first text", async () => {
  const editor = await AcpEditor.over(acpSocket({ url: service.url, token: owner.token, agent }));
  try {
    const counts: (typeof waits)[] = [];
    for (const id of ["a", "b"]) {
      const { hold, open } = gate();
      service.model.script = () => [{ say: FIRST }, { hold }, { say: "." }];
      const session = await editor.open();
      await service.system.settled(owner.organizationId);
      Object.assign(waits, NO_WAITS);
      const prompted = editor.prompt(session, `hi ${id}`);
      await until("the first text", () => editor.messages(session).join("").includes(FIRST));
      counts.push({ ...waits });
      open();
      await prompted;
    }
    expect(counts[1]).toEqual({ reads: 0, commits: 1, records: "" });
  } finally {
    editor.close();
  }
});

test("[DIA-27] the index of the look-up for a first attempt keeps no list of rows that are not in it yet", async () => {
  const [index] = await service.database.reading(
    "own",
    "",
    ({ sql }) => sql<{ readonly options: string }[]>`
      select array_to_string(reloptions, ', ') as options from pg_class where relname = 'job_metadata'`,
  );
  expect(index?.options).toBe("fastupdate=false");
});
