/** The fields of a mission that a person edits, as `PATCH /api/missions/{id}` takes them. */
import type {
  CreateMissionRequest,
  Mission,
  MissionBudgetInput,
  MissionScheduleInput,
} from "../../../sdk/typescript/troupe.ts";

export type MissionDraft = Required<Omit<CreateMissionRequest, "metadata" | "schedule" | "budget">> & {
  readonly schedule: Required<MissionScheduleInput>;
  readonly budget: Required<MissionBudgetInput>;
};

export const missionDraftOf = (mission: Mission): MissionDraft => {
  const { type, value, timezone, start_at, end_at, max_runs, overlap, catchup_window_seconds, jitter_seconds } =
    mission.schedule;
  const times = { type, value, timezone, start_at, end_at, max_runs };
  return {
    title: mission.title,
    goal: mission.goal,
    agent_id: mission.agent_id,
    workspace_id: mission.workspace_id,
    visibility: mission.visibility,
    priority: mission.priority,
    schedule: { ...times, overlap, catchup_window_seconds, jitter_seconds },
    review_required: mission.review_required,
    budget: mission.budget,
    model_settings: mission.model_settings,
  };
};

export const newMission = (): MissionDraft => ({
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
});
