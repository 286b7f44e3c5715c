/**
 * The states of a task, as a pure and total table: status × action → next status, or null where the
 * action is refused.
 *
 *   pending ──start──▶ in_progress ──complete──▶ completed
 *      │ ▲                │  │
 *      │ └─────pause──────┘  │
 *      └──────────cancel─────┴──▶ cancelled
 */
import type { TaskStatus } from "./schema.ts";

export const TASK_ACTIONS = ["start", "pause", "complete", "cancel"] as const;
export type TaskAction = (typeof TASK_ACTIONS)[number];

type Row = Readonly<Record<TaskAction, TaskStatus | null>>;
const NOTHING: Row = { start: null, pause: null, complete: null, cancel: null };

export const TASK_MACHINE: Readonly<Record<TaskStatus, Row>> = {
  pending: { ...NOTHING, start: "in_progress", cancel: "cancelled" },
  in_progress: { ...NOTHING, pause: "pending", complete: "completed", cancel: "cancelled" },
  completed: NOTHING,
  cancelled: NOTHING,
};

/** What may be done with a task in this status. */
export const taskActions = (status: TaskStatus): readonly TaskAction[] =>
  TASK_ACTIONS.filter((action) => TASK_MACHINE[status][action] !== null);

/** Whether a status may follow another; a status may always stay as it is. */
export const mayBecome = (from: TaskStatus, to: TaskStatus): boolean =>
  from === to || TASK_ACTIONS.some((action) => TASK_MACHINE[from][action] === to);
