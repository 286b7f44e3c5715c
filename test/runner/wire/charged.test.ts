/** Whose time the work on a model's request and answer is. */
import { describe, expect, test } from "bun:test";
import { createModels } from "../../../src/runner/models.ts";
import { streamCall, type RunTime } from "../../../src/runner/stream-call.ts";
import { fakeTimers } from "../../support/fake-timers.ts";
import { startFakeOpenAi } from "../../support/fake-openai.ts";
import { modelCall, NO_MODELS } from "../../support/model-calls.ts";
import { WAYS } from "../../support/model-ways.ts";

test("[FAIR-1] every model of a provider is called on that account", async () => {
  const fake = await startFakeOpenAi();
  const organizations: string[] = [];
  const time: RunTime = {
    measure(organizationId, _, run) {
      organizations.push(organizationId);
      return run();
    },
  };
  const settings = { ...NO_MODELS, model: "openai-compatible:fake-model", openaiBaseUrl: fake.baseUrl };
  const call = modelCall("hi");
  await createModels(settings, undefined, { time }).call(call, () => {}, new AbortController().signal);
  await fake.stop();
  expect(new Set(organizations)).toEqual(new Set([call.origin.organizationId]));
});

test("[RUN-1] parts that are read together are passed on together, before the end and even if they end with a fault", async () => {
  const call = modelCall("hi");
  const told: string[] = [];
  const toldBefore: number[] = [];
  const outcome = await streamCall({
    model: "test:fake-model",
    origin: call.origin,
    source: async ({ sink, charged }) => {
      charged(() => ["a", "b", "c"].forEach((piece) => sink.text(piece)));
      toldBefore.push(told.length);
      charged(() => {
        sink.text("d");
        sink.text("e");
        throw new Error("the piece is broken");
      });
    },
    onText: (text) => void told.push(text),
    signal: new AbortController().signal,
    stalledStreamMs: 60_000,
    timers: fakeTimers(),
    secrets: [],
    log: undefined,
  });
  expect(told).toEqual(["abc", "de"]);
  expect(toldBefore).toEqual([1]);
  expect(outcome).toMatchObject({ kind: "failed", partialText: "abcde" });
});

describe.each(WAYS.map((way) => [way.name, way] as const))("%s", (_, way) => {
  test("[FAIR-1] the request is made and the parts of the answer are read on the account of the organization that they are for", async () => {
    const fake = await way.start();
    const charged: unknown[] = [];
    let isCharged = false;
    const time: RunTime = {
      measure(organizationId, work, run) {
        charged.push([organizationId, work]);
        isCharged = true;
        try {
          return run();
        } finally {
          isCharged = false;
        }
      },
    };
    const call = modelCall("hi");
    const during: boolean[] = [];
    let chargedBefore = 0;
    const outcome = await streamCall({
      model: "test:fake-model",
      origin: call.origin,
      source: way.source(call, fake.baseUrl),
      onText: () => {
        chargedBefore ||= charged.length;
        during.push(isCharged);
      },
      signal: new AbortController().signal,
      stalledStreamMs: 60_000,
      timers: fakeTimers(),
      time,
      secrets: [],
      log: undefined,
    });
    await fake.stop();
    expect(outcome.kind).toBe("finished");
    expect(during.length).toBeGreaterThan(0);
    expect(new Set(during)).toEqual(new Set([true]));
    // The request before the first text, and the text itself.
    expect(chargedBefore).toBeGreaterThanOrEqual(2);
    expect(new Set(charged.map((each) => JSON.stringify(each)))).toEqual(
      new Set([JSON.stringify([call.origin.organizationId, "runs"])]),
    );
  });
});
