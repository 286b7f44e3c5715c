/** Whether an organization has room for more content; asked before it is stored, wherever it comes from. */
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
