/**
 * What a job has made: files of its workspace that its tools have written (JOB-5). A job lists each file once, as
 * it was after its last change of it, and tells its streams of it once.
 */
import { JOB_ARTIFACTS } from "./limits.ts";
import type { Artifact, MadeArtifact } from "./terms.ts";

/** The job's artifacts after a call; what is over the limit is in the workspace and not in the list. */
export function withMade(
  artifacts: readonly Artifact[],
  made: readonly MadeArtifact[],
  callId: string,
): readonly Artifact[] {
  const all = [...artifacts];
  for (const one of made) {
    const at = all.findIndex(({ id }) => id === one.id);
    if (at !== -1) all[at] = { ...one, callId: all[at]?.callId ?? callId };
    else if (all.length < JOB_ARTIFACTS) all.push({ ...one, callId });
  }
  return all;
}

/** Those that this call was the first to make. */
export const madeBy = (artifacts: readonly Artifact[], callId: string): readonly MadeArtifact[] =>
  artifacts
    .filter((artifact) => artifact.callId === callId)
    .map(({ id, kind, name, path, mime, size }) => ({ id, kind, name, path, mime, size }));
