/** Files of a workspace of a service under test, written through its actor. */
import type { Outcome } from "../../actors/fault.ts";
import { parseDirectory } from "../../actors/workspace/path.ts";
import type { WorkspaceCommand, WorkspaceReplies } from "../../actors/workspace/protocol.ts";
import { workspaceRef } from "../../actors/workspace/schema.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";

export const digestOf = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex");

const CAUSE = { by: { type: "user", id: "usr_1" }, tells: false } as const;

export class WorkspaceFiles {
  private readonly system: TroupeSystem;
  private readonly organizationId: string;
  private readonly workspaceId: string;

  constructor(
    system: TroupeSystem,
    { organizationId, workspaceId }: { readonly organizationId: string; readonly workspaceId: string },
  ) {
    this.system = system;
    this.organizationId = organizationId;
    this.workspaceId = workspaceId;
  }

  async ask<C extends WorkspaceCommand>(command: C): Promise<WorkspaceReplies[C["kind"]]> {
    const outcome = await this.try(command);
    if (!outcome.ok) throw new Error(`refused: ${JSON.stringify(outcome.fault)}`);
    return outcome.value;
  }

  try<C extends WorkspaceCommand>(command: C): Promise<Outcome<WorkspaceReplies[C["kind"]]>> {
    const ref = workspaceRef(this.organizationId, this.workspaceId);
    return this.system.dispatch(ref, command) as Promise<Outcome<WorkspaceReplies[C["kind"]]>>;
  }

  write(path: string, text: string) {
    const content = { sha256: digestOf(text), size: Buffer.byteLength(text), mime: "text/plain" };
    return this.ask({
      kind: "write_file",
      path: pathOf(path),
      content,
      text,
      precondition: { kind: "none" },
      cause: CAUSE,
    });
  }

  remove(path: string) {
    return this.ask({
      kind: "delete_place",
      path: pathOf(path),
      isRecursive: true,
      precondition: { kind: "none" },
      cause: CAUSE,
    });
  }

  move(from: string, to: string) {
    return this.ask({
      kind: "move_place",
      from: pathOf(from),
      to: pathOf(to),
      overwrite: false,
      seen: null,
      cause: CAUSE,
    });
  }

  /** The id of the file or directory at a path. */
  async idOf(path: string): Promise<string> {
    return (await this.ask({ kind: "read_place", path: pathOf(path) })).place.node.id;
  }

  /** Resolves when all that was asked of the organization is in the tables. */
  async settled(): Promise<void> {
    const settled = await this.system.settled(this.organizationId);
    if (!settled.ok) throw new Error(settled.fault.kind);
  }
}

export function pathOf(text: string) {
  const path = parseDirectory(text);
  if (!path.ok) throw new Error(`a test's path: ${text}`);
  return path.value;
}
