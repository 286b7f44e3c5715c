/**
 * Content against an organization's storage quota: checked before it is stored, and counted if its commit is refused.
 */
import { ok, type Outcome } from "../../actors/fault.ts";
import type { QuotaReports } from "../../actors/usage/quota.ts";
import type { ArrivedContent, FileContents } from "../../actors/workspace/ports.ts";

interface RoomParts {
  readonly quotas: Pick<QuotaReports, "room">;
  readonly contents: Pick<FileContents, "hold">;
}

/** Refuses content that exceeds the organization's quota. Content that it already has needs no quota. */
export async function roomFor(
  { quotas, contents }: RoomParts,
  organizationId: string,
  { sha256, size }: Pick<ArrivedContent, "sha256" | "size">,
): Promise<Outcome<null>> {
  const room = await quotas.room(organizationId, "file_bytes", size);
  return room.ok || (await contents.hold({ organizationId, sha256 })) ? ok(null) : room;
}

/**
 * Counts content that was stored for a commit with this outcome. If the commit was refused, nothing refers to the
 * content, but it uses space until it is removed.
 */
export function countUnreferred(
  { quotas }: { readonly quotas: Pick<QuotaReports, "unreferred"> },
  organizationId: string,
  { written, size }: { readonly written: Outcome<unknown>; readonly size: number },
): void {
  // After a refusal by the quota itself, the count is already at its limit.
  if (!written.ok && written.fault.kind !== "quota_exceeded") quotas.unreferred(organizationId, size);
}
