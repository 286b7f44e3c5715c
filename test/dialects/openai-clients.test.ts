/** Frameworks that speak OpenAI's protocols, unmodified: OpenAI's agents, and the AI SDK's client of Open Responses. */
import { createOpenResponses } from "@ai-sdk/open-responses";
import { Agent, OpenAIProvider, Runner, tool } from "@openai/agents";
import { jsonSchema, stepCountIs, streamText, tool as aiTool } from "ai";
import { beforeEach, expect, test } from "bun:test";
import OpenAI from "openai";
import { answered, Client } from "../support/current.ts";
import { sceneOfTest } from "../support/scene.ts";

let looked: unknown[] = [];
const { service, owner } = sceneOfTest();
beforeEach(async () => {
  looked = [];
  const made = new Client(service, owner).call("POST", "/api/agents", { name: "Clerk", system_prompt: "Be brief." });
  await answered(made, 201);
  // A tool of the service, then one of the client, then the answer.
  service.model.script = ({ entries }) => {
    const text = JSON.stringify(entries);
    if (!text.includes("current_time"))
      return [{ use: { type: "tool_use", id: "t1", name: "current_time", input: {} } }];
    if (text.includes("7 EUR")) return [{ say: "It costs " }, { say: "7 EUR." }];
    return [{ say: "I look. " }, { use: { type: "tool_use", id: "c1", name: "lookup", input: { article: "pen" } } }];
  };
});

const PARAMETERS = {
  type: "object" as const,
  properties: { article: { type: "string" as const } },
  required: ["article"],
  additionalProperties: true as const,
};
const look = (given: unknown): string => {
  looked.push(given);
  return "7 EUR";
};

for (const useResponses of [true, false]) {
  const protocol = useResponses ? "responses" : "chat completions";
  test(`[DIA-3] OpenAI's agents run over ${protocol}, with tools on both sides`, async () => {
    const openAIClient = new OpenAI({ apiKey: owner.token, baseURL: `${service.url}/openai/v1` });
    const modelProvider = new OpenAIProvider({ openAIClient: openAIClient as never, useResponses });
    const runner = new Runner({ modelProvider, tracingDisabled: true });
    const lookup = tool({ name: "lookup", description: "Price", parameters: PARAMETERS, strict: false, execute: look });
    const agent = new Agent({ name: "Shop", model: "Clerk", instructions: "Prices are in EUR.", tools: [lookup] });
    const whole = await runner.run(agent, "What is a pen?");
    expect(whole.finalOutput).toBe("It costs 7 EUR.");
    expect(looked).toEqual([{ article: "pen" }]);
    const streamed = await runner.run(agent, "And now?", { stream: true });
    let text = "";
    for await (const piece of streamed.toTextStream()) text += piece;
    await streamed.completed;
    expect(text).toBe("I look. It costs 7 EUR.");
    expect(looked).toHaveLength(2);
  });
}

test("[DIA-10] the AI SDK's client of Open Responses streams text, reasoning and calls of its tools", async () => {
  const provider = createOpenResponses({
    name: "troupe",
    url: `${service.url}/openai/v1/responses`,
    apiKey: owner.token,
  });
  const result = streamText({
    model: provider("Clerk"),
    prompt: "What is a pen?",
    tools: { lookup: aiTool({ description: "Price", inputSchema: jsonSchema(PARAMETERS), execute: look }) },
    stopWhen: stepCountIs(4),
  });
  let text = "";
  for await (const piece of result.textStream) text += piece;
  expect(text).toBe("I look. It costs 7 EUR.");
  expect(looked).toEqual([{ article: "pen" }]);
  expect((await result.totalUsage).totalTokens).toBeGreaterThan(0);
});
