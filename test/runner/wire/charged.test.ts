/** Whose time the reading of a model's answer is. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createModels } from "../../../src/runner/models.ts";
import type { RunTime } from "../../../src/runner/stream-call.ts";
import type { FakeProvider } from "../../support/fake-provider.ts";
import { startFakeOpenAi } from "../../support/fake-openai.ts";
import { modelCall, NO_MODELS } from "../../support/model-calls.ts";

let fake: FakeProvider;
beforeAll(async () => {
  fake = await startFakeOpenAi();
});
afterAll(() => fake.stop());

test("[FAIR-1] the frames of a provider are read on the account of the organization that they are for", async () => {
  const charged: unknown[] = [];
  let isReading = false;
  const time: RunTime = {
    measure(organizationId, work, read) {
      charged.push([organizationId, work]);
      isReading = true;
      try {
        return read();
      } finally {
        isReading = false;
      }
    },
  };
  const settings = { ...NO_MODELS, model: "openai-compatible:fake-model", openaiBaseUrl: fake.baseUrl };
  const call = modelCall("hi");
  const during: boolean[] = [];
  const outcome = await createModels(settings, undefined, { time }).call(
    call,
    () => during.push(isReading),
    new AbortController().signal,
  );
  expect(outcome.kind).toBe("finished");
  expect(during.length).toBeGreaterThan(0);
  expect(new Set(during)).toEqual(new Set([true]));
  expect(charged.length).toBeGreaterThan(0);
  expect(new Set(charged.map((each) => JSON.stringify(each)))).toEqual(
    new Set([JSON.stringify([call.origin.organizationId, "runs"])]),
  );
});
