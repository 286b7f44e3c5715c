/** A workspace over the model in memory, asked by paths as text. */
import { troupeActors, type TroupeProtocols } from "../../actors/troupe.ts";
import type { Outcome } from "../../actors/fault.ts";
import type { WorkspaceLimits } from "../../actors/workspace/limits.ts";
import { parseDirectory } from "../../actors/workspace/path.ts";
import type { Precondition, WorkspaceCommand, WorkspaceReplies } from "../../actors/workspace/protocol.ts";
import { type TreePlace, type Totals, workspaceRef } from "../../actors/workspace/schema.ts";
import { calendar } from "../../src/schedule/calendar.ts";
import { Replica, type World } from "./replica.ts";

export const ORG = "org_a";
export const WORKSPACE = "wsp_1";
const CAUSE = { by: { type: "user", id: "usr_1" }, tells: true } as const;

const pathOf = (text: string) => {
  const path = parseDirectory(text);
  if (!path.ok) throw new Error(`a test's path: ${text}`);
  return path.value;
};

/** Content that a test tells apart by its letter. */
export const contentOf = (letter: string, size = 10) => ({
  sha256: letter.repeat(64),
  size,
  mime: "text/plain",
});

async function startReplica(world: World, workspaceLimits: WorkspaceLimits): Promise<Replica<TroupeProtocols>> {
  const jobLimits = { steps: 10, runMs: 1_000 };
  const definitions = troupeActors({ calendar, monthlyTokens: null, jobLimits, workspaceLimits });
  const replica = new Replica<TroupeProtocols>(world, { definitions });
  await replica.system.start();
  return replica;
}

export class Workspace {
  readonly replica: Replica<TroupeProtocols>;

  private constructor(replica: Replica<TroupeProtocols>) {
    this.replica = replica;
  }

  static async open(world: World, limits = { fileBytes: 1_000, workspaceBytes: 10_000 }): Promise<Workspace> {
    const workspace = new Workspace(await startReplica(world, limits));
    await workspace.ask({
      kind: "create_workspace",
      name: "W",
      description: null,
      instructions: null,
      createdBy: "usr_1",
    });
    return workspace;
  }

  /** The same workspace some time later, in a process of that time. */
  async after(ms: number): Promise<Workspace> {
    const { world, system } = this.replica;
    await system.stop();
    world.clock.jump(ms);
    return new Workspace(await startReplica(world, { fileBytes: 1_000, workspaceBytes: 10_000 }));
  }

  ask<C extends WorkspaceCommand>(command: C): Promise<Outcome<WorkspaceReplies[C["kind"]]>> {
    return this.replica.system.dispatch(workspaceRef(ORG, WORKSPACE), command) as Promise<
      Outcome<WorkspaceReplies[C["kind"]]>
    >;
  }

  write(path: string, content = contentOf("a"), precondition: Precondition = { kind: "none" }) {
    const text = `text of ${content.sha256[0]}`;
    return this.ask({ kind: "write_file", path: pathOf(path), content, text, precondition, cause: CAUSE });
  }

  mkdir(path: string) {
    return this.ask({ kind: "make_directory", path: pathOf(path), cause: CAUSE });
  }

  move(from: string, to: string, overwrite = false, seen: number | null = null) {
    return this.ask({ kind: "move_place", from: pathOf(from), to: pathOf(to), overwrite, seen, cause: CAUSE });
  }

  remove(path: string, isRecursive = false, precondition: Precondition = { kind: "none" }) {
    return this.ask({ kind: "delete_place", path: pathOf(path), isRecursive, precondition, cause: CAUSE });
  }

  read(path: string) {
    return this.ask({ kind: "read_place", path: pathOf(path) });
  }

  history(path: string) {
    return this.ask({ kind: "read_history", path: pathOf(path) });
  }

  async totals(): Promise<Totals> {
    const totals = await this.ask({ kind: "read_totals" });
    if (!totals.ok) throw new Error(totals.fault.kind);
    return totals.value;
  }

  /** All that is stored and can be reached, by path: the letter of a file's content, or null for a directory. */
  listing(): ReadonlyMap<string, string | null> {
    const places = this.stored<TreePlace>("workspace_place");
    const listed = new Map<string, string | null>();
    const visit = (directoryId: string, prefix: string): void => {
      for (const place of places) {
        if (place.directoryId !== directoryId) continue;
        const path = `${prefix}${place.name}`;
        if (place.node.kind === "file") listed.set(path, place.node.sha256[0]!);
        if (place.node.kind !== "directory") continue;
        listed.set(path, null);
        visit(place.node.id, `${path}/`);
      }
    };
    visit(WORKSPACE, "");
    return listed;
  }

  stored<T>(table: string): readonly T[] {
    return this.replica.world.database.rows(table) as unknown as readonly T[];
  }
}
