/** Structured answers: valid, repaired, given up, and over crashes. */
import { describe, expect, test } from "bun:test";
import type { ModelCall } from "../../../actors/job/ports.ts";
import { OUTPUT_REPAIRS } from "../../../actors/job/output.ts";
import { PLAIN_TERMS } from "../../../actors/job/schema.ts";
import { Scene } from "../../support/crash-scene.ts";
import type { ModelStep } from "../../support/fake-model.ts";
import { disagreements } from "../../support/job-replica.ts";

const SCHEMA = { type: "object", required: ["price"], properties: { price: { type: "number" } } };
const STRUCTURED = { terms: { ...PLAIN_TERMS, outputSchema: SCHEMA } };

/** Answers with JSON after this many answers that are none. */
const after =
  (wrong: number) =>
  (call: ModelCall): readonly ModelStep[] =>
    call.entries.length <= 2 * wrong ? [{ say: `no ${call.entries.length}` }] : [{ say: '{"price":7}' }];

describe("a structured answer", () => {
  test("[JOB-16] that does not fit is sent back to the model with its errors, at most twice", async () => {
    const repaired = new Scene(after(OUTPUT_REPAIRS));
    const replica = await repaired.start();
    const job = await replica.ended(await replica.send("go", undefined, STRUCTURED));
    expect(job).toMatchObject({ status: "completed", output: { price: 7 }, outputRepairs: OUTPUT_REPAIRS, step: 3 });
    const { calls } = repaired.model;
    expect(calls.slice(0, 3).map(({ outputSchema }) => outputSchema)).toEqual([SCHEMA, SCHEMA, SCHEMA]);
    expect(calls[0]!.system).toContain(JSON.stringify(SCHEMA));
    expect(calls[1]!.entries.at(-1)).toMatchObject({
      role: "user",
      text: expect.stringContaining("- /: The answer is not JSON") as string,
    });
    // The next turn repeats what the last call had.
    await replica.ended(await replica.send("next"));
    expect(calls.at(-1)!.entries.slice(0, 5)).toEqual([...calls[2]!.entries]);
    // The request to repair is no message of anybody.
    expect(replica.messages().map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);

    const given = new Scene(after(OUTPUT_REPAIRS + 1));
    const other = await given.start();
    const failed = await other.ended(await other.send("go", undefined, STRUCTURED));
    expect(failed).toMatchObject({
      status: "failed",
      error: { code: "output_invalid", errors: [{ path: "", message: "The answer is not JSON" }] },
    });
    expect([failed.output, given.model.calls.length]).toEqual([undefined, OUTPUT_REPAIRS + 1]);
    expect(await disagreements(other)).toEqual([]);
  });

  for (const kind of ["lost_request", "lost_reply"] as const) {
    test(`[JOB-16] is the same after a crash at any commit, ${kind === "lost_reply" ? "stored" : "not stored"}, and no repair is requested twice`, async () => {
      let nth = 1;
      for (; ; nth++) {
        const scene = new Scene(after(1));
        if (!(await scene.crashAt(nth, kind, STRUCTURED))) break;
        const replica = await scene.start();
        const [made] = scene.jobs();
        if (made === undefined) continue;
        const job = await replica.ended(made.id);
        expect(job).toMatchObject({ status: "completed", output: { price: 7 }, outputRepairs: 1, step: 2 });
        const repairs = replica.events(job.id).filter(({ data }) => data["kind"] === "repair");
        expect(repairs).toHaveLength(1);
        expect(await disagreements(replica)).toEqual([]);
        expect(scene.world.database.effects()).toEqual([]);
      }
      expect(nth).toBeGreaterThan(3);
    });
  }
});
