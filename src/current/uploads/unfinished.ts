/** Operations on uploads in parts that are not finished (WSP-18). */
import { notFound, ok } from "../../../actors/fault.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import { Nullable, Timestamp, Type } from "../../../actors/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import type { UnfinishedUpload } from "../../../actors/workspace/ports.ts";
import { done } from "../../http/commit/commit.ts";
import { pathId } from "../../http/contract/field.ts";
import { Count, fieldsFrom, Id, noun, Text } from "../../http/contract/noun.ts";
import type { Shown } from "../../http/contract/operation.ts";
import { operation } from "../../operations/operation.ts";
import type { Services } from "../../operations/services.ts";

const EXAMPLE = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

const UnfinishedUploadId = pathId("upload", /^[0-9a-f]{64}$/, Text("The upload's id", EXAMPLE));

export const UnfinishedUploadView = noun("UnfinishedUpload", "An upload in parts that is not finished", {
  id: Text("The upload's id", EXAMPLE),
  workspace_id: Id("wsp", "The workspace of the file"),
  path: Text("The path of the file", "data/large.parquet"),
  sha256: Text("SHA-256 of the whole content, in hex", EXAMPLE),
  size: Count("Bytes of the whole content"),
  offset: Count("Bytes received so far, and so the offset of the next part"),
  created_by: Nullable(Id("usr", "User who started it; null for uploads of an earlier release")),
  created_at: Timestamp,
  expires_at: Timestamp,
});

export const unfinishedOperations = {
  listUnfinishedUploads: operation(
    {
      method: "GET",
      path: "/api/unfinished-uploads",
      scope: "workspaces:read",
      summary: "List unfinished uploads",
      description:
        "Your own uploads in parts, newest first; owners see those of all members. There are at most 32 per organization and 8 per person.",
      answers: {
        200: noun("UnfinishedUploadList", "Unfinished uploads, newest first", {
          uploads: Type.Array(UnfinishedUploadView),
        }),
      },
    },
    async (services, { principal }) => {
      return ok({ uploads: (await visible(services, principal)).map(unfinishedView) });
    },
  ),

  endUnfinishedUpload: operation(
    {
      method: "DELETE",
      path: "/api/unfinished-uploads/{id}",
      scope: "workspaces:write",
      summary: "End an unfinished upload",
      description: "Discards the bytes received so far. Only for the person who started the upload, and for owners.",
      params: { id: UnfinishedUploadId },
      answers: { 200: UnfinishedUploadView },
      emits: "resource.deleted",
    },
    async (services, change, { params: { id } }) => {
      const { principal } = change;
      const { organizationId } = principal;
      const upload = (await visible(services, principal)).find((one) => one.id === id);
      if (upload === undefined) return notFound("upload");
      await services.contents.endUnfinished(organizationId, [id]);
      return change.commit([ask(organizationRef(organizationId), { kind: "read_organization" })], () =>
        done(unfinishedView(upload)),
      );
    },
  ),
};

async function visible(services: Services, { organizationId, userId, role }: Principal) {
  const uploads = await currentUploads(services, organizationId);
  return role === "owner" ? uploads : uploads.filter((one) => one.userId === userId);
}

const unfinishedFields = fieldsFrom(UnfinishedUploadView);

const unfinishedView = (upload: UnfinishedUpload): Shown<typeof UnfinishedUploadView> => ({
  ...unfinishedFields(upload),
  created_by: upload.userId,
  created_at: upload.startedAt,
});

/** The unfinished uploads of an organization's members. Those of people who have been removed end here. */
export async function currentUploads(
  { system, contents }: Pick<Services, "system" | "contents">,
  organizationId: string,
): Promise<readonly UnfinishedUpload[]> {
  const all = await contents.unfinished(organizationId);
  const removed = new Set<string>();
  for (const userId of new Set(all.flatMap((one) => one.userId ?? []))) {
    const member = await system.dispatch(organizationRef(organizationId), { kind: "read_member", userId });
    // If the member cannot be read now, their uploads stay.
    if (member.ok ? member.value.status === "removed" : member.fault.kind === "not_found") removed.add(userId);
  }
  const isOver = ({ userId }: UnfinishedUpload): boolean => userId !== null && removed.has(userId);
  if (removed.size > 0) {
    const ids = all.filter(isOver).map(({ id }) => id);
    await contents.endUnfinished(organizationId, ids);
  }
  return all.filter((one) => !isOver(one));
}
