/**
 * The library of agents: the definitions of the folder `library/`, checked when the service starts. An
 * id is a hash of the organization and the entry's name, in the form of any other agent's.
 */
import type { Library, LibraryAgent } from "../actors/organization/library.ts";
import type { LibraryDefinition } from "../actors/organization/protocol.ts";
import coordinator from "../library/coordinator.json" with { type: "json" };
import editor from "../library/editor.json" with { type: "json" };
import meetingNotes from "../library/meeting-notes.json" with { type: "json" };
import researcher from "../library/researcher.json" with { type: "json" };
import supportTriage from "../library/support-triage.json" with { type: "json" };
import taskPlanner from "../library/task-planner.json" with { type: "json" };

/** Entries by name. A name is for ever: the ids of installed agents come from it. */
const ENTRIES: Readonly<Record<string, LibraryDefinition>> = {
  researcher,
  "task-planner": taskPlanner,
  coordinator,
  editor,
  "meeting-notes": meetingNotes,
  "support-triage": supportTriage,
};

/** Characters of the random part of an id. */
const ID_CHARACTERS = 21;

const idOf = (organizationId: string, name: string): string =>
  `agt_${new Bun.CryptoHasher("sha256").update(`library\n${organizationId}\n${name}`).digest("base64url").slice(0, ID_CHARACTERS)}`;

export const library: Library = {
  of: (organizationId) =>
    Object.entries(ENTRIES).map(([name, definition]): LibraryAgent => ({ id: idOf(organizationId, name), definition })),
  find: (organizationId, agentId) => library.of(organizationId).find((entry) => entry.id === agentId) ?? null,
};
