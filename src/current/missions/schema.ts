/** The bodies of missions and their tasks (MIS-1, MIS-2, MIS-7), and the actor's settings from them. */
import { definedFields } from "../../../actors/changes.ts";
import { costLimitOf, GivenAmount } from "../cost.ts";
import { type InputError, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { MOST_STEPS } from "../../../actors/job/limits.ts";
import { JOB_PRIORITIES } from "../../../actors/job/terms.ts";
import type { MissionChanges, MissionTaskChanges } from "../../../actors/mission/protocol.ts";
import {
  MISSION_TASKS,
  MISSION_STATUSES,
  MISSION_VISIBILITIES,
  OVERLAPS,
  SCHEDULE_TYPES,
  type ScheduleSettings,
} from "../../../actors/mission/schema.ts";
import { TASK_PRIORITIES, TASK_STATUSES } from "../../../actors/organization/schema.ts";
import {
  FreeObject,
  type JsonObject,
  Nullable,
  OneOf,
  type Static,
  timeOf,
  type TSchema,
  Type,
} from "../../../actors/schema.ts";
import { NOT_BLANK } from "../../http/contract/body-schema.ts";
import { ModelSettingsShape, settingsOfBody } from "../../operations/model-settings.ts";
import { naming } from "../../http/contract/field.ts";
import { noun, recordNamed } from "../../http/contract/noun.ts";
import { withinMetadata } from "../../http/contract/limits.ts";

/** Characters. The tasks are part of the mission's record, so their texts are bounded. */
const MISSION_TITLE_CHARACTERS = 200;
const GOAL = 32_768;
const TASK_DESCRIPTION = 2_000;
const REASON = 500;
const MISSION_BODY_ID_CHARACTERS = 256;
/** A day: in any case jitter does not reach the next time. */
const LONGEST_JITTER_SECONDS = 86_400;
/** A year: with a longer window no run would ever be too late. */
const LONGEST_CATCHUP_SECONDS = 31_622_400;
const MOST_RUNS = 1_000_000_000;
const MOST_TOKENS = 1_000_000_000;

const GivenMissionId = Type.String({ pattern: NOT_BLANK, maxLength: MISSION_BODY_ID_CHARACTERS });
const optional = <S extends TSchema>(schema: S) => Type.Optional(schema);
const GivenTime = Nullable(Type.String({ maxLength: 64, description: "A time in ISO 8601, or null" }));

export const ScheduleBody = Type.Object(
  {
    type: optional(OneOf(SCHEDULE_TYPES)),
    value: optional(
      Nullable(
        Type.String({
          maxLength: 512,
          description:
            "`cron`: five fields or `@daily` and similar. `once`: a time in ISO 8601, local time of `timezone` without an offset. `continuous`: the pause between runs as a duration, such as `PT5M`",
        }),
      ),
    ),
    timezone: optional(Type.String({ maxLength: 64, description: "An IANA time zone; `UTC` by default" })),
    start_at: optional(GivenTime),
    end_at: optional(GivenTime),
    max_runs: optional(Nullable(Type.Integer({ minimum: 1, maximum: MOST_RUNS }))),
    overlap: optional(
      OneOf(OVERLAPS, {
        description: "What happens when a run is due while an earlier one is open; `skip` by default",
      }),
    ),
    catchup_window_seconds: optional(
      Type.Integer({
        minimum: 0,
        maximum: LONGEST_CATCHUP_SECONDS,
        description: "How many seconds late a run may start; 60 by default",
      }),
    ),
    jitter_seconds: optional(
      Type.Integer({
        minimum: 0,
        maximum: LONGEST_JITTER_SECONDS,
        description: "Maximum random delay of a run, in seconds; 0 by default",
      }),
    ),
  },
  {
    $id: "MissionSchedule",
    description: "When a mission runs; by default only when it is started by hand",
    examples: [{ type: "cron", value: "0 9 * * 1-5", timezone: "Europe/London" }],
  },
);

const missionSettings = {
  workspace_id: naming("workspace", optional(GivenMissionId)),
  visibility: optional(OneOf(MISSION_VISIBILITIES)),
  priority: optional(OneOf(JOB_PRIORITIES)),
  schedule: optional(ScheduleBody),
  review_required: optional(Type.Boolean()),
  budget: optional(
    noun("MissionBudget", "What each run may use; null is no limit of its own", {
      max_tokens: optional(Nullable(Type.Integer({ minimum: 1, maximum: MOST_TOKENS }))),
      max_cost: optional(Nullable(GivenAmount)),
      max_steps: optional(Nullable(Type.Integer({ minimum: 1, maximum: MOST_STEPS }))),
    }),
  ),
  metadata: optional(
    Type.Unsafe<JsonObject>({
      ...FreeObject,
      description: "Metadata of its jobs; at most 16 KiB as JSON",
    }),
  ),
  model_settings: optional(Nullable(ModelSettingsShape)),
};
const MissionTitle = Type.String({ pattern: NOT_BLANK, maxLength: MISSION_TITLE_CHARACTERS });
const Goal = Type.String({ pattern: NOT_BLANK, maxLength: GOAL });

/** `POST /api/missions`. */
export const CreateMissionBody = Type.Object(
  { title: MissionTitle, goal: Goal, agent_id: naming("agent", GivenMissionId), ...missionSettings },
  {
    examples: [
      {
        title: "Morning report",
        goal: "Summarize what has changed since yesterday.",
        agent_id: "agt_V1StGXR8_Z5jdHi6B-myT",
        schedule: { type: "cron", value: "0 9 * * 1-5", timezone: "Europe/London" },
      },
    ],
  },
);

/** `PATCH /api/missions/{id}`: absent fields stay unchanged. */
export const UpdateMissionBody = Type.Object(
  {
    title: optional(MissionTitle),
    goal: optional(Goal),
    agent_id: naming("agent", optional(GivenMissionId)),
    ...missionSettings,
    status: optional(
      OneOf(MISSION_STATUSES, { description: "`paused` pauses it, `pending` resumes it, `running` runs it now" }),
    ),
    paused_reason: optional(Nullable(Type.String({ maxLength: REASON }))),
  },
  { examples: [{ status: "paused", paused_reason: "Holidays" }] },
);
export type UpdateMissionBody = Static<typeof UpdateMissionBody>;

const missionTaskFields = {
  description: optional(Nullable(Type.String({ maxLength: TASK_DESCRIPTION }))),
  priority: optional(OneOf(TASK_PRIORITIES)),
  assigned_to: optional(Nullable(Type.String({ maxLength: MISSION_BODY_ID_CHARACTERS }))),
  depends_on: optional(Type.Array(GivenMissionId, { maxItems: MISSION_TASKS })),
};

/** `POST /api/missions/{id}/tasks`. */
export const AddTaskBody = Type.Object(
  { title: MissionTitle, ...missionTaskFields },
  { examples: [{ title: "Ask the team", priority: "high" }] },
);

/** `PATCH /api/missions/{id}/tasks/{taskId}`: absent fields stay unchanged. */
export const UpdateMissionTaskBody = Type.Object(
  {
    title: optional(MissionTitle),
    ...missionTaskFields,
    status: optional(OneOf(TASK_STATUSES)),
    position: optional(Type.Integer({ minimum: 0, maximum: MISSION_TASKS - 1 })),
  },
  { examples: [{ status: "in_progress" }] },
);

/** The schedule from a body; its times in the stored format. */
export function scheduleOf(body: Static<typeof ScheduleBody>): Outcome<Partial<ScheduleSettings>> {
  const errors: InputError[] = [];
  const time = (name: "start_at" | "end_at"): string | null | undefined => {
    const text = body[name];
    if (text === undefined || text === null) return text;
    const read = timeOf(text);
    const message = `\`${text}\` is not a time in ISO 8601; for example \`2026-12-01T00:00:00.000Z\``;
    if (read === null) errors.push({ path: `/schedule/${name}`, message });
    return read;
  };
  const given = definedFields({ ...recordNamed(body), startAt: time("start_at"), endAt: time("end_at") });
  return errors.length === 0 ? ok(given) : refuse({ kind: "invalid_schedule", errors });
}

/** The changes from a body; a budget is replaced as a whole. */
export function missionChanges(body: UpdateMissionBody): Outcome<MissionChanges> {
  const { schedule: given, budget, model_settings: settings, ...rest } = body;
  const fits = withinMetadata(rest.metadata ?? {});
  if (!fits.ok) return fits;
  const cost = costLimitOf(budget?.max_cost ?? null);
  if (!cost.ok) return cost;
  const schedule = given === undefined ? undefined : scheduleOf(given);
  if (schedule?.ok === false) return schedule;
  return ok(
    definedFields({
      ...recordNamed(rest),
      modelSettings: settingsOfBody(settings),
      schedule: schedule?.value,
      budget:
        budget === undefined
          ? undefined
          : { maxTokens: budget.max_tokens ?? null, ...cost.value, maxSteps: budget.max_steps ?? null },
    }),
  );
}

export function taskChangesOf(body: Static<typeof UpdateMissionTaskBody>): MissionTaskChanges {
  const { assigned_to: to, depends_on: needed, ...rest } = body;
  // An empty text names nobody, as for other tasks (V1-7).
  return definedFields({ ...rest, assignedTo: to === "" ? null : to, dependsOn: needed && [...new Set(needed)] });
}
