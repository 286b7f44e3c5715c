/**
 * Records of the nouns. All of these tables have one shape, so that the flush needs to know none of
 * them: the organization, the id, the version, and the record itself as JSON. What lists filter or
 * sort by is a stored generated column over the record, so that it can never disagree with it.
 * Times are ISO 8601 texts of one fixed form, which sort as times do. `position` breaks the ties of
 * lists within a millisecond, in the order of the commits.
 */
import { type SQL, sql } from "drizzle-orm";
import { bigint, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";

const columns = {
  organizationId: text("organization_id").notNull(),
  id: text("id").notNull(),
  version: integer("version").notNull(),
  body: jsonb("body").notNull(),
};

const field = (name: string): SQL => sql.raw(`(body ->> '${name}')`);
const generated = (column: string, name: string) => text(column).generatedAlwaysAs(field(name));
const position = bigint("position", { mode: "number" }).generatedAlwaysAsIdentity();
const createdAt = generated("created_at", "createdAt");
/** Since when a record has been as it is, once it has ended; null before. In this order the sweep comes to it. */
const atRestSince = (end: string) =>
  text("at_rest_since").generatedAlwaysAs(
    sql.raw(`(case when body ->> '${end}' is not null then body ->> 'updatedAt' end)`),
  );

export const organization = pgTable("organization", { ...columns, createdAt }, (t) => [
  primaryKey({ columns: [t.organizationId, t.id] }),
]);

export const member = pgTable("member", { ...columns, createdAt, email: generated("email", "email") }, (t) => [
  primaryKey({ columns: [t.organizationId, t.id] }),
  index("member_email").on(sql`lower(email)`),
]);

export const token = pgTable("token", { ...columns, createdAt, hash: generated("hash", "hash") }, (t) => [
  primaryKey({ columns: [t.organizationId, t.id] }),
  index("token_hash").on(t.hash),
]);

export const workspace = pgTable("workspace", { ...columns, createdAt }, (t) => [
  primaryKey({ columns: [t.organizationId, t.id] }),
]);

export const agent = pgTable(
  "agent",
  {
    ...columns,
    createdAt,
    position,
    status: generated("status", "status"),
    visibility: generated("visibility", "visibility"),
  },
  (t) => [
    primaryKey({ columns: [t.organizationId, t.id] }),
    index("agent_id").on(t.id),
    index("agent_newest").on(t.organizationId, t.createdAt, t.position),
  ],
);

export const task = pgTable(
  "task",
  {
    ...columns,
    createdAt,
    position,
    status: generated("status", "status"),
    assignedTo: generated("assigned_to", "assignedTo"),
    workspaceId: generated("workspace_id", "workspaceId"),
  },
  (t) => [
    primaryKey({ columns: [t.organizationId, t.id] }),
    index("task_newest").on(t.organizationId, t.createdAt, t.position),
    index("task_assignee").on(t.organizationId, t.assignedTo, t.createdAt),
  ],
);

export const chat = pgTable(
  "chat",
  {
    ...columns,
    createdAt,
    status: generated("status", "status"),
    agentId: generated("agent_id", "agentId"),
    workspaceId: generated("workspace_id", "workspaceId"),
    deletedAt: generated("deleted_at", "deletedAt"),
    atRestSince: atRestSince("deletedAt"),
  },
  (t) => [
    primaryKey({ columns: [t.organizationId, t.id] }),
    index("chat_newest").on(t.organizationId, t.createdAt, t.id),
    index("chat_at_rest")
      .on(t.atRestSince, t.organizationId, t.id)
      .where(sql`at_rest_since is not null`),
  ],
);

export const message = pgTable(
  "message",
  {
    ...columns,
    chatId: generated("chat_id", "chatId"),
    seq: integer("seq").generatedAlwaysAs(sql.raw(`((body ->> 'seq')::integer)`)),
    status: generated("status", "status"),
  },
  (t) => [
    primaryKey({ columns: [t.organizationId, t.id] }),
    index("message_order").on(t.organizationId, t.chatId, t.seq),
  ],
);

export const dayUsage = pgTable(
  "day_usage",
  {
    ...columns,
    day: generated("day", "day"),
    agentId: generated("agent_id", "agentId"),
    model: generated("model", "model"),
  },
  (t) => [primaryKey({ columns: [t.organizationId, t.id] }), index("day_usage_day").on(t.organizationId, t.day)],
);

export const monthUsage = pgTable("month_usage", columns, (t) => [primaryKey({ columns: [t.organizationId, t.id] })]);

export const tokenBudget = pgTable("token_budget", columns, (t) => [primaryKey({ columns: [t.organizationId, t.id] })]);

export const job = pgTable(
  "job",
  {
    ...columns,
    createdAt,
    status: generated("status", "status"),
    chatId: generated("chat_id", "chatId"),
    agentId: text("agent_id").generatedAlwaysAs(sql.raw(`(body -> 'agent' ->> 'id')`)),
    workspaceId: generated("workspace_id", "workspaceId"),
    missionId: generated("mission_id", "missionId"),
    parentJobId: generated("parent_job_id", "parentJobId"),
    rootJobId: generated("root_job_id", "rootJobId"),
    atRestSince: atRestSince("completedAt"),
  },
  (t) => [
    primaryKey({ columns: [t.organizationId, t.id] }),
    index("job_newest").on(t.organizationId, t.createdAt, t.id),
    index("job_chat").on(t.organizationId, t.chatId, t.createdAt),
    index("job_parent").on(t.organizationId, t.parentJobId),
    index("job_root").on(t.organizationId, t.rootJobId),
    index("job_at_rest")
      .on(t.atRestSince, t.organizationId, t.id)
      .where(sql`at_rest_since is not null`),
  ],
);

/** One row of an organization: sealed texts (RUN-5). */
export const secret = pgTable("secret", columns, (t) => [primaryKey({ columns: [t.organizationId, t.id] })]);

/** Reservations of rate windows; what has not changed for some windows has no meaning any more. */
export const rateWindow = pgTable(
  "rate_window",
  { ...columns, updatedAt: generated("updated_at", "updatedAt") },
  (t) => [primaryKey({ columns: [t.organizationId, t.id] }), index("rate_window_updated").on(t.updatedAt)],
);

/** Idempotency keys; the sweep takes them by their time. */
export const idempotencyKey = pgTable(
  "idempotency_key",
  { ...columns, expiresAt: generated("expires_at", "expiresAt") },
  (t) => [primaryKey({ columns: [t.organizationId, t.id] }), index("idempotency_key_expiry").on(t.expiresAt)],
);

/** Where an organization's events go; one row. */
export const webhookDestination = pgTable("webhook_destination", columns, (t) => [
  primaryKey({ columns: [t.organizationId, t.id] }),
]);

/** What comes next of an organization's deliveries; one row. */
export const webhookFeed = pgTable("webhook_feed", columns, (t) => [primaryKey({ columns: [t.organizationId, t.id] })]);

/** Events by their numbers; the sweep takes them by their time. */
export const webhookEvent = pgTable(
  "webhook_event",
  {
    ...columns,
    createdAt,
    sequence: integer("sequence").generatedAlwaysAs(sql.raw(`((body ->> 'sequence')::integer)`)),
    type: generated("type", "type"),
  },
  (t) => [
    primaryKey({ columns: [t.organizationId, t.id] }),
    uniqueIndex("webhook_event_sequence").on(t.organizationId, t.sequence),
    index("webhook_event_created").on(t.createdAt),
  ],
);

/** Attempts to deliver: the ledger, and with those that are pending the queue. */
export const webhookAttempt = pgTable(
  "webhook_attempt",
  {
    ...columns,
    createdAt,
    status: generated("status", "status"),
    eventId: generated("event_id", "eventId"),
    eventType: generated("event_type", "eventType"),
    dueAt: generated("due_at", "dueAt"),
    sequence: integer("sequence").generatedAlwaysAs(sql.raw(`((body ->> 'sequence')::integer)`)),
  },
  (t) => [
    primaryKey({ columns: [t.organizationId, t.id] }),
    index("webhook_attempt_newest").on(t.organizationId, t.createdAt, t.id),
    index("webhook_attempt_event").on(t.organizationId, t.eventId),
    index("webhook_attempt_waiting")
      .on(t.organizationId, t.dueAt, t.sequence)
      .where(sql`${t.status} = 'pending'`),
    index("webhook_attempt_created").on(t.createdAt),
  ],
);
