/** Implements the port of mission tools (`src/runner/tools/mission-tools.ts`) over the actors. */
import { mapOutcome, notFound } from "../../actors/fault.ts";
import type { ToolContext } from "../../actors/job/ports.ts";
import { missionRef } from "../../actors/mission/schema.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import type { MissionService } from "../runner/tools/mission-tools.ts";
import { keyedId } from "../work/prepared-work.ts";

export function actorMissionService(system: TroupeSystem): MissionService {
  const by = ({ userId }: ToolContext) => ({ userId, isOwner: false });
  const refOf = ({ organizationId, missionId }: ToolContext) =>
    missionId === null ? null : missionRef(organizationId, missionId);
  return {
    async read(context) {
      const ref = refOf(context);
      return ref === null ? notFound("mission") : system.dispatch(ref, { kind: "read_mission", by: by(context) });
    },

    async addTask(context, settings, key) {
      const ref = refOf(context);
      if (ref === null) return notFound("mission");
      const taskId = keyedId("mtk", { purpose: "mission_task", key });
      const added = await system.dispatch(ref, { kind: "add_task", by: by(context), settings, taskId });
      return mapOutcome(added, ({ task }) => task);
    },

    async finishTask(context, taskId) {
      const ref = refOf(context);
      if (ref === null) return notFound("mission");
      const finished = await system.dispatch(ref, { kind: "finish_task", by: by(context), taskId });
      return mapOutcome(finished, ({ task }) => task);
    },
  };
}
