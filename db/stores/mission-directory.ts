/** Lists of missions and their ledgers (port: `MissionDirectory`). */
import { and, asc, eq, gt, isNull, or, sql } from "drizzle-orm";
import type { MissionDirectory, MissionFilter, MissionGround, MissionPlace } from "../../actors/mission/directory.ts";
import { type Mission, MISSION_STATUSES, type MissionRun, type RunOutcome } from "../../actors/mission/schema.ts";
import type { Page, PageRequest } from "../../actors/page.ts";
import { mission, missionRun } from "../tables/records.ts";
import { givenFilters, type Walks } from "./index-walk.ts";
import { OverTables } from "./over-tables.ts";

const MISSIONS: Walks = {
  table: mission,
  indexes: [[mission.agentId, mission.status], [mission.workspaceId, mission.status], [mission.status]],
  words: [[mission.status, MISSION_STATUSES]],
  standing: isNull(mission.deletedAt),
};
const RUNS: Walks = {
  table: missionRun,
  indexes: [[missionRun.missionId, missionRun.outcome], [missionRun.missionId]],
};

export class PostgresMissionDirectory extends OverTables implements MissionDirectory {
  listMissions(organizationId: string, filter: MissionFilter, page: PageRequest): Promise<Page<Mission>> {
    const { status, agentId, workspaceId } = filter;
    const filters = givenFilters(
      [mission.status, status],
      [mission.agentId, agentId],
      [mission.workspaceId, workspaceId],
    );
    const isSeen = sql`(${mission.body} ->> 'visibility' = 'organization' or ${mission.body} ->> 'createdBy' = ${filter.seenBy})`;
    return this.page<Mission>(MISSIONS, organizationId, page, { filters, tests: [isSeen] });
  }

  listRuns(
    organizationId: string,
    { missionId, outcome }: { readonly missionId: string; readonly outcome?: readonly RunOutcome[] | undefined },
    page: PageRequest,
  ): Promise<Page<MissionRun>> {
    const filters = givenFilters([missionRun.missionId, missionId], [missionRun.outcome, outcome]);
    return this.page<MissionRun>(RUNS, organizationId, page, { filters });
  }

  async missionsOf(of: MissionGround, after: MissionPlace, limit: number): Promise<readonly MissionPlace[]> {
    const isOf =
      "agentId" in of
        ? eq(mission.agentId, of.agentId)
        : and(eq(mission.organizationId, of.organizationId), eq(mission.workspaceId, of.workspaceId));
    const isLater = or(
      gt(mission.organizationId, after.organizationId),
      and(eq(mission.organizationId, after.organizationId), gt(mission.id, after.id)),
    );
    // The missions of one agent may be in several organizations, so the read is bounded by the agent.
    const bounded = "agentId" in of ? of.agentId : of.organizationId;
    return this.database.reading("load", bounded, ({ query }) =>
      query
        .select({ organizationId: mission.organizationId, id: mission.id })
        .from(mission)
        .where(and(isOf, isNull(mission.deletedAt), isLater))
        .orderBy(asc(mission.organizationId), asc(mission.id))
        .limit(limit),
    );
  }
}
