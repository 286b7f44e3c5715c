/** Our own side of `benchmarks/resume.ts`: a chat with a message in it, read with the TypeScript SDK. */
import postgres from "postgres";
import { Troupe } from "../../sdk/typescript/troupe.ts";
import { type ReaderRecord, type ResumePeer, type ResumeRun, wordsOf } from "./resume-peer.ts";
import type { RunningService } from "./service.ts";

/** The stored data is read from its database. */
export function troupePeer(service: RunningService): ResumePeer {
  return {
    name: "Troupe",
    begin: async (words, everyMs) => {
      const troupe = new Troupe({ baseUrl: service.url, token: service.token });
      const [workspace] = (await troupe.listWorkspaces()).workspaces;
      const chat = await troupe.createChat({ agent_id: service.agentId, workspace_id: workspace!.id });
      await troupe.sendMessage(chat.id, { content: `deltas=${words} every=${everyMs}` });
      return {
        read: (record, signal) => read(troupe, chat.id, record, signal),
        crash: () => service.crash(),
        stored: () => stored(service.databaseUrl(), chat.id),
      } satisfies ResumeRun;
    },
  };
}

/** Events are compared by number and type, text by words; text that `message.restarted` retracts does not count. */
async function read(troupe: Troupe, chat: string, record: ReaderRecord, signal: AbortSignal): Promise<void> {
  const events: string[] = [];
  const texts = new Map<string, string>();
  for await (const event of troupe.streamChatEvents(chat, { replay: "all", wait: "end" }, { signal })) {
    if (event.id === undefined) continue;
    if (event.event === "message.delta") {
      const { message_id: message, position, text } = event.data;
      // Append text as it arrives: a gap or a repetition must stay visible.
      texts.set(message, (texts.get(message) ?? "") + text);
      record.take(event.id, `${message} ${position} ${texts.get(message)!.slice(-50)}`);
    } else {
      if (event.event === "message.restarted") texts.delete(event.data.message_id);
      record.take(event.id, JSON.stringify(event.data));
      events.push(`${event.data.seq} ${event.event}`);
    }
    record.units = [...events, ...[...texts.values()].flatMap(wordsOf)];
  }
  record.end();
}

async function stored(databaseUrl: string, chat: string): Promise<readonly string[]> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    const events = await sql<{ seq: string; type: string; data: { content?: unknown } }[]>`
      select seq, type, data from event where stream = ${chat} order by seq`;
    const said = events.filter(({ type }) => type === "message.completed");
    return [
      ...events.map(({ seq, type }) => `${seq} ${type}`),
      ...said.flatMap(({ data }) => (typeof data.content === "string" ? wordsOf(data.content) : [])),
    ];
  } finally {
    await sql.end();
  }
}
