/** Answers that think for minutes: what counts as life in each format, and the silence that ends a call. */
import { expect, test } from "bun:test";
import { createModels } from "../../../src/runner/models.ts";
import { until } from "../../support/condition.ts";
import { fakeTimers } from "../../support/fake-timers.ts";
import { modelCall, NO_MODELS, run } from "../../support/model-calls.ts";
import { type FormatName, modelsBy, WAYS } from "../../support/model-ways.ts";

/** Comments of gateways and servers, and empty frames. */
const QUIET = [": OPENROUTER PROCESSING\n\n", ": keep-alive\n\n", ":\n\n", "\n\n", "data:\n\n"];
/** What providers send while their models think. */
const PINGS: Readonly<Record<FormatName, readonly string[]>> = {
  messages: ['event: ping\ndata: {"type": "ping"}\n\n'],
  responses: ['event: keepalive\ndata: {"type":"keepalive","sequence_number":466}\n\n'],
  "chat completions": ['data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[]}\n\n'],
};
const MINUTE = 60_000;

/** The clock, which counts how often it is read: each arrival reads it. */
function countedTimers() {
  const timers = fakeTimers();
  let reads = 0;
  const now = (): number => {
    reads += 1;
    return timers.now();
  };
  return { ...timers, now, reads: () => reads };
}

for (const way of WAYS) {
  test(`[RUN-3] ${way.name}: comments, pings and empty frames of a stream count as activity`, async () => {
    const provider = await way.start();
    try {
      const timers = countedTimers();
      // The SDK refuses empty data.
      const frames = [...QUIET.slice(0, way.isReference ? -1 : undefined), ...PINGS[way.format]];
      const alive = async function* (): AsyncGenerator<string> {
        for (const frame of frames) {
          const before = timers.reads();
          yield frame;
          await until("the frame has arrived", () => timers.reads() > before);
          timers.advance(MINUTE - 1);
        }
      };
      provider.answer({ kind: "stream", alive: alive(), text: ["after minutes"] });
      const { outcome, pieces } = await run(modelsBy(way, provider.baseUrl, { timers }), modelCall("hi"));
      expect(outcome).toMatchObject({ kind: "finished" });
      expect(pieces.join("")).toBe("after minutes");
      expect(timers.now()).toBe(frames.length * (MINUTE - 1));
    } finally {
      await provider.stop();
    }
  });
}

test("[RUN-29] a provider has its own limit of silence", async () => {
  const [way] = WAYS;
  const provider = await way!.start();
  try {
    const timers = fakeTimers();
    const address = { format: "chat-completions", baseUrl: provider.baseUrl, apiKey: null } as const;
    const providers = [
      { name: "slow", ...address, stalledStreamMs: 5 * MINUTE },
      { name: "usual", ...address },
    ];
    const models = createModels({ ...NO_MODELS, providers, models: ["slow:m", "usual:m"] }, undefined, { timers });
    for (const [model, silence] of [
      ["slow:m", 5 * MINUTE],
      ["usual:m", MINUTE],
    ] as const) {
      provider.answer({ kind: "stream", text: ["half"], end: "stall" });
      const seen = Promise.withResolvers<void>();
      let isOver = false;
      const call = models.call(modelCall("hi", { model }), () => seen.resolve(), new AbortController().signal);
      void call.then(() => (isOver = true));
      await seen.promise;
      timers.advance(silence - 1);
      await Bun.sleep(0);
      expect(isOver).toBe(false);
      timers.advance(1);
      expect(await call).toMatchObject({ kind: "failed", error: { code: "provider_stalled" } });
    }
  } finally {
    await provider.stop();
  }
});
