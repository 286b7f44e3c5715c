/**
 * The tools of a job that works for a mission (RUN-2): they read that mission, add tasks to it and finish
 * them. No other job has them, and none reaches another mission, so they need no entry in `allowed_tools`.
 */
import { visibleText } from "../../../actors/visible-text.ts";
import type { Outcome } from "../../../actors/fault.ts";
import type { ToolContext } from "../../../actors/job/ports.ts";
import type { TaskSettings } from "../../../actors/mission/protocol.ts";
import { type Mission, MISSION_TASKS, type MissionTask } from "../../../actors/mission/schema.ts";
import { TASK_PRIORITIES } from "../../../actors/organization/schema.ts";
import { OneOf, Type } from "../../../actors/schema.ts";
import { decidedResult, defineTool, type Tool, type ToolSource } from "./tool.ts";

const MAX_MISSION_TASK_TITLE = 200;
const MAX_MISSION_TASK_DESCRIPTION = 2_000;

/** The mission of the job of this context, with the permissions of its user. */
export interface MissionService {
  read(context: ToolContext): Promise<Outcome<Mission>>;
  /** Adds one task per key. */
  addTask(context: ToolContext, settings: TaskSettings, key: string): Promise<Outcome<MissionTask>>;
  /** Completes the task. Idempotent. */
  finishTask(context: ToolContext, taskId: string): Promise<Outcome<MissionTask>>;
}

/** The tools themselves. */
export const missionToolsOf = (service: MissionService): readonly Tool[] => [
  readMissionTool(service),
  addTask(service),
  finishTask(service),
];

export function missionTools(service: MissionService): ToolSource {
  const tools = missionToolsOf(service);
  const names = new Set(tools.map(({ name }) => name));
  return {
    find: (_agent, { missionId }) =>
      Promise.resolve({
        tools: missionId === null ? [] : tools,
        missing: { required: [], optional: [] },
        notes: [],
        whyMissing: (name) => (names.has(name) ? `${name} is available only in the runs of a mission.` : null),
      }),
  };
}

const readMissionTool = (service: MissionService): Tool =>
  defineTool({
    name: "read_mission",
    description: "The mission that this job works for: its goal, its tasks and the results of its last runs.",
    input: Type.Object({}),
    access: "safe",
    reads: "own_work",
    safeToRepeat: true,
    readOnly: true,
    run: (_, call) =>
      decidedResult(
        call,
        () => service.read(call.context),
        ({ title, goal, status, scheduleText, tasks, results }) => ({
          title,
          goal,
          status,
          schedule: scheduleText,
          tasks: tasks.map(missionTaskForModel),
          results,
        }),
      ),
  });

const addTask = (service: MissionService): Tool =>
  defineTool({
    name: "add_mission_task",
    description: "Adds a task to the mission that this job works for. It is pending and starts nothing by itself.",
    input: Type.Object({
      title: Type.String({ minLength: 1, maxLength: MAX_MISSION_TASK_TITLE }),
      description: Type.Optional(Type.String({ maxLength: MAX_MISSION_TASK_DESCRIPTION })),
      priority: Type.Optional(OneOf(TASK_PRIORITIES, { description: "medium by default" })),
      depends_on: Type.Optional(
        Type.Array(Type.String(), {
          maxItems: MISSION_TASKS,
          description: "Ids of tasks that must be completed first",
        }),
      ),
    }),
    access: "safe",
    reads: "own_work",
    safeToRepeat: true,
    run({ title, description, priority, depends_on }, call) {
      const settings: TaskSettings = {
        title: visibleText(title),
        description: description === undefined ? null : visibleText(description),
        priority: priority ?? "medium",
        assignedTo: null,
        dependsOn: [...new Set(depends_on)],
      };
      return decidedResult(
        call,
        () => service.addTask(call.context, settings, call.idempotencyKey),
        (task) => ({ task: missionTaskForModel(task) }),
      );
    },
  });

const finishTask = (service: MissionService): Tool =>
  defineTool({
    name: "finish_mission_task",
    description: "Completes a task of the mission that this job works for.",
    input: Type.Object({ task_id: Type.String({ description: "The task's id, such as mtk_…" }) }),
    access: "safe",
    reads: "own_work",
    safeToRepeat: true,
    run: ({ task_id: taskId }, call) =>
      decidedResult(
        call,
        () => service.finishTask(call.context, taskId),
        (task) => ({ task: missionTaskForModel(task) }),
      ),
  });

/** A task as a model sees it. */
const missionTaskForModel = ({ id, title, description, status, priority, dependsOn }: MissionTask) => ({
  id,
  title,
  description,
  status,
  priority,
  depends_on: dependsOn,
});
