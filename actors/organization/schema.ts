/**
 * The nouns that an organization owns: itself, its members and their tokens, its agents and its tasks. The surfaces
 * never show these records directly; they show views of them.
 */
import { AGENT_TERMS } from "../job/agent-terms.ts";
import { type ActorRef, table } from "../runtime/actor.ts";
import { NullableText, NullableTime, OneOf, RecordBase, type Static, Timestamp, Type } from "../schema.ts";

export const VISIBILITIES = ["private", "organization", "public", "unlisted"] as const;
export const INSTALL_STATES = ["available", "installed", "uninstalled"] as const;
export const TASK_STATUSES = ["pending", "in_progress", "completed", "cancelled"] as const;
export const TASK_PRIORITIES = ["low", "medium", "high", "urgent"] as const;
export const ROLES = ["owner", "member"] as const;
/** Kinds that a person creates by name and keeps. */
export const TOKEN_KINDS = ["personal", "service"] as const;
/**
 * All credentials of requests: `session` belongs to a signed-in browser, `oauth` to a program that a person has
 * authorized.
 */
export const CREDENTIAL_KINDS = [...TOKEN_KINDS, "session", "oauth"] as const;

export type Visibility = (typeof VISIBILITIES)[number];
export type TaskStatus = (typeof TASK_STATUSES)[number];
export type TaskPriority = (typeof TASK_PRIORITIES)[number];
export type Role = (typeof ROLES)[number];
export type TokenKind = (typeof TOKEN_KINDS)[number];
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

/** A group of members that decides about calls (APR-10). */
export const MemberGroup = Type.Object({
  name: Type.String(),
  /** Rises by one with each change. */
  version: Type.Integer({ minimum: 1 }),
  memberIds: Type.Array(Type.String()),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type MemberGroup = Static<typeof MemberGroup>;
/** Groups of one organization, and members of one group: their record is loaded for each request. */
export const MAX_GROUPS = 32;
export const MAX_GROUP_MEMBERS = 64;

/** How many removals of members the organization had seen; absent: none. It orders invitations and removals. */
const Removals = Type.Optional(Type.Integer({ minimum: 0 }));

export const Organization = Type.Object({
  ...RecordBase,
  name: Type.String(),
  defaultWorkspaceId: Type.String(),
  /** User ids of its owners. Never empty, or nobody could administer the organization any more. */
  owners: Type.Array(Type.String()),
  /** When the operator suspended it; absent or null: it is active. */
  suspendedAt: Type.Optional(NullableTime),
  removals: Removals,
  /** Groups of its members, by name; absent: none. */
  groups: Type.Optional(Type.Array(MemberGroup)),
  /** Quotas that differ from the service's defaults, by name; null: unlimited (QUOTA-1). */
  quotas: Type.Optional(Type.Record(Type.String(), Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]))),
});
export type Organization = Static<typeof Organization>;

/**
 * Of a member: how often the person has come back after a removal; absent: never. A credential has the number of the
 * membership in which it was made, and is valid in no later one, whether or not the removal found it.
 */
const Membership = Type.Optional(Type.Integer({ minimum: 0 }));

/** A person in an organization. The id is the person's own, the same in every organization. */
export const Member = Type.Object({
  ...RecordBase,
  name: Type.String(),
  email: Type.String(),
  role: OneOf(ROLES),
  status: OneOf(["active", "removed"] as const),
  membership: Membership,
  /** Whether the person wants no mail about approvals (REACH-4); absent: they get it. */
  noApprovalMails: Type.Optional(Type.Boolean()),
  /** The number of this member's last removal. */
  removal: Removals,
});
export type Member = Static<typeof Member>;

/** A credential. The secret itself is never here: only its SHA-256, in hex (AUTH-1). */
export const Token = Type.Object({
  ...RecordBase,
  kind: OneOf(CREDENTIAL_KINDS),
  name: Type.String(),
  hash: Type.String(),
  /** The last four characters of the secret, by which its owner recognizes it. */
  hint: Type.String(),
  userId: Type.String(),
  scopes: Type.Array(Type.String()),
  expiresAt: Timestamp,
  lastUsedAt: NullableTime,
  revokedAt: NullableTime,
  /** The token that created it; null if the operator did. */
  madeWith: Type.Optional(NullableText),
  /** The token with which it ends; absent or null: it depends on no token. */
  endsWith: Type.Optional(NullableText),
  /** The tokens that end with it, direct and indirect, while they are valid. */
  descendants: Type.Optional(Type.Array(Type.Object({ id: Type.String(), expiresAt: Timestamp }))),
  /** For an access token: its resource, and its grant. */
  audience: Type.Optional(NullableText),
  grantId: Type.Optional(NullableText),
  /** The remote address of its last recorded use. */
  lastAddress: Type.Optional(NullableText),
  membership: Membership,
});
export type Token = Static<typeof Token>;

/** A link that makes the person who opens it a member (AUTH-18). */
export const Invitation = Type.Object({
  ...RecordBase,
  email: Type.String(),
  role: OneOf(ROLES),
  hash: Type.String(),
  expiresAt: Timestamp,
  status: OneOf(["pending", "accepted", "revoked"] as const),
  /** How many there had been when it was made. */
  removals: Removals,
});
export type Invitation = Static<typeof Invitation>;

/** A person's grant to a program (MCP-2). */
export const Grant = Type.Object({
  ...RecordBase,
  clientId: Type.String(),
  clientName: Type.String(),
  userId: Type.String(),
  scopes: Type.Array(Type.String()),
  /** The address of the resource for its tokens (RFC 8707). */
  resource: Type.String(),
  redirectUri: Type.String(),
  status: OneOf(["offered", "active", "ended"] as const),
  codeHash: Type.String(),
  /** The S256 of the program's verifier (RFC 7636). */
  codeChallenge: Type.String(),
  codeExpiresAt: Timestamp,
  /** The number of the refresh token that is valid next; earlier ones were used. */
  generation: Type.Integer({ minimum: 0 }),
  /** When it was last redeemed or refreshed. */
  issuedAt: Type.Optional(Timestamp),
  expiresAt: Timestamp,
  accessTokenIds: Type.Array(Type.String()),
  membership: Membership,
});
export type Grant = Static<typeof Grant>;

/** The events of credentials and people that are audited (AUTH-17). */
export const AUDIT_ACTIONS = [
  "session.started",
  "session.ended",
  "session.refused",
  "password.set",
  "identity.linked",
  "identity.unlinked",
  "passkey.added",
  "passkey.removed",
  "token.created",
  "token.used",
  "token.revoked",
  "grant.created",
  "grant.ended",
  "grant.reused",
  "member.added",
  "member.changed",
  "member.removed",
  "invitation.created",
  "invitation.accepted",
  "invitation.revoked",
  "provider_key.set",
  "provider_key.removed",
  "group.set",
  "group.removed",
  "connection.made",
  "connection.ended",
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** One entry of the audit. It never changes. */
export const AuditEntry = Type.Object({
  ...RecordBase,
  action: OneOf(AUDIT_ACTIONS),
  /** The user; null: the operator. */
  userId: NullableText,
  /** The user's credential; null: none. */
  tokenId: NullableText,
  /** The remote address; null: none, as for the operator. */
  address: NullableText,
  /** The id of the affected token, user or invitation. */
  subjectId: NullableText,
  /** A detail for people: a token's name, a role. */
  detail: NullableText,
});
export type AuditEntry = Static<typeof AuditEntry>;

/** The workspace that a user has selected last (WSP-6), by the user's id. */
export const SelectedWorkspace = Type.Object({ ...RecordBase, workspaceId: Type.String() });
export type SelectedWorkspace = Static<typeof SelectedWorkspace>;

export const Agent = Type.Object({
  ...RecordBase,
  ...AGENT_TERMS,
  role: Type.String(),
  visibility: OneOf(VISIBILITIES),
  description: NullableText,
  status: OneOf(["active", "archived"] as const),
  /** Library agents come with the service; their settings are this organization's own (AGT-2). */
  source: OneOf(["private", "library"] as const),
  installState: OneOf(INSTALL_STATES),
  tags: Type.Array(Type.String()),
  createdBy: Type.String(),
  /** When the operator disabled it; absent or null: it may work. */
  disabledAt: Type.Optional(NullableTime),
});
export type Agent = Static<typeof Agent>;

export const Task = Type.Object({
  ...RecordBase,
  title: Type.String(),
  description: NullableText,
  status: OneOf(TASK_STATUSES),
  priority: OneOf(TASK_PRIORITIES),
  /** An agent's or a user's id, kept as given (V1-7). */
  assignedTo: NullableText,
  workspaceId: NullableText,
  createdBy: Type.String(),
  completedAt: NullableTime,
  /** Deleted tasks are kept, but no request finds them; absent or null: not deleted. */
  deletedAt: Type.Optional(NullableTime),
});
export type Task = Static<typeof Task>;

/** A value that only the service can read (RUN-5): it is stored encrypted with the service's key. */
export const Secret = Type.Object({
  name: Type.String(),
  sealed: Type.String(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Secret = Static<typeof Secret>;

/** The secret whose value calls of this provider use (RUN-5). */
export const ProviderKey = Type.Object({
  provider: Type.String(),
  secret: Type.String(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type ProviderKey = Static<typeof ProviderKey>;

/** All secrets of an organization and its provider keys, sorted, under the organization's id. */
export const SecretBook = Type.Object({
  ...RecordBase,
  secrets: Type.Array(Secret),
  providerKeys: Type.Optional(Type.Array(ProviderKey)),
});
export type SecretBook = Static<typeof SecretBook>;

/** Secrets of one organization. Even with the longest values their record stays under 512 KiB. */
export const MAX_SECRETS = 64;

export const organizationTable = table<Organization>("organization");
export const memberTable = table<Member>("member");
export const tokenTable = table<Token>("token");
export const invitationTable = table<Invitation>("invitation");
export const grantTable = table<Grant>("oauth_grant");
export const auditTable = table<AuditEntry>("audit_entry");
export const selectionTable = table<SelectedWorkspace>("workspace_selection");
export const agentTable = table<Agent>("agent");
export const taskTable = table<Task>("task");
export const secretTable = table<SecretBook>("secret");

export const organizationRef = (id: string): ActorRef<"organization"> => ({
  kind: "organization",
  organizationId: id,
  id,
});
