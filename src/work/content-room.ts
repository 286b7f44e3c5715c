/**
 * Content against an organization's storage quota: checked before it is stored, and counted if its commit is refused.
 */
import { ok, type Outcome } from "../../actors/fault.ts";
import type { WorkspaceCommand } from "../../actors/workspace/protocol.ts";
import type { QuotaReports } from "../../actors/usage/quota.ts";
import type { ArrivedContent, FileContents, ReceivedContent } from "../../actors/workspace/ports.ts";

type FileWrite = Extract<WorkspaceCommand, { readonly kind: "write_file" }>;

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

/** Receives content of at most so many bytes that the organization's quota has room for. */
export const receiveWithin = (
  { quotas, contents }: RoomParts & { readonly contents: Pick<FileContents, "receive"> },
  organizationId: string,
  body: ReadableStream<Uint8Array>,
  most: number,
): ReturnType<FileContents["receive"]> =>
  contents.receive(organizationId, body, most, (arrived) => roomFor({ quotas, contents }, organizationId, arrived));

/** The command that writes received content as a file. Its media type follows from its name, or is that of `former`. */
export const writeReceived = (
  contents: Pick<FileContents, "mimeOf">,
  { text, ...content }: ReceivedContent,
  {
    former = "",
    ...rest
  }: Pick<FileWrite, "path" | "precondition" | "cause"> & { readonly former?: string | undefined },
): FileWrite => {
  const mime = contents.mimeOf(rest.path.names.at(-1)?.name ?? "", former);
  return { kind: "write_file", content: { ...content, mime }, text, ...rest };
};

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
