/** A file that a job has made, as the current surface shows it (JOB-5). */
import type { Artifact } from "../../../actors/job/terms.ts";
import { Type } from "../../../actors/schema.ts";
import { Count, fieldsFrom, Id, noun, Text } from "../../http/contract/noun.ts";
import type { Shown } from "../../http/contract/operation.ts";

export const ArtifactView = noun("Artifact", "A file that a job has written, as of the job's last change to it", {
  id: Id("art", "The artifact's id"),
  kind: Type.Literal("file", { description: "Kind of artifact" }),
  name: Text("The file's name", "q3.md"),
  path: Text("Its path in the workspace", "reports/q3.md"),
  mime: Text("Its media type", "text/markdown"),
  size: Count("Size in bytes"),
  url: Text("URL of the content", "/api/workspaces/wsp_…/files/content?path=reports%2Fq3.md"),
});

const artifactFields = fieldsFrom(ArtifactView);

/** Artifacts of a job in this workspace; a job without a workspace has none. */
export const artifactViews = (
  workspaceId: string | null,
  artifacts: readonly Artifact[] | null | undefined,
): Shown<typeof ArtifactView>[] =>
  (artifacts ?? []).map((artifact) => ({
    ...artifactFields(artifact),
    url: `/api/workspaces/${workspaceId ?? ""}/files/content?path=${encodeURIComponent(artifact.path)}`,
  }));
