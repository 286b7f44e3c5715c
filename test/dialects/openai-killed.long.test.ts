/** Kill -9 of the service in the middle of an answer: what each of OpenAI's protocols can do then, with its own client. */
import { expect, test } from "bun:test";
import OpenAI from "openai";
import { copyFirstRun } from "../support/first-run-copy.ts";
import { guardedFolder } from "../support/guarded-folder.ts";
import { startTroupe, type TroupeProcess } from "../support/troupe-process.ts";

const WORDS = Array.from({ length: 60 }, (_, at) => `word${at}`).join(" ");
/** The demo model takes some seconds for it, and says the same each time. */
const SLOW = `/say ${WORDS}\n/slow 50`;

interface Killed {
  readonly openai: OpenAI;
  readonly model: string;
  readonly jobs: () => Promise<number>;
  /** Ends the service, and starts it again at the same address. */
  readonly kill: () => Promise<void>;
}

async function withService(run: (killed: Killed) => Promise<void>): Promise<void> {
  const folder = guardedFolder();
  try {
    const { personal: apiKey, agentId: model } = await copyFirstRun(folder);
    let service: TroupeProcess = await startTroupe(folder);
    const { url } = service;
    await run({
      openai: new OpenAI({ apiKey, baseURL: `${url}/openai/v1`, maxRetries: 0 }),
      model,
      async jobs() {
        const answer = await fetch(`${url}/api/jobs`, { headers: { authorization: `Bearer ${apiKey}` } });
        return ((await answer.json()) as { jobs: unknown[] }).jobs.length;
      },
      async kill() {
        await service.end("SIGKILL");
        service = await startTroupe(folder, { env: { PORT: new URL(url).port } });
      },
    });
  } finally {
    await folder.remove();
  }
}

test("[DIA-2] [DIA-10] after kill -9 a response goes on after its sequence number, and no text is there twice", async () => {
  await withService(async ({ openai, model, kill, jobs }) => {
    let text = "";
    let after = 0;
    let id = "";
    const take = async (stream: AsyncIterable<OpenAI.Responses.ResponseStreamEvent>, until: number): Promise<void> => {
      for await (const event of stream) {
        if (event.type === "response.created") ({ id } = event.response);
        if (event.type === "response.output_text.delta") text += event.delta;
        after = event.sequence_number;
        if (text.length >= until) return;
      }
    };
    await take(await openai.responses.create({ model, input: SLOW, stream: true }), 100);
    await kill();
    await take(await openai.responses.retrieve(id, { stream: true, starting_after: after }), Number.POSITIVE_INFINITY);
    expect(text).toBe(WORDS);
    expect(await jobs()).toBe(1);
  });
});

test("[DIA-2] after kill -9 the same completion joins its run", async () => {
  await withService(async ({ openai, model, kill, jobs }) => {
    const ask = { model, messages: [{ role: "user" as const, content: SLOW }], stream: true as const };
    const text = async (until: number): Promise<string> => {
      let read = "";
      for await (const { choices } of await openai.chat.completions.create(ask)) {
        read += choices[0]?.delta.content ?? "";
        if (read.length >= until) break;
      }
      return read;
    };
    expect(WORDS.startsWith(await text(100))).toBe(true);
    await kill();
    expect(await text(Number.POSITIVE_INFINITY)).toBe(WORDS);
    expect(await jobs()).toBe(1);
  });
});
