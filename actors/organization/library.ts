/**
 * The library of agents that come with the service (AGT-2). An organization has an entry's agent once it is installed.
 * The agent's id is fixed before, so that lists and the install can name it.
 */
import type { LibraryDefinition } from "./protocol.ts";

export interface LibraryAgent {
  /** The id that this organization's agent has or will have. */
  readonly id: string;
  readonly definition: LibraryDefinition;
}

export interface Library {
  /** All entries, in display order. */
  of(organizationId: string): readonly LibraryAgent[];
  find(organizationId: string, agentId: string): LibraryAgent | null;
}
