/** The list of what a job has made (JOB-5). */
import { expect, test } from "bun:test";
import { madeBy, withMade } from "../../../actors/job/artifacts.ts";
import { JOB_ARTIFACTS } from "../../../actors/job/limits.ts";
import type { Artifact, MadeArtifact } from "../../../actors/job/terms.ts";

const made = (id: string, size = 1): MadeArtifact => ({
  id,
  kind: "file",
  name: id,
  path: `a/${id}`,
  mime: "text/plain",
  size,
});

test("[JOB-5] a file that is written again is one artifact, of the call that created it", () => {
  const first = withMade([], [made("art_1"), made("art_2")], "call_1");
  const then = withMade(first, [made("art_1", 5), made("art_3")], "call_2");
  expect(then.map(({ id, size, callId }) => [id, size, callId])).toEqual([
    ["art_1", 5, "call_1"],
    ["art_2", 1, "call_1"],
    ["art_3", 1, "call_2"],
  ]);
  expect(madeBy(then, "call_2")).toEqual([made("art_3")]);
});

test("[JOB-5] a job lists its first artifacts, and keeps following those", () => {
  const all = Array.from({ length: JOB_ARTIFACTS + 1 }, (_, i) => made(`art_${i}`));
  const listed = all.reduce<readonly Artifact[]>((list, one, i) => withMade(list, [one], `call_${i}`), []);
  expect(listed).toHaveLength(JOB_ARTIFACTS);
  expect(madeBy(listed, `call_${JOB_ARTIFACTS}`)).toEqual([]);
  expect(withMade(listed, [made("art_0", 9)], "later")[0]).toMatchObject({ size: 9, callId: "call_0" });
});
