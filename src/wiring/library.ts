/**
 * The library of agents: the definitions of the folder `library/`, checked when the service starts. An
 * id is a hash of the organization and the entry's name, in the form of any other agent's.
 */
import type { Library, LibraryAgent } from "../../actors/organization/directory.ts";
import { ID_LENGTH } from "../../actors/ids.ts";
import type { LibraryDefinition } from "../../actors/organization/protocol.ts";
import { BoundedMap } from "../../actors/bounded-map.ts";
import coordinator from "../../library/coordinator.json" with { type: "json" };
import editor from "../../library/editor.json" with { type: "json" };
import meetingNotes from "../../library/meeting-notes.json" with { type: "json" };
import researcher from "../../library/researcher.json" with { type: "json" };
import supportTriage from "../../library/support-triage.json" with { type: "json" };
import taskPlanner from "../../library/task-planner.json" with { type: "json" };

/** Entries by name. A name must never change: the ids of installed agents derive from it. */
const ENTRIES: Readonly<Record<string, LibraryDefinition>> = {
  researcher,
  "task-planner": taskPlanner,
  coordinator,
  editor,
  "meeting-notes": meetingNotes,
  "support-triage": supportTriage,
};

const libraryAgentId = (organizationId: string, name: string): string =>
  `agt_${new Bun.CryptoHasher("sha256").update(`library\n${organizationId}\n${name}`).digest("base64url").slice(0, ID_LENGTH)}`;

/** Organizations whose entries are cached: with six entries each, about 2 MiB when full. */
const REMEMBERED_ORGANIZATIONS = 2_000;
const rememberedLibraries = new BoundedMap<ReadonlyMap<string, LibraryAgent>>(REMEMBERED_ORGANIZATIONS);

/** The entries of an organization by their ids: hashing them costs more than most of a request. */
function entriesOf(organizationId: string): ReadonlyMap<string, LibraryAgent> {
  const known = rememberedLibraries.get(organizationId);
  if (known !== undefined) return known;
  const made = new Map(
    Object.entries(ENTRIES).map(([name, definition]) => {
      const id = libraryAgentId(organizationId, name);
      return [id, { id, definition }];
    }),
  );
  rememberedLibraries.set(organizationId, made);
  return made;
}

export const library: Library = {
  of: (organizationId) => [...entriesOf(organizationId).values()],
  find: (organizationId, agentId) => entriesOf(organizationId).get(agentId) ?? null,
};
