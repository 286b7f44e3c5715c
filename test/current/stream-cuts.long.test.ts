/**
 * Streams of a real process that are cut at random bytes while it answers with text and tools, is
 * stopped in good order and killed in the middle of it, and forgets everybody while nobody asks for a
 * minute.
 */
import { expect, test } from "bun:test";
import { eventOfRow } from "../../db/event-row.ts";
import { snakeCasedData } from "../../src/current/event-view.ts";
import { type CutReader, EventSourceCutReader, RawCutReader, seeded } from "../support/cut-readers.ts";
import type { Json } from "../support/current.ts";
import { guardedFolder } from "../support/guarded-folder.ts";
import { longScale } from "../support/long.ts";
import { embeddedUrl, grantTasks, withTables } from "../support/service-tables.ts";
import { eventually, type LogLine, startTroupe, type TroupeProcess } from "../support/troupe-process.ts";

const CHATS = 5;
/** Of the readers, those that use the npm package, whose streams are decoded by others than ours. */
const PACKAGE_SHARE = 0.1;
const LONGEST_CUT = 6_000;
const ENDS = ["SIGKILL", "SIGTERM", "SIGKILL"] as const;
/** An idle actor stays for a minute, and is looked for every ten seconds. */
const IDLE_LIMIT_MS = 120_000;
const ENVIRONMENT = { LOG_LEVEL: "debug", RATE_BUDGETS: "*=1000000" };

/** A turn of about two seconds: text in many pieces, a tool, and text again. */
const turn = (title: string): string =>
  [
    `/say ünïcode 😀👩‍👩‍👧 "quoted" line\r\nbreak \u2028sep\u0085 ${title}`,
    "/repeat 25",
    "/slow 20",
    `/call create_task ${JSON.stringify({ title })}`,
    "/then",
    "/say and a word at the end",
    "/repeat 10",
    "/slow 20",
  ].join("\n");

class Caller {
  url: string;
  private readonly token: string;

  constructor(url: string, token: string) {
    this.url = url;
    this.token = token;
  }

  async call<T = Json>(method: string, path: string, body?: object): Promise<T> {
    const headers = { authorization: `Bearer ${this.token}`, "content-type": "application/json" };
    const response = await fetch(`${this.url}${path}`, { method, headers, body: body ? JSON.stringify(body) : null });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  }

  chat = (id: string) => this.call(`GET`, `/api/chats/${id}`);
}

/** What is stored of each chat, as its readers must have seen it. */
function storedEvents(service: TroupeProcess, chats: readonly string[]): Promise<string[][]> {
  return withTables(embeddedUrl(service.dataDir), (sql) =>
    Promise.all(
      chats.map(async (chat) => {
        const rows = await sql<Parameters<typeof eventOfRow>[0][]>`
          select seq, type, at, data from event where stream = ${chat} order by seq`;
        return rows.map((row) => {
          const { seq, type, at, data } = eventOfRow(row);
          return JSON.stringify({ seq, type, at, ...snakeCasedData(data) });
        });
      }),
    ),
  );
}

test("[SSE-3] [SSE-2] hundreds of streams cut at random bytes, over kill -9, restarts and evictions: each sees what is stored, in order, each once, and the text of each message", async () => {
  const { streams } = longScale();
  const random = seeded(20_261_121);
  const folder = guardedFolder();
  const readers: { readonly chat: number; readonly reader: CutReader }[] = [];
  try {
    let service = await startTroupe(folder, { env: ENVIRONMENT });
    const { personal: token, agentId } = service.firstRun();
    await grantTasks(embeddedUrl(service.dataDir));
    const port = new URL(service.url).port;
    const again = async (end: "SIGKILL" | "SIGTERM"): Promise<void> => {
      await service.end(end);
      service = await startTroupe(folder, { env: { ...ENVIRONMENT, PORT: port } });
    };
    await again("SIGTERM");
    const caller = new Caller(service.url, token);
    const workspaceId = await withTables(embeddedUrl(service.dataDir), async (sql) => {
      const [row] = await sql<{ id: string }[]>`select body ->> 'defaultWorkspaceId' as id from organization`;
      return row!.id;
    });
    const chats: string[] = [];
    for (let i = 0; i < CHATS; i++) {
      const body = { agent_id: agentId, workspace_id: workspaceId };
      chats.push(String((await caller.call("POST", "/api/chats", body))["id"]));
    }
    for (let i = 0; i < streams; i++) {
      const url = `${service.url}/api/chats/${chats[i % CHATS]}/events?replay=all`;
      const options = { url, token, nextCut: () => 1 + Math.floor(random() ** 2 * LONGEST_CUT) };
      const Reader = i < streams * PACKAGE_SHARE ? EventSourceCutReader : RawCutReader;
      readers.push({ chat: i % CHATS, reader: new Reader(options) });
    }
    const heads = async () => Promise.all(chats.map(async (chat) => (await caller.chat(chat))["last_seq"] as number));
    const turnsEnd = () =>
      eventually("all turns are over", async () => {
        const all = await Promise.all(chats.map(caller.chat));
        return all.every((chat) => chat["active_job_id"] === null);
      });
    const send = (title: string) =>
      Promise.all(chats.map((id) => caller.call("POST", `/api/chats/${id}/messages`, { content: turn(title) })));
    const speaks = (chat: number, since: number): boolean =>
      readers.some(({ chat: of, reader }) => {
        const [seq, position] = (reader.book.lastId ?? "").split(".");
        return of === chat && position !== undefined && Number(seq) > since;
      });
    for (const [i, end] of ENDS.entries()) {
      await send(`before ${i}`);
      await turnsEnd();
      // It ends in the middle of a text: somebody has read of it, and nobody all.
      const before = await heads();
      await send(`during ${i}`);
      await eventually("every chat speaks", () => chats.every((_, chat) => speaks(chat, before[chat]!)));
      await again(end);
      await turnsEnd();
    }
    // They go away in the middle of a text, and come back when nothing of it is in memory any more (RT-9).
    const before = await heads();
    await send("before the rest");
    await eventually("every chat speaks", () => chats.every((_, chat) => speaks(chat, before[chat]!)));
    for (const { reader } of readers) reader.pause();
    await turnsEnd();
    const rested = service.log.length;
    const hasLeft = ({ msg, live }: LogLine): boolean => msg === "idle actors were evicted" && live === 0;
    await eventually("every actor has left memory", () => service.log.slice(rested).some(hasLeft), IDLE_LIMIT_MS);
    for (const { reader } of readers) reader.resume();
    await send("after the rest");
    await turnsEnd();
    const last = await heads();
    await eventually("every reader has every event, or has seen what must not be", () =>
      readers.every(({ chat, reader: { book } }) => book.seq >= last[chat]! || book.breaches.length > 0),
    );
    expect(readers.flatMap(({ reader }) => reader.book.breaches).slice(0, 10)).toEqual([]);
    const stored = await storedEvents(service, chats);
    const wrong = readers.filter(({ chat, reader }) => reader.book.events.join("\n") !== stored[chat]!.join("\n"));
    expect(wrong.map(({ chat, reader }) => [chats[chat], reader.book.seq])).toEqual([]);
    const messages = stored.map((events) => events.filter((event) => event.includes('"message.completed"')).length);
    for (const { chat, reader } of readers) {
      expect(reader.connections).toBeGreaterThan(ENDS.length);
      expect(reader.book.compared).toBe(messages[chat]!);
      expect(reader.book.restarts).toBeGreaterThan(0);
    }
    const connections = readers.reduce((sum, { reader }) => sum + reader.connections, 0);
    console.log(
      `streams cut: ${streams} streams, ${connections} connections, ${stored.flat().length} events, no breach`,
    );
    expect(await service.end()).toBe(0);
  } finally {
    await Promise.all(readers.map(({ reader }) => reader.stop()));
    await folder.remove();
  }
}, 600_000);
