/**
 * A provider's answer could be of any size, packed or not, and of any shape: an error of 1.5 GB was
 * kept whole in memory, 100,000 choices held the loop for 0.6 s, and a count of 1e308 tokens made the
 * report of usage fail for ever.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ModelOutcome } from "../../actors/job/ports.ts";
import { MAX_CALL_TOKENS, MAX_CALLED_NAME_CHARS } from "../../src/runner/answer-limits.ts";
import { createModels } from "../../src/runner/models.ts";
import { SLICE_COST, slices } from "../../src/runner/provider-fetch.ts";
import { costsOf, type HostileServer, LONGEST_GAP_MS, startHostileServer } from "../support/hostile.ts";
import { modelCall, NO_MODELS, run } from "../support/model-calls.ts";

let server: HostileServer;
const warnings: string[] = [];
beforeAll(async () => {
  server = await startHostileServer();
  // Loads the SDK, which takes its time once.
  await attacked("none");
});
afterAll(() => server.stop());

async function attacked(attack: string): Promise<ModelOutcome> {
  const log = { warn: (_details: object, message: string) => void warnings.push(message), error: () => {} };
  const settings = { ...NO_MODELS, model: `openai-compatible:${attack}`, openaiBaseUrl: `${server.address}/v1` };
  return (await run(createModels(settings, log), modelCall("hi"))).outcome;
}

const MIB = 1024 * 1024;
/** What may be on its way in buffers of sockets when a connection is closed. The attacks have gigabytes. */
const MOST_BYTES = 32 * MIB;

describe("an answer that is refused", () => {
  for (const [attack, words] of [
    ["error-body", "HTTP 500"],
    ["gzip-bomb", "compressed"],
    ["endless-line", "bytes"],
    ["endless-frame", "bytes"],
    ["endless-frame-of-pairs", "bytes"],
    ["many-choices", "values"],
    ["deep-frame", "deeper"],
    ["many-calls", "tool calls"],
    ["many-calls-in-a-frame", "values"],
    ["long-input", "arguments"],
    ["wide-input", "arguments"],
    ["deep-input", "arguments"],
    ["deep-input-in-a-frame", "arguments"],
    ["long-head", "headers"],
    ["frames-without-content", "not valid"],
  ] as const) {
    test(`[GUARD-3] ${attack} fails the call in words, is not read to its end, and holds nobody up`, async () => {
      const { bytes } = await server.counts();
      const { value, gapMs, grownBytes } = await costsOf(() => attacked(attack));
      expect(value).toMatchObject({
        kind: "failed",
        error: { code: "provider_error", message: expect.stringContaining(words) },
      });
      expect((await server.counts()).bytes - bytes).toBeLessThan(MOST_BYTES);
      expect(gapMs).toBeLessThan(LONGEST_GAP_MS);
      expect(grownBytes).toBeLessThan(200 * MIB);
    });
  }
});

test("[GUARD-3] a long answer lets the event loop turn repeatedly", async () => {
  const before = slices.turns;
  expect(await attacked("long-answer")).toMatchObject({ kind: "finished" });
  expect(slices.turns - before).toBeGreaterThanOrEqual((4 * MIB) / SLICE_COST);
});

test("[GUARD-3] an error body that is not a message is not parsed", async () => {
  expect(await attacked("error-json")).toMatchObject({ kind: "failed", error: { code: "provider_rejected" } });
});

test("[GUARD-4] tokens, ids and names are clamped to what is possible, and the log says so", async () => {
  expect(await attacked("huge-usage")).toMatchObject({
    kind: "finished",
    usage: { inputTokens: MAX_CALL_TOKENS, outputTokens: MAX_CALL_TOKENS },
  });
  expect(warnings.some((message) => message.includes("more tokens than are possible"))).toBe(true);
  const { blocks } = (await attacked("long-id")) as Extract<ModelOutcome, { kind: "finished" }>;
  expect(blocks).toEqual([{ type: "tool_use", id: "", name: "n".repeat(MAX_CALLED_NAME_CHARS), input: {} }]);
});
