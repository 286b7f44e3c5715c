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

type TaskTransitions = Readonly<Record<TaskAction, TaskStatus | null>>;

/** Total: a new action does not compile until each status has an answer to it. */
export const TASK_MACHINE: Readonly<Record<TaskStatus, TaskTransitions>> = {
  pending: {
    start: "in_progress",
    pause: null,
    complete: null,
    cancel: "cancelled",
  },
  in_progress: {
    start: null,
    pause: "pending",
    complete: "completed",
    cancel: "cancelled",
  },
  completed: {
    start: null,
    pause: null,
    complete: null,
    cancel: null,
  },
  cancelled: {
    start: null,
    pause: null,
    complete: null,
    cancel: null,
  },
};

/** The allowed actions of a task in this status. */
const taskActions = (status: TaskStatus): readonly TaskAction[] =>
  TASK_ACTIONS.filter((action) => TASK_MACHINE[status][action] !== null);

/** The allowed verbs of a task in this status. Its texts and its assignee may always be changed. */
export const taskStatusVerbs = (status: TaskStatus): readonly string[] => [...taskActions(status), "update"];

/** Whether a status may follow another; setting the current status again is always allowed. */
export const mayBecome = (from: TaskStatus, to: TaskStatus): boolean =>
  from === to || TASK_ACTIONS.some((action) => TASK_MACHINE[from][action] === to);
