/** Unfinished uploads on the current surface: list, end (WSP-18). */
import { notFound, ok } from "../../../actors/fault.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import type { UnfinishedUpload } from "../../../actors/workspace/ports.ts";
import type { Handlers, Shown } from "../../http/contract/operation.ts";
import { done } from "../../http/commit/commit.ts";
import type { Services } from "../../operations/services.ts";
import { currentUploads } from "./current-uploads.ts";
import type { unfinishedOperations, UnfinishedUploadView } from "./unfinished-operations.ts";

export const unfinishedHandlers: Handlers<typeof unfinishedOperations.operations, Services> = {
  async listUnfinishedUploads(services, { principal }) {
    return ok({ uploads: (await visible(services, principal)).map(unfinishedView) });
  },

  async endUnfinishedUpload(services, change, { params: { id } }) {
    const { principal } = change;
    const { organizationId } = principal;
    const upload = (await visible(services, principal)).find((one) => one.id === id);
    if (upload === undefined) return notFound("upload");
    await services.contents.endUnfinished(organizationId, [id]);
    return change.commit([ask(organizationRef(organizationId), { kind: "read_organization" })], () =>
      done(unfinishedView(upload)),
    );
  },
};

async function visible(services: Services, { organizationId, userId, role }: Principal) {
  const uploads = await currentUploads(services, organizationId);
  return role === "owner" ? uploads : uploads.filter((one) => one.userId === userId);
}

const unfinishedView = (upload: UnfinishedUpload): Shown<typeof UnfinishedUploadView> => ({
  id: upload.id,
  workspace_id: upload.workspaceId,
  path: upload.path,
  sha256: upload.sha256,
  size: upload.size,
  offset: upload.offset,
  created_by: upload.userId,
  created_at: upload.startedAt,
  expires_at: upload.expiresAt,
});
