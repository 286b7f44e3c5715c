/**
 * The nouns that an organization owns: itself, its members and their tokens, its workspaces, its
 * agents and its tasks. The surfaces show views of these records; they never show them as they are.
 */
import { McpServer } from "../job/schema.ts";
import { ApprovalExpiry } from "../job/terms.ts";
import { type ActorRef, table } from "../runtime/actor.ts";
import { OneOf, RecordBase, type Static, Timestamp, Type } from "../schema.ts";

export const VISIBILITIES = ["private", "organization", "public", "unlisted"] as const;
export const INSTALL_STATES = ["available", "installed", "uninstalled"] as const;
export const TASK_STATUSES = ["pending", "in_progress", "completed", "cancelled"] as const;
export const TASK_PRIORITIES = ["low", "medium", "high", "urgent"] as const;
export const ROLES = ["owner", "member"] as const;
export const TOKEN_KINDS = ["personal", "service"] as const;

export type Visibility = (typeof VISIBILITIES)[number];
export type TaskStatus = (typeof TASK_STATUSES)[number];
export type TaskPriority = (typeof TASK_PRIORITIES)[number];
export type Role = (typeof ROLES)[number];
export type TokenKind = (typeof TOKEN_KINDS)[number];

const OptionalText = Type.Union([Type.String(), Type.Null()]);
const OptionalTime = Type.Union([Timestamp, Type.Null()]);

export const Organization = Type.Object({
  ...RecordBase,
  name: Type.String(),
  defaultWorkspaceId: Type.String(),
  /** User ids of its owners: never empty, or nobody could administer it any more. */
  owners: Type.Array(Type.String()),
});
export type Organization = Static<typeof Organization>;

/** A person in an organization. The id is the person's own: the same in every organization. */
export const Member = Type.Object({
  ...RecordBase,
  name: Type.String(),
  email: Type.String(),
  role: OneOf(ROLES),
  status: OneOf(["active", "removed"] as const),
});
export type Member = Static<typeof Member>;

/** A credential. The secret itself is never here: only its SHA-256, in hex (AUTH-1). */
export const Token = Type.Object({
  ...RecordBase,
  kind: OneOf(TOKEN_KINDS),
  name: Type.String(),
  hash: Type.String(),
  /** The last four characters, by which its owner recognises it. */
  hint: Type.String(),
  userId: Type.String(),
  scopes: Type.Array(Type.String()),
  expiresAt: Timestamp,
  lastUsedAt: OptionalTime,
  revokedAt: OptionalTime,
  /** The token that it was made with; null where the operator made it. */
  madeWith: Type.Optional(OptionalText),
});
export type Token = Static<typeof Token>;

export const Workspace = Type.Object({
  ...RecordBase,
  name: Type.String(),
  description: OptionalText,
  createdBy: Type.String(),
});
export type Workspace = Static<typeof Workspace>;

export const Agent = Type.Object({
  ...RecordBase,
  name: Type.String(),
  role: Type.String(),
  systemPrompt: Type.String(),
  visibility: OneOf(VISIBILITIES),
  description: OptionalText,
  status: OneOf(["active", "archived"] as const),
  /** Library agents come with the service; their settings are this organization's own (AGT-2). */
  source: OneOf(["private", "library"] as const),
  installState: OneOf(INSTALL_STATES),
  model: OptionalText,
  allowedTools: Type.Array(Type.String()),
  /** Tools whose calls wait for a person (JOB-8). */
  approvalTools: Type.Array(Type.String()),
  /** Absent: as is usual. */
  approvalExpiry: Type.Optional(ApprovalExpiry),
  mcpServers: Type.Array(McpServer),
  maxSteps: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  tags: Type.Array(Type.String()),
  createdBy: Type.String(),
});
export type Agent = Static<typeof Agent>;

export const Task = Type.Object({
  ...RecordBase,
  title: Type.String(),
  description: OptionalText,
  status: OneOf(TASK_STATUSES),
  priority: OneOf(TASK_PRIORITIES),
  /** An agent's or a user's id, kept as given (V1-7). */
  assignedTo: OptionalText,
  workspaceId: OptionalText,
  createdBy: Type.String(),
  completedAt: OptionalTime,
});
export type Task = Static<typeof Task>;

/** A value that only the service can read (RUN-5): what is stored of it opens under the service's key alone. */
export const Secret = Type.Object({
  name: Type.String(),
  sealed: Type.String(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Secret = Static<typeof Secret>;

/** All secrets of an organization, under the organization's id; sorted by name. */
export const SecretBook = Type.Object({ ...RecordBase, secrets: Type.Array(Secret) });
export type SecretBook = Static<typeof SecretBook>;

export const organizationTable = table<Organization>("organization");
export const memberTable = table<Member>("member");
export const tokenTable = table<Token>("token");
export const workspaceTable = table<Workspace>("workspace");
export const agentTable = table<Agent>("agent");
export const taskTable = table<Task>("task");
export const secretTable = table<SecretBook>("secret");

export const organizationRef = (id: string): ActorRef<"organization"> => ({
  kind: "organization",
  organizationId: id,
  id,
});
