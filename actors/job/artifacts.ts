/**
 * The artifacts of a job: files of its workspace that its tools have written (JOB-5). A job lists each file once, as it
 * was after the job's last change, and announces it once in its streams.
 */
import { JOB_ARTIFACTS } from "./limits.ts";
import type { Artifact, MadeArtifact } from "./terms.ts";

/** The job's artifacts after a call. Files over the limit are in the workspace but not in the list. */
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

/** The artifacts that this call was the first to write. */
export const madeBy = (artifacts: readonly Artifact[], callId: string): readonly MadeArtifact[] =>
  artifacts
    .filter((artifact) => artifact.callId === callId)
    .map(({ id, kind, name, path, mime, size }) => ({ id, kind, name, path, mime, size }));
