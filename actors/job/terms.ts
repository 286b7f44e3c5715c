/** The terms of a job: its input, its waits and how it stopped (JOB-3, JOB-5, JOB-8). */
import { Citations } from "./citation.ts";
import { InputBlocks } from "../upload/terms.ts";
import { JOB_STEERS } from "./limits.ts";
import {
  ApprovalPolicy,
  CallDecision,
  Deciders,
  LONGEST_EXPIRY,
  ON_EXPIRY,
  RuleExpiry,
  SHORTEST_EXPIRY,
} from "./approval-rule.ts";
import { CONNECTION_OWNERS, AuthClient } from "../connection/schema.ts";
import {
  FreeObject,
  type JsonObject,
  Nullable,
  NullableText,
  NullableTime,
  OneOf,
  type Static,
  Timestamp,
  Type,
} from "../schema.ts";

/** `<server>__*` in a list of tools names all of one MCP server. */
const ALL_OF_SERVER = "__*";

/** Whether a list of tools names this one, by itself or by a wildcard for its server. */
export const namesTool = (list: readonly string[], name: string): boolean =>
  list.some((entry) => entry === name || (entry.endsWith(ALL_OF_SERVER) && name.startsWith(entry.slice(0, -1))));

/** A tool call of the current step. */
export const OpenCall = Type.Object({
  id: Type.String(),
  name: Type.String(),
  /** When its step was committed: the same in each attempt. Absent in calls of earlier versions. */
  openedAt: Type.Optional(Type.String()),
  /** Whether it may be repeated after a crash. */
  safe: Type.Boolean(),
  /** Whether it may have run; committed before it runs (JOB-7). */
  started: Type.Boolean(),
  /** The job to which it has delegated and for which it waits. */
  childJobId: Type.Union([Type.String(), Type.Null()]),
  /** Whether a person must allow it first (JOB-8). */
  asks: Type.Boolean(),
  /** The client runs it and sends its result (JOB-17); absent: the service runs it. */
  isClient: Type.Optional(Type.Literal(true)),
  /** When the client was asked for its result. */
  requestedAt: Type.Optional(Type.String()),
  /**
   * The call's arguments while it waits for an approval or a client; afterwards a person's changed arguments, if any.
   */
  arguments: Type.Union([Type.Unsafe<JsonObject>({ type: "object" }), Type.Null()]),
  /**
   * The schema of its arguments while it waits for an approval, as the tool had it. Absent in calls of earlier
   * versions.
   */
  schema: Type.Optional(Type.Unsafe<JsonObject>({ type: "object" })),
  /** Why it is not made, in words for the model: they are its result. */
  refusal: Type.Optional(Type.String()),
  /** What decided about it, if the agent has approval rules. */
  decision: Type.Optional(CallDecision),
  /** The connection that it lacks and waits for (ACC-9); absent: none. */
  lacks: Type.Optional(Type.String()),
  /** The scopes with which it has waited already: a server that asks for the same again gets no second wait. */
  waitedFor: Type.Optional(Type.String()),
  /** Who decides about it, and until when, if a rule says so. */
  policy: Type.Optional(ApprovalPolicy),
  expiry: Type.Optional(RuleExpiry),
});
export type OpenCall = Static<typeof OpenCall>;
/** The calls of the step whose results are not all committed yet: `callsLeft` are those without one. */
export const StepCalls = Type.Object({
  openCalls: Type.Array(OpenCall),
  /** The ids of those that have a result. Absent in jobs of earlier versions: they have kept the others only. */
  endedCalls: Type.Optional(Type.Array(Type.String())),
});

/**
 * Whether providers are asked to cache the beginning of the agent's calls (RUN-30): for as long as suits the agent, not
 * at all, or for this long.
 */
export const PROMPT_CACHES = ["auto", "off", "5m", "1h"] as const;

/** What an agent may set; a rule may also escalate. */
export const AGENT_ON_EXPIRY = ["deny", "cancel", "keep"] as const satisfies readonly (typeof ON_EXPIRY)[number][];

/** How long an agent's approvals wait for a person, and what happens to them then (JOB-8). */
export const ApprovalExpiry = Type.Object({
  afterSeconds: Type.Integer({ minimum: SHORTEST_EXPIRY, maximum: LONGEST_EXPIRY }),
  onExpiry: OneOf(AGENT_ON_EXPIRY),
});
export type ApprovalExpiry = Static<typeof ApprovalExpiry>;
export const DEFAULT_EXPIRY: ApprovalExpiry = { afterSeconds: 24 * 60 * 60, onExpiry: "deny" };

/** In seconds. */
const SHORTEST_REMINDER = 60;
export const REMINDER_SECONDS = Type.Integer({ minimum: SHORTEST_REMINDER, maximum: LONGEST_EXPIRY });
/** Whose decision a link takes: of a person who has signed in, or of anybody who has it. */
export const APPROVAL_LINKS = ["signed_in", "anyone"] as const;
/**
 * How an agent's approvals reach people (REACH-1): whether a link needs a sign-in, and when those who were asked are
 * reminded; null: never.
 */
export const ApprovalReach = Type.Object({
  links: OneOf(APPROVAL_LINKS),
  remindAfterSeconds: Type.Union([REMINDER_SECONDS, Type.Null()]),
});
export type ApprovalReach = Static<typeof ApprovalReach>;
export const DEFAULT_REACH: ApprovalReach = { links: "signed_in", remindAfterSeconds: null };

/** How a wait for a person ended: `expired` by timeout, or by the job's own end. */
export const APPROVAL_DECISIONS = ["approve", "deny", "expired"] as const;

/** The approval of one person, where a call needs several. */
export const ApprovalVote = Type.Object({
  by: Type.String(),
  at: Timestamp,
  comment: Type.Union([Type.String(), Type.Null()]),
});
export type ApprovalVote = Static<typeof ApprovalVote>;

/** What a person is asked about a call. */
export const APPROVAL_QUESTION = {
  toolName: Type.String(),
  toolCallId: Type.String(),
  arguments: FreeObject,
  message: Type.String(),
  expiresAt: Timestamp,
  onExpiry: OneOf(ON_EXPIRY),
  /** What made the call wait, if the agent has approval rules. */
  askedBy: Type.Optional(CallDecision),
  /** Who decides (APR-7); absent: any member who sees the job. */
  policy: Type.Optional(ApprovalPolicy),
};

/** A call that waits, or has waited, for a person (JOB-8). */
export const Approval = Type.Object({
  id: Type.String(),
  ...APPROVAL_QUESTION,
  /** Who has approved so far, if it needs several people. */
  votes: Type.Optional(Type.Array(ApprovalVote)),
  /** Who decides once it has expired, and how long then. */
  escalation: Type.Optional(Type.Object({ to: Deciders, afterSeconds: Type.Integer() })),
  /** Absent or null while it is open. */
  decision: Type.Optional(Type.Union([OneOf(APPROVAL_DECISIONS), Type.Null()])),
  /** A user's id; null if a timeout or the job's end decided. */
  decidedBy: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  decidedAt: Type.Optional(NullableTime),
});
export type Approval = Static<typeof Approval>;

/** A connection that a run lacks, with the link where the person gives it (ACC-9). */
const CONNECTION_ID = Type.String({ description: "Id of the connection" });
const CONNECTION_NEED = {
  name: Type.String({ description: "The MCP server or the tool that needs it" }),
  resource: Type.String({ description: "The address of the tool server" }),
  owner: OneOf(CONNECTION_OWNERS, {
    description: "Who can grant the connection: the person for whom the job acts, or an owner",
  }),
  scopes: Type.Array(Type.String(), { description: "Scopes that are asked for; empty: those that the server names" }),
  /** It has no secret. */
  link: Type.String({ description: "The page where the person grants or denies the connection" }),
};
export const ConnectionNeed = Type.Object({
  connectionId: CONNECTION_ID,
  ...CONNECTION_NEED,
  /** A user's id, or `organization`. */
  ownerId: Type.String(),
  resourceMetadata: NullableText,
  /** The client that was registered by hand; absent: the service registers itself. */
  client: Type.Optional(AuthClient),
});
export type ConnectionNeed = Static<typeof ConnectionNeed>;

/** As the event of a chat shows it. */
export const RequestedConnection = Type.Object({ connectionId: CONNECTION_ID, ...CONNECTION_NEED });
/** As it is in a list of an event, whose names are single words. */
export const ListedConnection = Type.Object({ id: CONNECTION_ID, ...CONNECTION_NEED });
export type ListedConnection = Static<typeof ListedConnection>;

/** How a wait for a connection ended: `expired` by timeout, or by the job's own end. */
export const AUTHORIZATION_OUTCOMES = ["connected", "denied", "expired"] as const;
export const Authorization = Type.Object({
  ...ConnectionNeed.properties,
  requestedAt: Timestamp,
  /** Null while the job waits. */
  outcome: Nullable(OneOf(AUTHORIZATION_OUTCOMES)),
  /** Why there is no connection; null if there is one, or while the job waits. */
  message: NullableText,
  /** How often this job has asked for it; absent: once. A resume counts anew. */
  asks: Type.Optional(Type.Integer({ minimum: 1 })),
});
export type Authorization = Static<typeof Authorization>;

export const isOpenAuthorization = ({ outcome }: Pick<Authorization, "outcome">): boolean => outcome === null;

export const REVIEW_STATES = ["none", "pending", "approved", "changes_requested", "expired"] as const;
export const Review = Type.Object({
  state: OneOf(REVIEW_STATES),
  required: Type.Boolean(),
  requestedAt: NullableTime,
  expiresAt: NullableTime,
  decidedBy: Type.Union([Type.String(), Type.Null()]),
  decidedAt: NullableTime,
  comment: Type.Union([Type.String(), Type.Null()]),
});
export type Review = Static<typeof Review>;

/** From the lowest to the highest: within an organization the higher one runs first (JOB-10). */
export const JOB_PRIORITIES = ["low", "medium", "high", "urgent"] as const;
export type JobPriority = (typeof JOB_PRIORITIES)[number];

export const RELATIONS = ["root", "iteration", "resume", "delegation"] as const;
/** The origin of a job: the jobs of one lineage share one root. */
export const Lineage = Type.Object({
  parentJobId: Type.Union([Type.String(), Type.Null()]),
  /** Null for a root job, which is its own root. */
  rootJobId: Type.Union([Type.String(), Type.Null()]),
  relation: OneOf(RELATIONS),
  iteration: Type.Integer(),
  /** How many delegations are between it and its root. */
  depth: Type.Integer(),
});
export type Lineage = Static<typeof Lineage>;
export const ROOT_LINEAGE: Lineage = { parentJobId: null, rootJobId: null, relation: "root", iteration: 0, depth: 0 };

export const Budget = Type.Object({
  maxTokens: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  /** An amount of `actors/money.ts`; absent or null: no limit. */
  maxCost: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  maxSteps: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  deadlineAt: NullableTime,
});
export type Budget = Static<typeof Budget>;
export const NO_BUDGET: Budget = { maxTokens: null, maxSteps: null, deadlineAt: null };

/** A job's budget, and the usage when that budget began: a resume grants the budget again. Absent values are 0. */
export const Budgeting = Type.Object({
  budget: Budget,
  /** Tokens. */
  budgetFrom: Type.Integer(),
  budgetFromStep: Type.Optional(Type.Integer()),
  budgetFromCost: Type.Optional(Type.String()),
  /** Tokens without a price. */
  budgetFromUnpriced: Type.Optional(Type.Integer()),
});

/** How a cancelled job stopped (JOB-3): after `seq` it emits nothing. */
export const Stop = Type.Object({
  seq: Type.Integer(),
  toolCallsAborted: Type.Integer(),
});

/** Why a running job waits; it continues by itself. */
export const WAIT_REASONS = [
  /** The provider limits requests, or asked for a pause. */
  "provider_rate_limited",
  /** The provider cannot be reached, fails or is silent. */
  "provider_unavailable",
  /** Tools of an MCP server that is not optional cannot be used. */
  "tools_unavailable",
  /** Calls that are in progress already use all memory for images and files. */
  "memory_limit",
] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];
/** A wait of a running job. It is stored, so that a restarted job waits only for the remaining time. */
export const RunWaiting = Type.Object({
  reason: OneOf(WAIT_REASONS),
  /** When the job retries; null if only the provider's limiter knows. */
  retryAt: NullableTime,
  /** How long the wait was when it began; in records since 0.3. */
  waitMs: Type.Optional(Type.Integer()),
  /** Used retries of this call, including the next one. */
  retries: Type.Integer(),
});
export type RunWaiting = Static<typeof RunWaiting>;

export const WARNING_CODES = [
  "tools_unavailable",
  "model_fallback",
  "model_without_tools",
  "answer_cut",
  "setting_ignored",
] as const;
/** Something that the job continued without, or did differently. `field`: the field of its input that it is about. */
export const Warning = Type.Object({
  code: OneOf(WARNING_CODES),
  message: Type.String(),
  field: Type.Optional(Type.String()),
  at: Timestamp,
});
export type Warning = Static<typeof Warning>;

/** The reported progress of a job: percent from 0 to 100, and the current activity. */
export const JobProgress = Type.Object(
  {
    percent: Type.Union([Type.Number({ minimum: 0, maximum: 100 }), Type.Null()]),
    label: Type.Union([Type.String(), Type.Null()]),
  },
  { $id: "JobProgress", description: "The progress of a job, as its tools report it" },
);
export type JobProgress = Static<typeof JobProgress>;
export const NO_PROGRESS: JobProgress = { percent: null, label: null };

/** A file in the result of a tool. */
export const MadeArtifact = Type.Object({
  id: Type.String({ description: "Id of the artifact: the same for all changes of one file by one job" }),
  kind: Type.Literal("file"),
  name: Type.String(),
  /** Relative to the job's workspace. */
  path: Type.String(),
  mime: Type.String(),
  size: Type.Integer({ minimum: 0, description: "Size in bytes" }),
});
export type MadeArtifact = Static<typeof MadeArtifact>;

export const Artifact = Type.Object({
  ...MadeArtifact.properties,
  /** The call that first wrote it. */
  callId: Type.String(),
});
export type Artifact = Static<typeof Artifact>;

/** Warnings, artifacts and authorizations of a job; absent in jobs of earlier versions, and if there are none. */
export const JobNotes = Type.Object({
  warnings: Type.Optional(Type.Array(Warning)),
  artifacts: Type.Optional(Type.Array(Artifact)),
  /** Connections for which it waits, or has waited. */
  authorizations: Type.Optional(Type.Array(Authorization)),
  /** The job writes a summary of its chat, not an answer (CHAT-11). */
  isCompaction: Type.Optional(Type.Literal(true)),
  /** The carrier of the trace that it belongs to (`actors/runtime/tracing.ts`). */
  trace: Type.Optional(Type.String()),
});

export const OutputSchema = Type.Optional(Type.Union([Type.Unsafe<JsonObject>({ type: "object" }), Type.Null()]));
/** An error of an answer, with its place as a JSON pointer (JOB-16). */
export const OutputError = Type.Object({ path: Type.String(), message: Type.String() });
export type OutputError = Static<typeof OutputError>;
/** The structured answer of a job; absent in jobs without a schema, and in those of earlier versions. */
export const StructuredOutput = Type.Object({
  outputSchema: OutputSchema,
  /** The value, checked against the schema, once the answer is complete. */
  output: Type.Optional(Type.Unsafe<JsonObject>({ type: "object" })),
  /** The citations of its result, as parts of it; absent: none. */
  citations: Citations,
  /** Answers that did not fit and were sent back to the model. */
  outputRepairs: Type.Optional(Type.Integer()),
});

/** The model that runs it; known when it starts. */
export const RunnerInfo = Type.Object({ provider: Type.String(), name: Type.String(), demo: Type.Boolean() });
export type RunnerInfo = Static<typeof RunnerInfo>;

/** A message that the model gets before its next call (CHAT-5). */
export const Steer = Type.Object({ messageId: Type.String(), content: Type.String(), blocks: InputBlocks });
export type Steer = Static<typeof Steer>;

/**
 * What the model got while it wrote its answer, before the block with this number: by a message that steered it, or in words
 * that are no message of the chat (a resume, a request to repair the answer).
 */
export const Interjection = Type.Object({
  at: Type.Integer(),
  messageId: Type.Optional(Type.String()),
  text: Type.Optional(Type.String()),
  blocks: InputBlocks,
});
export type Interjection = Static<typeof Interjection>;

/** The user's input to a job. */
export const JobInput = Type.Object({
  /** The text of the message that it answers; for a job that compacts, what its summary must keep. */
  input: Type.String(),
  inputBlocks: InputBlocks,
  /** Messages that the model gets before its next call. */
  steers: Type.Array(Steer, { maxItems: JOB_STEERS }),
});
