/** What content takes of an organization's room: asked before it is stored, counted where its commit is refused. */
import { ok, type Outcome } from "../../actors/fault.ts";
import type { QuotaReports } from "../../actors/usage/quota.ts";
import type { ArrivedContent, FileContents } from "../../actors/workspace/ports.ts";

interface RoomParts {
  readonly quotas: Pick<QuotaReports, "room">;
  readonly contents: Pick<FileContents, "hold">;
}

/** Refuses content for which the organization has no room. What it has already takes none. */
export async function roomFor(
  { quotas, contents }: RoomParts,
  organizationId: string,
  { sha256, size }: Pick<ArrivedContent, "sha256" | "size">,
): Promise<Outcome<null>> {
  const room = await quotas.room(organizationId, "file_bytes", size);
  return room.ok || (await contents.hold({ organizationId, sha256 })) ? ok(null) : room;
}

/** Counts content that was stored for a commit that has ended so. Nothing refers to it, until it is removed. */
export function countUnreferred(
  { quotas }: { readonly quotas: Pick<QuotaReports, "unreferred"> },
  organizationId: string,
  { written, size }: { readonly written: Outcome<unknown>; readonly size: number },
): void {
  // What the quota itself has refused is at its limit.
  if (!written.ok && written.fault.kind !== "quota_exceeded") quotas.unreferred(organizationId, size);
}
