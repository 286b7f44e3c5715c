/**
 * The library of agents that come with the service (AGT-2). An organization has an entry's agent from
 * when it is installed; its id is fixed before, so that it can be named in the list and installed.
 */
import type { LibraryDefinition } from "./protocol.ts";

export interface LibraryAgent {
  /** The id that this organization's agent has or will have. */
  readonly id: string;
  readonly definition: LibraryDefinition;
}

export interface Library {
  /** All entries, in the order in which they are shown. */
  of(organizationId: string): readonly LibraryAgent[];
  find(organizationId: string, agentId: string): LibraryAgent | null;
}
