/**
 * The quirks of servers with chat completions, read by us, by `openai` and by the AI SDK, over real sockets. Where we
 * differ from all of them, the row says why.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { answerOf, CHAT_QUIRKS, type Quirk, type Told, told, toldOf } from "../../support/chat-quirks.ts";
import { startFakeOpenAi } from "../../support/fake-openai.ts";
import type { FakeProvider } from "../../support/fake-provider.ts";
import { modelCall, run, WEATHER } from "../../support/model-calls.ts";
import { modelsBy, WAYS } from "../../support/model-ways.ts";

let server: FakeProvider;
beforeAll(async () => void (server = await startFakeOpenAi()));
afterAll(() => server.stop());

const WAYS_OF_CHAT = WAYS.filter(({ format }) => format === "chat completions");
const ours = WAYS_OF_CHAT.find((way) => !way.isReference)!;
const aiSdk = WAYS_OF_CHAT.find((way) => way.isReference)!;

async function readBy(way: typeof ours, quirk: Quirk): Promise<Told> {
  server.answer(answerOf(quirk));
  const call = modelCall("hi", { tools: [WEATHER, { ...WEATHER, name: "time" }] });
  return toldOf((await run(modelsBy(way, server.baseUrl), call)).outcome);
}

/** Their words for a failure are theirs, and some ids are by chance: only the rest is compared. */
const failing = (line: Told): Told => (line.startsWith("!") ? "!" : line.replace(/#\w{16}(?= )/g, "#…"));

async function readByOpenAi(quirk: Quirk): Promise<Told> {
  server.answer(answerOf(quirk));
  const client = new OpenAI({ baseURL: server.baseUrl, apiKey: "k", maxRetries: 0, logLevel: "off" });
  try {
    const stream = client.chat.completions.stream({ model: "m", messages: [{ role: "user", content: "hi" }] });
    const { choices, usage } = await stream.finalChatCompletion();
    const [choice] = choices;
    const { content, refusal, tool_calls: calls = [] } = choice!.message;
    return told({
      text: `${content ?? ""}${refusal ?? ""}`,
      calls: calls.map((call) => ({
        id: call.id,
        name: call.type === "function" ? call.function.name : call.type,
        input: call.type === "function" ? String(call.function.arguments) : "",
      })),
      reason: choice!.finish_reason,
      tokens: [usage?.prompt_tokens, usage?.completion_tokens],
    });
  } catch (error) {
    return `!${error instanceof Error ? error.message : String(error)}`;
  }
}

describe("chat completions with", () => {
  for (const quirk of CHAT_QUIRKS) {
    test(`[RUN-26] ${quirk.about}`, async () => {
      expect(await readBy(ours, quirk)).toBe(quirk.ours);
      if (quirk.aiSdk !== "hangs") expect(failing(await readBy(aiSdk, quirk))).toBe(failing(quirk.aiSdk));
      if (quirk.openai !== "hangs") expect(failing(await readByOpenAi(quirk))).toBe(failing(quirk.openai));
    });
  }

  test("[RUN-26] every row that differs from all clients has its reason", () => {
    const unlike = CHAT_QUIRKS.filter(
      ({ ours: own, openai, aiSdk: sdk, langchain }) =>
        ![openai, sdk, langchain].some((line) => failing(line) === failing(own)),
    );
    expect(unlike.filter(({ why }) => why === undefined).map(({ about }) => about)).toEqual([]);
  });
});
