/**
 * What belongs to an organization in each table: an export contains it, and an erasure deletes it. A test compares this
 * with the existing tables, so that no new one is forgotten.
 */

/**
 * Tables whose rows belong to the organization in `organization_id`, in the order of an erasure. The last two say that
 * the organization exists and who its people are, so an interrupted erasure can start again. For each table: the fields
 * that an export leaves out, because they are credentials or secrets. Null: an export leaves out the whole table,
 * because it follows from the rest, belongs to one process, or expires within a day.
 */
export const ORGANIZATION_TABLES: Readonly<Record<string, readonly string[] | null>> = {
  actor_message: null,
  effect: null,
  alarm: null,
  idempotency_key: null,
  rate_window: null,
  client_sessions: null,
  event: [],
  message: [],
  job: [],
  chat: [],
  task: [],
  mission_run: [],
  mission: [],
  agent: [],
  webhook_attempt: [],
  webhook_event: [],
  webhook_feed: [],
  webhook_destination: ["secret", "formerSecret", "pushes.sealed"],
  reach: ["messengers.sealedUrl"],
  reach_question: ["notices.keyHashes"],
  day_usage: [],
  month_usage: [],
  token_budget: [],
  attachment: [],
  upload: [],
  workspace_text: null,
  workspace_share: ["hash", "passwordHash"],
  workspace_version: [],
  workspace_place: [],
  workspace_deleted_directory: null,
  workspace_selection: [],
  workspace: [],
  blob_claim: null,
  secret: ["secrets.sealed"],
  connection: ["tokens.sealed", "sealedClient", "consent"],
  audit_entry: [],
  oauth_grant: ["codeHash", "codeChallenge"],
  invitation: ["hash"],
  token: ["hash"],
  member: [],
  organization: [],
};

/** Fields of an account that no export contains. */
export const ACCOUNT_LEFT_OUT = ["passwordHash", "link", "passkeys.publicKey", "passkeys.id"] as const;

/** Tables of people, who may belong to several organizations: placed by the person, or by a hash of an identifier. */
export const PEOPLE_TABLES = ["account", "identity_owner", "sign_in_attempts"] as const;

/** Tables with no data of an organization, or only the fact that it was erased. */
export const SERVICE_TABLES = [
  "erasure",
  "oauth_client",
  "replica",
  "service_key",
  "shard",
  "sign_in_flow",
  "sweep_position",
] as const;

/** The record without these fields; `a.b` is the field `b` of the object `a`, or of each object in the list `a`. */
export function omitFields(record: unknown, fields: readonly string[]): unknown {
  if (Array.isArray(record)) return record.map((each) => omitFields(each, fields));
  if (typeof record !== "object" || record === null) return record;
  const left: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record)) {
    if (fields.includes(name)) continue;
    const inner = fields.filter((field) => field.startsWith(`${name}.`)).map((field) => field.slice(name.length + 1));
    left[name] = inner.length === 0 ? value : omitFields(value, inner);
  }
  return left;
}
