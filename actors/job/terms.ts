/** The terms of a job: what it was asked for, what it waits for, how it was stopped (JOB-3, JOB-5, JOB-8). */
import { type JsonObject, OneOf, type Static, Timestamp, Type } from "../schema.ts";

const OptionalTime = Type.Union([Timestamp, Type.Null()]);

/** `<server>__*` in a list of tools names all of one MCP server. */
const ALL = "__*";

/** Whether a list of tools names this one, by itself or with all of its server. */
export const namesTool = (list: readonly string[], name: string): boolean =>
  list.some((entry) => entry === name || (entry.endsWith(ALL) && name.startsWith(entry.slice(0, -1))));

/** A tool call of the present step whose result is not committed yet. */
export const OpenCall = Type.Object({
  id: Type.String(),
  name: Type.String(),
  /** When its step was committed: the same in each attempt. Absent in calls of former versions. */
  openedAt: Type.Optional(Type.String()),
  /** Whether it may simply be made again after a crash. */
  safe: Type.Boolean(),
  /** Whether it may have been made: committed before it is (JOB-7). */
  started: Type.Boolean(),
  /** The job that it has delegated to and waits for. */
  childJobId: Type.Union([Type.String(), Type.Null()]),
  /** Whether a person must allow it first (JOB-8). */
  asks: Type.Boolean(),
  /** While it asks, its arguments; after that, what a person has changed them to, if anything. */
  arguments: Type.Union([Type.Unsafe<JsonObject>({ type: "object" }), Type.Null()]),
});
export type OpenCall = Static<typeof OpenCall>;

/** What becomes of a call, or of its job, that nobody has decided about in time. */
export const ON_EXPIRY = ["deny", "cancel"] as const;
/** Seconds that an approval may be set to wait: nobody decides within less, and nothing waits for ever. */
const SHORTEST_EXPIRY = 60;
const LONGEST_EXPIRY = 30 * 24 * 60 * 60;
/** How long the approvals of an agent wait for a person, and what becomes of them then (JOB-8). */
export const ApprovalExpiry = Type.Object({
  afterSeconds: Type.Integer({ minimum: SHORTEST_EXPIRY, maximum: LONGEST_EXPIRY }),
  onExpiry: OneOf(ON_EXPIRY),
});
export type ApprovalExpiry = Static<typeof ApprovalExpiry>;
export const USUAL_EXPIRY: ApprovalExpiry = { afterSeconds: 24 * 60 * 60, onExpiry: "deny" };

/** How a wait for a person ended: `expired` by time, or by the job's own end. */
export const APPROVAL_DECISIONS = ["approve", "deny", "expired"] as const;

/** A call that waits for a person (JOB-8). */
export const Approval = Type.Object({
  id: Type.String(),
  toolName: Type.String(),
  toolCallId: Type.String(),
  arguments: Type.Unsafe<JsonObject>({ type: "object" }),
  message: Type.String(),
  expiresAt: Timestamp,
  onExpiry: OneOf(ON_EXPIRY),
});
export type Approval = Static<typeof Approval>;

export const REVIEW_STATES = ["none", "pending", "approved", "changes_requested", "expired"] as const;
export const Review = Type.Object({
  state: OneOf(REVIEW_STATES),
  required: Type.Boolean(),
  requestedAt: OptionalTime,
  expiresAt: OptionalTime,
  decidedBy: Type.Union([Type.String(), Type.Null()]),
  decidedAt: OptionalTime,
  comment: Type.Union([Type.String(), Type.Null()]),
});
export type Review = Static<typeof Review>;

/** From the lowest to the highest: within an organization the higher one runs first (JOB-10). */
export const JOB_PRIORITIES = ["low", "medium", "high", "urgent"] as const;
export type JobPriority = (typeof JOB_PRIORITIES)[number];

export const RELATIONS = ["root", "iteration", "resume", "delegation"] as const;
/** Where a job comes from: the jobs of one lineage have one root. */
export const Lineage = Type.Object({
  parentJobId: Type.Union([Type.String(), Type.Null()]),
  /** Null for a root: its own id. */
  rootJobId: Type.Union([Type.String(), Type.Null()]),
  relation: OneOf(RELATIONS),
  iteration: Type.Integer(),
  /** How many delegations lie between it and its root. */
  depth: Type.Integer(),
});
export type Lineage = Static<typeof Lineage>;
export const ROOT: Lineage = { parentJobId: null, rootJobId: null, relation: "root", iteration: 0, depth: 0 };

export const Budget = Type.Object({
  maxTokens: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  maxSteps: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  deadlineAt: OptionalTime,
});
export type Budget = Static<typeof Budget>;

/** How a cancelled job stopped (JOB-3): after `seq` it emits nothing. */
export const Stop = Type.Object({
  seq: Type.Integer(),
  toolCallsAborted: Type.Integer(),
});

/** How far a job is, as whoever works says: percent from 0 to 100, and what is being done. */
export const Progress = Type.Object({
  percent: Type.Union([Type.Number({ minimum: 0, maximum: 100 }), Type.Null()]),
  label: Type.Union([Type.String(), Type.Null()]),
});
export type Progress = Static<typeof Progress>;
export const NO_PROGRESS: Progress = { percent: null, label: null };
