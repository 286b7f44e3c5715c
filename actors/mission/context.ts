/** The context of a job of a mission: the goal, the open tasks and the last results, as its first message. */
import type { Mission, MissionRun, MissionTask } from "./schema.ts";

const isOpenTask = ({ status }: MissionTask): boolean => status === "pending" || status === "in_progress";

/** The first message of a run. */
export function runContent(
  mission: Mission,
  { trigger, scheduledAt }: Pick<MissionRun, "trigger" | "scheduledAt">,
): string {
  const when =
    scheduledAt === null ? "started by hand" : `${trigger === "catchup" ? "late, " : ""}scheduled for ${scheduledAt}`;
  return sections([
    `This is run ${mission.runCount} of the mission "${mission.title}", ${when}.`,
    `Goal:\n${mission.goal}`,
    tasksOf(mission),
    resultsOf(mission),
  ]);
}

/** The first message of work on one task. */
export function taskContent(mission: Mission, task: MissionTask): string {
  return sections([
    `Work on one task of the mission "${mission.title}", and on nothing else.`,
    `Task ${task.id}: ${task.title}${task.description === null ? "" : `\n${task.description}`}`,
    `Goal of the mission:\n${mission.goal}`,
    resultsOf(mission),
  ]);
}

const sections = (texts: readonly (string | null)[]): string => texts.filter((text) => text !== null).join("\n\n");

function tasksOf({ tasks }: Mission): string | null {
  const open = tasks.filter(isOpenTask);
  if (open.length === 0) return null;
  const lines = open.map(({ id, title, status, priority, description, dependsOn }) => {
    const after = dependsOn.length === 0 ? "" : `, after ${dependsOn.join(", ")}`;
    return `- ${id} (${status}, ${priority}${after}): ${title}${description === null ? "" : `\n  ${description}`}`;
  });
  return `Open tasks:\n${lines.join("\n")}`;
}

function resultsOf({ results }: Mission): string | null {
  if (results.length === 0) return null;
  const lines = results.map(({ number, outcome, text }) => `Run ${number} (${outcome}): ${text}`);
  return `Last results, oldest first:\n${lines.join("\n")}`;
}
