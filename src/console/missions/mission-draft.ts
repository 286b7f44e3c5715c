/** The fields of a mission that a person edits, as `PATCH /api/missions/{id}` takes them. */
import type {
  CreateMissionRequest,
  Mission,
  MissionBudgetInput,
  MissionScheduleInput,
} from "../../../sdk/typescript/troupe.ts";
import { fieldsLike } from "../pieces/edited-fields.ts";

export type MissionDraft = Required<Omit<CreateMissionRequest, "metadata" | "schedule" | "budget">> & {
  readonly schedule: Required<MissionScheduleInput>;
  readonly budget: Required<MissionBudgetInput>;
};

export const NEW_MISSION: MissionDraft = {
  title: "",
  goal: "",
  agent_id: "",
  workspace_id: "",
  visibility: "organization",
  priority: "medium",
  schedule: {
    type: "none",
    value: null,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    start_at: null,
    end_at: null,
    max_runs: null,
    overlap: "skip",
    catchup_window_seconds: 60,
    jitter_seconds: 0,
  },
  review_required: false,
  budget: { max_tokens: null, max_cost: null, max_steps: null },
  model_settings: null,
};

export const missionDraftOf = (mission: Mission): MissionDraft =>
  fieldsLike<MissionDraft>(NEW_MISSION, {
    ...mission,
    schedule: fieldsLike<MissionDraft["schedule"]>(NEW_MISSION.schedule, mission.schedule),
  });
