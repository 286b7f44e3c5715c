/** Model calls that fail for a passing reason: retries, pauses, restarts, fallbacks. */
import { describe, expect, test } from "bun:test";
import type { RetrySettings } from "../../../../actors/job/run/retry-policy.ts";
import { Slots } from "../../../../actors/job/run/slots.ts";
import type { InputBlock } from "../../../../actors/upload/terms.ts";
import { jobRef, type RunError, type RunErrorCode } from "../../../../actors/job/schema.ts";
import { until } from "../../../support/condition.ts";
import { settle } from "../../../support/fake-clock.ts";
import { FakeModel, type ModelStep } from "../../../support/fake-model.ts";
import { FakeTools } from "../../../support/fake-tools.ts";
import {
  AGENT,
  CHAT,
  disagreements,
  type JobReplica,
  ORG,
  type Sending,
  startJobs,
} from "../../../support/job-replica.ts";
import { World } from "../../../support/replica.ts";

const fault = (code: RunErrorCode, retryAfterMs?: number): { readonly fail: RunError } => ({
  fail: { code, message: `It is ${code}.`, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
});
const AWAY = fault("provider_unreachable");

class Scene {
  readonly world = new World();
  readonly model = new FakeModel();
  readonly tools = new FakeTools();
  replica!: JobReplica;

  /** The nth call of the model does the nth of these; after them it says `Done.`. */
  static async begin(
    calls: readonly (readonly ModelStep[])[],
    retry: RetrySettings = { retries: 6, fallbacks: [] },
    slots = new Slots(),
  ): Promise<Scene> {
    const scene = new Scene();
    const { model, tools } = scene;
    model.script = () => calls[model.calls.length - 1] ?? [{ say: "Done." }];
    scene.replica = await startJobs(scene.world, { model, tools, retry, slots });
    return scene;
  }

  /** Lets the time pass that the job waits for, again and again, until it has ended. */
  async ended(id: string) {
    for (let turns = 0; turns < 60; turns++) {
      await settle();
      const job = this.replica.job(id);
      if (job !== null && job.completedAt !== null) return job;
      await this.world.clock.advance(5_000);
    }
    throw new Error(`the job is ${this.replica.job(id).status}`);
  }

  async waiting(id: string) {
    await until("it waits", () => (this.replica.job(id)?.waiting ?? null) !== null);
    return this.replica.job(id);
  }

  states(id: string): unknown[] {
    return this.replica.events(id).flatMap(({ type, data }) => (type === "runner.status" ? [data["state"]] : []));
  }
}

describe("a fault before the first text", () => {
  test("[RUN-8] a call is retried with pauses that double, and the job completes", async () => {
    const scene = await Scene.begin([[AWAY], [AWAY], [AWAY]]);
    const id = await scene.replica.send("go");
    const times: number[] = [];
    for (const retry of [1, 2, 3]) {
      const { waiting } = await scene.waiting(id);
      const { retryAt } = waiting!;
      expect(waiting).toMatchObject({ reason: "provider_unavailable", retries: retry });
      times.push(Date.parse(retryAt!) - scene.world.clock.now());
      await scene.world.clock.advance(times.at(-1)!);
      await until("it has tried again", () => scene.model.calls.length > retry);
      await settle();
    }
    expect(times).toEqual([1_000, 2_000, 4_000]);
    const job = await scene.ended(id);
    expect(job).toMatchObject({ status: "completed", result: "Done.", attempt: 1, waiting: null });
    expect(job.metrics.modelRetries).toBe(3);
    expect(scene.states(id)).toEqual([
      "queued",
      "running",
      "waiting",
      "running",
      "waiting",
      "running",
      "waiting",
      "running",
      "stopped",
    ]);
    const told = scene.replica.events(id).flatMap(({ data }) => (data["kind"] === "error" ? [data["text"]] : []));
    expect(told).toEqual(Array(3).fill("It is provider_unreachable."));
    expect(await disagreements(scene.replica)).toEqual([]);
  });

  test("[RUN-8] the provider's own Retry-After is used, limited by the deadline", async () => {
    const scene = await Scene.begin([
      [fault("provider_rate_limited", 90_000)],
      [fault("provider_rate_limited", 3_600_000)],
    ]);
    const id = await scene.replica.send("go");
    const { waiting } = await scene.waiting(id);
    expect(waiting!.reason).toBe("provider_rate_limited");
    expect(Date.parse(waiting!.retryAt!) - scene.world.clock.now()).toBe(90_000);
    const job = await scene.ended(id);
    expect(scene.model.calls.length).toBe(2);
    expect(job).toMatchObject({ status: "failed", error: { code: "provider_rate_limited" } });
  });

  test.each(["provider_unauthorized", "provider_rejected", "model_unavailable", "internal_error"] as const)(
    "[RUN-8] %s is final and not repeated",
    async (code) => {
      const scene = await Scene.begin([[fault(code)]]);
      const job = await scene.ended(await scene.replica.send("go"));
      expect(job).toMatchObject({ status: "failed", error: { code } });
      expect(scene.model.calls.length).toBe(1);
    },
  );

  test("[RUN-8] after its last retry the job fails with the provider's fault, not one retry earlier", async () => {
    for (const [faults, status] of [
      [2, "completed"],
      [3, "failed"],
    ] as const) {
      const scene = await Scene.begin(Array<ModelStep[]>(faults).fill([AWAY]), { retries: 2, fallbacks: [] });
      const job = await scene.ended(await scene.replica.send("go"));
      expect([job.status, scene.model.calls.length]).toEqual([status, 3]);
    }
  });
});

describe("a fault after the first text", () => {
  const CUT = [{ say: "Once upon " }, AWAY];

  test("[RUN-8][SSE-3] the step restarts once: readers drop its text, and the result has it once", async () => {
    const scene = await Scene.begin([CUT]);
    const reader = scene.replica.subscribeChat();
    const job = await scene.ended(await scene.replica.send("go"));
    expect(job).toMatchObject({ status: "completed", result: "Done.", attempt: 2 });
    expect(scene.replica.events(CHAT).find(({ type }) => type === "message.restarted")?.data).toMatchObject({
      attempt: 2,
    });
    expect(scene.replica.messages().at(-1)?.content).toBe("Done.");
    expect(await disagreements(scene.replica)).toEqual([]);
    reader.close();
  });

  test("[RUN-8] a second fault after text in the same step is final, and keeps the text", async () => {
    const scene = await Scene.begin([CUT, CUT]);
    const job = await scene.ended(await scene.replica.send("go"));
    expect(job).toMatchObject({ status: "failed", result: "Once upon ", error: { code: "provider_unreachable" } });
    expect(await disagreements(scene.replica)).toEqual([]);
  });

  test("[RUN-8] the text of earlier steps stays, and the text continues from there", async () => {
    const look = { use: { type: "tool_use", id: "c1", name: "look", input: {} } } as const;
    const scene = await Scene.begin([[{ say: "Let me look." }, look], CUT]);
    const job = await scene.ended(await scene.replica.send("go"));
    expect(job).toMatchObject({ status: "completed", result: "Let me look.\n\nDone." });
    expect(scene.tools.calls.length).toBe(1);
    expect(await disagreements(scene.replica)).toEqual([]);
  });

  test("[JOB-9] a restarted step does not count as an attempt of the job", async () => {
    const use = (id: string) => ({ use: { type: "tool_use", id, name: "look", input: {} } }) as const;
    const scene = await Scene.begin([CUT, [use("a")], CUT, [use("b")], CUT, [use("c")], CUT]);
    const job = await scene.ended(await scene.replica.send("go"));
    expect(job).toMatchObject({ status: "completed", attempt: 5, excusedAttempts: 4 });
  });
});

describe("a job that waits", () => {
  test("[RUN-8] is cancelled at once", async () => {
    const scene = await Scene.begin([[fault("provider_unreachable", 60_000)]]);
    const id = await scene.replica.send("go");
    await scene.waiting(id);
    await scene.replica.system.dispatch(jobRef(ORG, id), { kind: "cancel" });
    await until("it is cancelled", () => scene.replica.job(id).status === "cancelled");
    expect(scene.replica.job(id).waiting).toBeNull();
    expect(await disagreements(scene.replica)).toEqual([]);
  });

  test("[RUN-8][JOB-10] holds its job slot for at most 5 s, and takes one again", async () => {
    const slots = new Slots({ inProcess: 1, ofOrganization: 1 });
    const scene = await Scene.begin([[fault("provider_unreachable", 5_001)]], undefined, slots);
    const waiting = await scene.replica.send("go");
    await scene.waiting(waiting);
    const other = await scene.replica.send("go", "cht_2");
    await until("the other one completes", () => scene.replica.job(other)?.status === "completed");
    expect(scene.replica.job(waiting).status).toBe("running");
    expect((await scene.ended(waiting)).status).toBe("completed");
  });

  test("[RUN-8][JOB-10] keeps its slot during a shorter wait", async () => {
    const slots = new Slots({ inProcess: 1, ofOrganization: 1 });
    const scene = await Scene.begin([[fault("provider_unreachable", 5_000)]], undefined, slots);
    const waiting = await scene.replica.send("go");
    await scene.waiting(waiting);
    const other = await scene.replica.send("go", "cht_2");
    await settle();
    expect(scene.replica.job(other).status).toBe("queued");
    await scene.ended(waiting);
    expect((await scene.ended(other)).status).toBe("completed");
  });

  test("[RUN-8][JOB-4] waits for the rest after a restart, which uses no attempt", async () => {
    const scene = await Scene.begin([[fault("provider_unreachable", 60_000)]]);
    const id = await scene.replica.send("go");
    await scene.waiting(id);
    await scene.world.clock.advance(20_000);
    scene.replica.crash();
    const { model, tools, world } = scene;
    scene.replica = await startJobs(world, { model, tools, retry: { retries: 6, fallbacks: [] } });
    await world.clock.advance(39_000);
    await settle();
    expect(model.calls.length).toBe(1);
    const job = await scene.ended(id);
    expect(job).toMatchObject({ status: "completed", attempt: 2, excusedAttempts: 1 });
  });
});

test("[RUN-8] a wait that began with a clock a day ahead does not get longer by a restart", async () => {
  const scene = await Scene.begin([[fault("provider_unreachable", 60_000)]]);
  scene.world.clock.setForward(86_400_000);
  await until("the lease is renewed", () => scene.replica.system.isReady);
  const id = await scene.replica.send("go");
  await scene.waiting(id);
  scene.replica.crash();
  scene.world.clock.setForward(-86_400_000);
  const { model, tools, world } = scene;
  scene.replica = await startJobs(world, { model, tools, retry: { retries: 6, fallbacks: [] } });
  await until("it waits again", () => scene.replica.job(id).waiting?.waitMs === 60_000);
  await world.clock.advance(60_000);
  expect(await scene.ended(id)).toMatchObject({ status: "completed" });
  expect(model.calls.length).toBe(2);
});

describe("a call for which there is no room in memory", () => {
  const crowded = async (slots = new Slots()) => {
    const room = Promise.withResolvers<void>();
    const scene = await Scene.begin([[{ room: room.promise }, { say: "Done." }]], undefined, slots);
    const id = await scene.replica.send("go");
    await until("it is called", () => scene.model.calls.length === 1);
    return { scene, id, room };
  };

  test("[FILE-7] is shown as waiting, holds no job slot for long, and continues", async () => {
    const { scene, id, room } = await crowded(new Slots({ inProcess: 1, ofOrganization: 1 }));
    await scene.world.clock.advance(1_000);
    expect((await scene.waiting(id)).waiting).toMatchObject({ reason: "memory_limit", retries: 0, retryAt: null });
    const other = await scene.replica.send("go", "cht_2");
    await scene.world.clock.advance(4_000);
    await until("the other one completes", () => scene.replica.job(other)?.status === "completed");
    room.resolve();
    expect(await scene.ended(id)).toMatchObject({ status: "completed", result: "Done.", waiting: null });
    expect(await disagreements(scene.replica)).toEqual([]);
  });

  test("[FILE-7] [JOB-3] is cancelled at once", async () => {
    const { scene, id } = await crowded();
    await scene.replica.system.dispatch(jobRef(ORG, id), { kind: "cancel" });
    await until("it is cancelled", () => scene.replica.job(id).status === "cancelled");
    expect(await disagreements(scene.replica)).toEqual([]);
  });
});

describe("fallbacks", () => {
  test("[RUN-32] a fallback has the same settings, and options only if it is of the same provider", async () => {
    const modelSettings = { temperature: 0.5, providerOptions: { seed: 7 } };
    const callsOf = async (fallback: string) => {
      const scene = await Scene.begin([[AWAY], [AWAY]], { retries: 1, fallbacks: [fallback] });
      scene.model.names = true;
      const agent = { ...AGENT, model: "fake:own", modelSettings };
      const job = await scene.ended(await scene.replica.send("go", CHAT, { agent }));
      const ignored = (job.warnings ?? []).filter(({ code }) => code === "setting_ignored");
      return [scene.model.calls.at(-1)?.settings, ignored.map(({ field, message }) => ({ field, message }))];
    };
    expect(await callsOf("fake:other")).toEqual([modelSettings, []]);
    expect(await callsOf("foreign:other")).toEqual([
      { temperature: 0.5 },
      [
        {
          field: "model_settings.provider_options",
          message: "foreign:other was called without `provider_options`: they are for another provider.",
        },
      ],
    ]);
  });

  test("[RUN-32] a setting that the model is called without is one warning of the job, however often it is called", async () => {
    const agent = { ...AGENT, modelSettings: { temperature: 0.5 } };
    const scene = await Scene.begin([[AWAY], [AWAY]]);
    const { script } = scene.model;
    scene.model.script = (call) => {
      call.onLeftSetting?.({ setting: "temperature", why: "the provider refused it" });
      return script(call);
    };
    const job = await scene.ended(await scene.replica.send("go", CHAT, { agent }));
    expect(scene.model.calls.map(({ settings }) => settings)).toEqual(Array(3).fill({ temperature: 0.5 }));
    expect(job.warnings).toMatchObject([
      {
        code: "setting_ignored",
        field: "model_settings.temperature",
        message: "fake:fake was called without `temperature`: the provider refused it.",
      },
    ]);
  });

  test("[RUN-8] another model continues after the last retry, and the record names it", async () => {
    const scene = await Scene.begin([[AWAY], [AWAY]], { retries: 1, fallbacks: ["fake:other"] });
    scene.model.names = true;
    const job = await scene.ended(await scene.replica.send("go"));
    expect(scene.model.calls.map((call) => call.model)).toEqual([null, null, "fake:other"]);
    expect(job).toMatchObject({ status: "completed", runner: { provider: "fake", name: "other" } });
    expect(job.warnings).toMatchObject([{ code: "model_fallback", message: expect.stringContaining("fake:other") }]);
  });

  test("[FILE-8] a model that cannot read the conversation is skipped, and the others are tried", async () => {
    const fallbacks = ["fake:blind", "fake:seeing"];
    const image: InputBlock = {
      type: "image",
      media_type: "image/png",
      name: "a.png",
      size: 3,
      sha256: "0".repeat(64),
      source: { kind: "upload", file_id: "upl_1" },
    };
    const callsOf = async (how: Sending): Promise<unknown> => {
      const scene = await Scene.begin([[AWAY], [AWAY]], { retries: 1, fallbacks });
      scene.model.names = true;
      scene.model.blind.add("fake:blind");
      expect(await scene.ended(await scene.replica.send("look", CHAT, how))).toMatchObject({ status: "completed" });
      return scene.model.calls.map((call) => call.model);
    };
    expect(await callsOf({ blocks: [image] })).toEqual([null, null, "fake:seeing"]);
    expect(await callsOf({})).toEqual([null, null, "fake:blind"]);
  });
});

describe("tools that are away", () => {
  const MISSING = { required: ["The MCP server files cannot be used: it is down."], optional: [] };

  test("[RUN-9] a job waits for required servers, is shown as waiting, and continues with them", async () => {
    const scene = await Scene.begin([]);
    scene.tools.missing = MISSING;
    const id = await scene.replica.send("go");
    expect((await scene.waiting(id)).waiting).toMatchObject({ reason: "tools_unavailable", retries: 1 });
    scene.tools.missing = { required: [], optional: [] };
    const job = await scene.ended(id);
    expect(job).toMatchObject({ status: "completed", warnings: [{ code: "tools_unavailable" }] });
    expect(job.warnings).toHaveLength(1);
    const told = scene.replica.events(id).filter(({ data }) => data["kind"] === "error");
    expect(told.map(({ data }) => data["text"])).toEqual(MISSING.required);
  });

  test("[RUN-9] after the last retry the job fails with tools_unavailable", async () => {
    const scene = await Scene.begin([], { retries: 2, fallbacks: [] });
    scene.tools.missing = MISSING;
    const job = await scene.ended(await scene.replica.send("go"));
    expect(job).toMatchObject({ status: "failed", error: { code: "tools_unavailable" } });
    expect(scene.tools.opened.length).toBe(3);
    expect(scene.model.calls).toEqual([]);
  });

  test("[RUN-9] without optional servers it continues at once, with a warning", async () => {
    const scene = await Scene.begin([]);
    scene.tools.missing = { required: [], optional: MISSING.required };
    const job = await scene.ended(await scene.replica.send("go"));
    expect(job).toMatchObject({ status: "completed", warnings: [{ code: "tools_unavailable" }] });
    expect(scene.tools.opened.length).toBe(1);
  });
});
