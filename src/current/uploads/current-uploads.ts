/** The unfinished uploads of an organization's members. Those of people who have been removed end here. */
import { organizationRef } from "../../../actors/organization/schema.ts";
import type { UnfinishedUpload } from "../../../actors/workspace/ports.ts";
import type { Services } from "../../operations/services.ts";

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
