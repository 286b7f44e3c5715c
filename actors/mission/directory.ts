/** Lists of missions and their ledgers, read from the tables after `System.settled`. Throws when the database cannot be reached. */
import type { Page, PageRequest } from "../page.ts";
import type { Mission, MissionRun, MissionStatus, RunOutcome } from "./schema.ts";

/** All given filters must match. */
export interface MissionFilter {
  /** Only missions that this person may see. */
  readonly seenBy: string;
  readonly status?: readonly MissionStatus[] | undefined;
  readonly agentId?: string | undefined;
  readonly workspaceId?: string | undefined;
}

export interface MissionDirectory {
  /** Missions that are not deleted. */
  listMissions(organizationId: string, filter: MissionFilter, page: PageRequest): Promise<Page<Mission>>;
  /** The ledger of one mission. */
  listRuns(
    organizationId: string,
    of: { readonly missionId: string; readonly outcome?: readonly RunOutcome[] | undefined },
    page: PageRequest,
  ): Promise<Page<MissionRun>>;
  /** Undeleted missions of an agent or a workspace, ordered by place, after this one, at most `limit`. */
  missionsOf(of: MissionGround, after: MissionPlace, limit: number): Promise<readonly MissionPlace[]>;
}

/** What missions depend on: an agent may have missions in several organizations, a workspace is in one. */
export type MissionGround =
  | { readonly agentId: string }
  | { readonly organizationId: string; readonly workspaceId: string };

/** The place of a mission. */
export interface MissionPlace {
  readonly organizationId: string;
  readonly id: string;
}
