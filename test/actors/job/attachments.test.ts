/** A run of a message with images, whose process ends at each of its commits (FILE-9, JOB-4). */
import { expect, test } from "bun:test";
import type { InputBlock } from "../../../actors/upload/terms.ts";
import { Scene } from "../../support/crash-scene.ts";
import { disagreements } from "../../support/job-replica.ts";

const IMAGE: InputBlock = {
  type: "image",
  media_type: "image/png",
  name: "a.png",
  size: 3,
  sha256: "0".repeat(64),
  source: { kind: "upload", file_id: "upl_1" },
};
const BLOCKS: readonly InputBlock[] = [{ type: "text", text: "go" }, IMAGE];

test.each(["lost_request", "lost_reply"] as const)(
  "[FILE-9] [JOB-4] after a crash at any commit (%s) each model call has the images, and their content is stored once",
  async (kind) => {
    let nth = 1;
    for (; ; nth++) {
      const scene = new Scene();
      if (!(await scene.crashAt(nth, kind, { blocks: BLOCKS }))) break;
      const replica = await scene.start();
      // The message itself was lost, and its sender was told that the outcome is unknown.
      if (scene.jobs().length === 0) continue;
      const job = await replica.ended(scene.jobs()[0]!.id);
      expect(job).toMatchObject({ status: "completed", inputBlocks: BLOCKS });
      for (const { entries } of scene.model.calls) expect(entries[0]).toMatchObject({ role: "user", blocks: BLOCKS });
      const kept = [...scene.world.database.records.keys()].filter((key) => key.startsWith("attachment/"));
      expect(kept).toHaveLength(1);
      expect(await disagreements(replica)).toEqual([]);
    }
    expect(nth).toBeGreaterThan(5);
  },
);
