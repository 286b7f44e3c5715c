/**
 * Records of the nouns. All of these tables have one shape, so that the flush does not depend on any of them: the
 * organization, the id, the version and the one before it, and the record itself as JSON. Columns that lists filter or
 * sort by are stored generated columns over the record, so that they can never disagree with it. Times are ISO 8601
 * texts in one fixed form, whose order is that of the times. `position` breaks ties of lists within a millisecond, in
 * the order of the commits.
 */
import { type BuildExtraConfigColumns, type SQL, sql } from "drizzle-orm";
import {
  bigint,
  customType,
  index,
  integer,
  jsonb,
  type PgColumnBuilderBase,
  pgTable,
  type PgTableExtraConfigValue,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";

/** The columns of every table of records. */
const columns = {
  organizationId: text("organization_id").notNull(),
  id: text("id").notNull(),
  version: integer("version").notNull(),
  /** The version on which the last write was based; the flush compares it with the stored one (`db/flush.ts`). */
  baseVersion: integer("base_version").notNull().default(0),
  body: jsonb("body").notNull(),
};

/** A table of records, with its own columns and indexes. */
export const recordTable = <N extends string, C extends Record<string, PgColumnBuilderBase>>(
  name: N,
  own: C,
  indexes: (t: BuildExtraConfigColumns<N, typeof columns & C, "pg">) => PgTableExtraConfigValue[] = () => [],
) =>
  pgTable(name, { ...columns, ...own }, (t) => {
    const { organizationId, id } = t as unknown as BuildExtraConfigColumns<N, typeof columns, "pg">;
    return [primaryKey({ columns: [organizationId, id] }), ...indexes(t)];
  });

type IndexedColumn = Parameters<ReturnType<typeof index>["on"]>[0];
interface ListedColumns {
  readonly organizationId: IndexedColumn;
  readonly createdAt: IndexedColumn;
  readonly id: IndexedColumn;
}
/** An index for lists of an organization, filtered `by` these columns, the newest record first. */
const newest = (name: string, { organizationId, createdAt, id }: ListedColumns, ...by: readonly IndexedColumn[]) =>
  index(name).on(organizationId, ...by, createdAt, id);
/** The same without deleted records. */
const newestKept = (...of: Parameters<typeof newest>) => newest(...of).where(sql`deleted_at is null`);

const field = (name: string): SQL => sql.raw(`(body ->> '${name}')`);
export const generatedField = (column: string, name: string) => text(column).generatedAlwaysAs(field(name));
/** For a value that is not text; null for an empty object, which no search needs. */
const generatedJson = (column: string, name: string) =>
  jsonb(column).generatedAlwaysAs(sql.raw(`(nullif(body -> '${name}', '{}'::jsonb))`));
/**
 * The words of a text and its organization, for a GIN index: one look-up finds the texts of one organization, however
 * common its words are elsewhere (`db/stores/words.ts`). A column instead of an expression of the index, so that an
 * update that does not change it does not touch the index.
 */
const searchWords = (text: string): string =>
  `(array_to_tsvector(array['org:' || organization_id]) || to_tsvector('simple'::regconfig, coalesce(${text}, '')))`;
export const tsvectorColumn = customType<{ data: string }>({ dataType: () => "tsvector" });
const wordsColumn = (of: string) => tsvectorColumn("words").generatedAlwaysAs(sql.raw(of));
/** Longer messages are indexed only up to here. */
const INDEXED_CHARACTERS = 16_384;
/** A message that is being written is not indexed: each change would change the index. */
const WRITTEN_WORDS = `(case when body ->> 'status' <> 'streaming' then ${searchWords(`left(body ->> 'content', ${INDEXED_CHARACTERS})`)} end)`;
/**
 * A GIN index appends new rows to a list. Each search reads the list, and the commit that makes it longer than this, in
 * KiB, moves it into the index. PostgreSQL's default is four times as much.
 */
export const SHORT_PENDING_LIST = { gin_pending_list_limit: 1024 };
const position = bigint("position", { mode: "number" }).generatedAlwaysAsIdentity();
export const createdAtColumn = generatedField("created_at", "createdAt");
/** When an ended record last changed; null before its end. The sweep visits records in this order. */
const atRestSince = (end: string) =>
  text("at_rest_since").generatedAlwaysAs(
    sql.raw(`(case when body ->> '${end}' is not null then body ->> 'updatedAt' end)`),
  );

export const organization = recordTable("organization", { createdAt: createdAtColumn });

export const member = recordTable(
  "member",
  { createdAt: createdAtColumn, email: generatedField("email", "email") },
  (t) => [
    index("member_email").on(sql`lower(email)`),
    index("member_person").on(t.id),
    newest("member_newest", t),
    index("member_removed")
      .on(t.organizationId, t.id)
      .where(sql`body ->> 'status' = 'removed'`),
  ],
);

export const token = recordTable(
  "token",
  {
    createdAt: createdAtColumn,
    hash: generatedField("hash", "hash"),
    kind: generatedField("kind", "kind"),
    userId: generatedField("user_id", "userId"),
    /** When a session or `oauth` credential ends; null for named ones, which are kept. */
    sweptAfter: text("swept_after").generatedAlwaysAs(
      sql.raw(`(case when body ->> 'kind' in ('session', 'oauth') then body ->> 'expiresAt' end)`),
    ),
  },
  (t) => [
    index("token_hash").on(t.hash),
    newest("token_kind", t, t.kind),
    newest("token_user", t, t.userId, t.kind),
    index("token_swept")
      .on(t.sweptAfter)
      .where(sql`swept_after is not null`),
  ],
);

export const agent = recordTable(
  "agent",
  {
    createdAt: createdAtColumn,
    position,
    status: generatedField("status", "status"),
    visibility: generatedField("visibility", "visibility"),
    createdBy: generatedField("created_by", "createdBy"),
    source: generatedField("source", "source"),
    tags: generatedJson("tags", "tags"),
    words: wordsColumn(searchWords("body ->> 'name'")),
  },
  (t) => [
    index("agent_id").on(t.id),
    newest("agent_visible", t, t.visibility).where(sql`status = 'active'`),
    newest("agent_source", t, t.source, t.visibility).where(sql`status = 'active'`),
    newest("agent_creator_source", t, t.createdBy, t.source, t.visibility).where(sql`status = 'active'`),
    index("agent_tags").using("gin", t.tags.op("jsonb_path_ops")).with(SHORT_PENDING_LIST),
    index("agent_words").using("gin", t.words).with(SHORT_PENDING_LIST),
    newest("agent_creator", t, t.createdBy, t.visibility).where(sql`status = 'active'`),
  ],
);

export const task = recordTable(
  "task",
  {
    createdAt: createdAtColumn,
    position,
    status: generatedField("status", "status"),
    assignedTo: generatedField("assigned_to", "assignedTo"),
    workspaceId: generatedField("workspace_id", "workspaceId"),
    deletedAt: generatedField("deleted_at", "deletedAt"),
  },
  (t) => [
    newestKept("task_newest", t),
    newestKept("task_status", t, t.status),
    newestKept("task_assignee", t, t.assignedTo, t.status),
    newestKept("task_workspace", t, t.workspaceId, t.status),
    newest("task_assignee_workspace", t, t.assignedTo, t.workspaceId, t.status).where(
      sql`assigned_to is not null and workspace_id is not null and deleted_at is null`,
    ),
  ],
);

export const chat = recordTable(
  "chat",
  {
    createdAt: createdAtColumn,
    status: generatedField("status", "status"),
    agentId: generatedField("agent_id", "agentId"),
    workspaceId: generatedField("workspace_id", "workspaceId"),
    deletedAt: generatedField("deleted_at", "deletedAt"),
    pinned: text("pinned").generatedAlwaysAs(sql.raw(`(body -> 'options' ->> 'pinned')`)),
    words: wordsColumn(searchWords("body -> 'options' ->> 'title'")),
    atRestSince: atRestSince("deletedAt"),
  },
  (t) => [
    newestKept("chat_newest", t),
    newest("chat_pinned", t).where(sql`deleted_at is null and pinned = 'true'`),
    index("chat_words").using("gin", t.words).with(SHORT_PENDING_LIST),
    newestKept("chat_status", t, t.status),
    newestKept("chat_agent", t, t.agentId, t.status),
    newestKept("chat_workspace", t, t.workspaceId, t.status),
    index("chat_at_rest")
      .on(t.atRestSince, t.organizationId, t.id)
      .where(sql`at_rest_since is not null`),
  ],
);

export const message = recordTable(
  "message",
  {
    chatId: generatedField("chat_id", "chatId"),
    seq: integer("seq").generatedAlwaysAs(sql.raw(`((body ->> 'seq')::integer)`)),
    status: generatedField("status", "status"),
    words: wordsColumn(WRITTEN_WORDS),
  },
  (t) => [
    index("message_order").on(t.organizationId, t.chatId, t.seq),
    index("message_words")
      .using("gin", t.words)
      .with(SHORT_PENDING_LIST)
      .where(sql`words is not null`),
  ],
);

export const dayUsage = recordTable(
  "day_usage",
  {
    day: generatedField("day", "day"),
    agentId: generatedField("agent_id", "agentId"),
    model: generatedField("model", "model"),
  },
  (t) => [index("day_usage_day").on(t.organizationId, t.day)],
);

export const monthUsage = recordTable("month_usage", {});

export const tokenBudget = recordTable("token_budget", {});

export const job = recordTable(
  "job",
  {
    createdAt: createdAtColumn,
    status: generatedField("status", "status"),
    chatId: generatedField("chat_id", "chatId"),
    agentId: text("agent_id").generatedAlwaysAs(sql.raw(`(body -> 'agent' ->> 'id')`)),
    workspaceId: generatedField("workspace_id", "workspaceId"),
    missionId: generatedField("mission_id", "missionId"),
    parentJobId: generatedField("parent_job_id", "parentJobId"),
    rootJobId: generatedField("root_job_id", "rootJobId"),
    metadata: generatedJson("metadata", "metadata"),
    atRestSince: atRestSince("completedAt"),
  },
  (t) => [
    newest("job_newest", t),
    newest("job_status", t, t.status),
    newest("job_agent", t, t.agentId, t.status),
    newest("job_workspace", t, t.workspaceId, t.status),
    newest("job_chat", t, t.chatId),
    newest("job_mission", t, t.missionId).where(sql`mission_id is not null`),
    newest("job_parent", t, t.parentJobId).where(sql`parent_job_id is not null`),
    index("job_root").on(t.organizationId, t.rootJobId),
    // Without a list of rows that are not in the index yet: each look-up would read all of it.
    index("job_metadata")
      .using("gin", t.metadata.op("jsonb_path_ops"))
      .with({ fastupdate: false })
      .where(sql`metadata is not null`),
    index("job_at_rest")
      .on(t.atRestSince, t.organizationId, t.id)
      .where(sql`at_rest_since is not null`),
  ],
);

export const mission = recordTable(
  "mission",
  {
    createdAt: createdAtColumn,
    status: generatedField("status", "status"),
    agentId: generatedField("agent_id", "agentId"),
    workspaceId: generatedField("workspace_id", "workspaceId"),
    deletedAt: generatedField("deleted_at", "deletedAt"),
  },
  (t) => [
    newestKept("mission_newest", t),
    newestKept("mission_status", t, t.status),
    newestKept("mission_of_agent", t, t.agentId, t.status),
    newestKept("mission_workspace", t, t.workspaceId, t.status),
    index("mission_agent").on(t.agentId, t.organizationId, t.id),
  ],
);

/** The ledger of missions. A constraint ensures that each time of a schedule is decided only once (MIS-4). */
export const missionRun = recordTable(
  "mission_run",
  {
    createdAt: createdAtColumn,
    missionId: generatedField("mission_id", "missionId"),
    scheduledAt: generatedField("scheduled_at", "scheduledAt"),
    outcome: generatedField("outcome", "outcome"),
  },
  (t) => [
    uniqueIndex("mission_run_scheduled").on(t.organizationId, t.missionId, t.scheduledAt),
    newest("mission_run_newest", t, t.missionId),
    newest("mission_run_outcome", t, t.missionId, t.outcome),
    index("mission_run_created").on(t.createdAt),
  ],
);

/** One row for each organization: sealed texts (RUN-5). */
export const secret = recordTable("secret", {});

/** Reservations of rate windows; a row that has not changed for some windows is expired. */
export const rateWindow = recordTable("rate_window", { updatedAt: generatedField("updated_at", "updatedAt") }, (t) => [
  index("rate_window_updated").on(t.updatedAt),
]);

/** Idempotency keys; the sweep deletes expired ones. */
export const idempotencyKey = recordTable(
  "idempotency_key",
  { expiresAt: generatedField("expires_at", "expiresAt") },
  (t) => [index("idempotency_key_expiry").on(t.expiresAt)],
);

/** Stored state of MCP client sessions, one row for each person; the sweep deletes expired rows. */
export const clientSessions = recordTable(
  "client_sessions",
  { expiresAt: generatedField("expires_at", "expiresAt") },
  (t) => [index("client_sessions_expiry").on(t.expiresAt)],
);

/** Where events go: the organization's destination, and the addresses of each job that tells its states. */
export const webhookDestination = recordTable("webhook_destination", {});

/** The next deliveries of an organization; one row. */
export const webhookFeed = recordTable("webhook_feed", {});

/** Events by number; the sweep deletes old ones. */
export const webhookEvent = recordTable(
  "webhook_event",
  {
    createdAt: createdAtColumn,
    sequence: integer("sequence").generatedAlwaysAs(sql.raw(`((body ->> 'sequence')::integer)`)),
    type: generatedField("type", "type"),
  },
  (t) => [
    uniqueIndex("webhook_event_sequence").on(t.organizationId, t.sequence),
    index("webhook_event_created").on(t.createdAt),
  ],
);

/** Attempts to deliver: the ledger, and the queue (those that are pending). */
export const webhookAttempt = recordTable(
  "webhook_attempt",
  {
    createdAt: createdAtColumn,
    status: generatedField("status", "status"),
    eventId: generatedField("event_id", "eventId"),
    eventType: generatedField("event_type", "eventType"),
    dueAt: generatedField("due_at", "dueAt"),
    sequence: integer("sequence").generatedAlwaysAs(sql.raw(`((body ->> 'sequence')::integer)`)),
  },
  (t) => [
    newest("webhook_attempt_newest", t),
    newest("webhook_attempt_status", t, t.status),
    newest("webhook_attempt_event", t, t.eventId),
    newest("webhook_attempt_type", t, t.eventType, t.status),
    index("webhook_attempt_waiting")
      .on(t.organizationId, t.dueAt, t.sequence)
      .where(sql`${t.status} = 'pending'`),
    index("webhook_attempt_created").on(t.createdAt),
  ],
);

/** The messengers of an organization, and how much it has sent; one row. */
export const reachBook = recordTable("reach", {});

/** What was sent about each approval; the sweep deletes old rows. */
export const reachQuestion = recordTable(
  "reach_question",
  { createdAt: createdAtColumn, jobId: generatedField("job_id", "jobId") },
  (t) => [
    newest("reach_question_newest", t),
    newest("reach_question_job", t, t.jobId),
    index("reach_question_created").on(t.createdAt),
  ],
);
