/** The commands and replies of an organization's actor. */
import type { Origin, PeopleCommand, PeopleReplies } from "./people-protocol.ts";
import type { JsonObject } from "../schema.ts";
import type { Resealed } from "../sealing.ts";
import type { Workspace } from "../workspace/schema.ts";
import type { AGENT_TERMS } from "../job/agent-terms.ts";
import type { DecidingPeople } from "../job/approval-rule.ts";
import type { Principal, SecretsUser } from "./principal.ts";
import type {
  Agent,
  CredentialKind,
  Member,
  MemberGroup,
  Organization,
  ProviderKey,
  Role,
  Secret,
  Task,
  TaskPriority,
  Token,
  Visibility,
} from "./schema.ts";

/** A token whose secret was created outside: the actor gets only its hash. */
export interface NewToken {
  readonly kind: CredentialKind;
  readonly name: string;
  readonly hash: string;
  readonly hint: string;
  readonly userId: string;
  readonly scopes: readonly string[];
  readonly expiresAt: string;
  readonly audience?: string;
  readonly grantId?: string;
}

/** Tokens of one kind, of one person or of the whole organization. */
export interface TokenFilter {
  readonly kind: CredentialKind;
  readonly userId: string | null;
}

export interface AgentInput extends Partial<AgentSettings> {
  readonly name: string;
  readonly role: string;
  readonly systemPrompt: string;
  readonly visibility: Visibility;
}

/** Settings that only the current surface can change. */
export type AgentSettings = Pick<
  Agent,
  Exclude<keyof typeof AGENT_TERMS, "name" | "systemPrompt"> | "description" | "tags"
>;

export interface TaskInput {
  readonly title: string;
  readonly description: string | null;
  readonly priority: TaskPriority;
  readonly assignedTo: string | null;
  readonly workspaceId: string | null;
}

/** The changes that an update of a task may make. */
export type OrganizationTaskChanges = TaskInput & Pick<Task, "status">;

/** An agent as the library defines it (AGT-3). */
export type LibraryDefinition = Pick<Agent, "name" | "role" | "systemPrompt"> & Partial<AgentSettings>;

/** The visible data of a secret. */
export type SecretInfo = Omit<Secret, "sealed">;

/** A person of one organization, for permission checks. */
export interface Actor {
  readonly organizationId: string;
  readonly userId: string;
}

/** The intent of the effect that notifies an agent's missions that it is gone, or available again. */
interface AgentMissionsIntent extends JsonObject {
  readonly agentId: string;
  readonly isGone: boolean;
}
/** The intent of the effect that notifies a workspace's missions that it is deleted. */
interface WorkspaceMissionsIntent extends JsonObject {
  readonly workspaceId: string;
}
export type MissionsIntent = AgentMissionsIntent | WorkspaceMissionsIntent;
export const isAgentsIntent = (intent: MissionsIntent): intent is AgentMissionsIntent =>
  intent["agentId"] !== undefined;

/** The intent of the effect that ends the connections of a person who was removed. */
export interface ForsakingIntent extends JsonObject {
  readonly userId: string;
  readonly removedAt: string;
  readonly origin: { readonly userId: string | null; readonly tokenId: string | null; readonly address: string | null };
}

export type OrganizationCommand =
  /** Creates the organization with its owner, default workspace and first tokens, all or nothing. */
  | {
      readonly kind: "found_organization";
      readonly name: string;
      readonly owner: { readonly userId: string; readonly name: string; readonly email: string };
      readonly tokens: readonly NewToken[];
    }
  | { readonly kind: "read_organization" }
  | { readonly kind: "select_workspace"; readonly userId: string; readonly workspaceId: string }
  | { readonly kind: "read_selection"; readonly userId: string }
  /** The operator's suspension: while it lasts, no token of the organization is valid (AUTH-11). */
  | { readonly kind: "set_suspended"; readonly isSuspended: boolean }
  /** The operator's quota for the organization; null: unlimited, absent: the service's default. */
  | { readonly kind: "set_quota"; readonly quota: string; readonly limit?: number | null }
  /** The bearer of this token; refuses `unauthenticated` or `token_expired`. */
  | { readonly kind: "authenticate"; readonly tokenId: string; readonly hash: string }
  /** Records that a token is in use (AUTH-1). */
  | { readonly kind: "touch_token"; readonly tokenId: string; readonly address?: string | null }
  /** Whether the token with which something was opened is still valid; refuses as `authenticate` does. */
  | { readonly kind: "confirm_token"; readonly tokenId: string }
  /**
   * `by` is the token that creates it; null is the operator. The new token ends no later than that token. Refuses a
   * requested lifetime (`isLifeAsked`) that is longer by a day or more.
   */
  | {
      readonly kind: "create_token";
      readonly token: NewToken;
      readonly by: Principal | null;
      readonly isLifeAsked?: boolean;
      readonly origin?: Origin;
    }
  /**
   * Revokes a token for good, with the tokens that end with it. Refuses `not_found` if the token is not of this kind
   * (null accepts any), and refuses tokens that `by` may not revoke; null is the operator.
   */
  | {
      readonly kind: "revoke_token";
      readonly tokenId: string;
      readonly of: TokenFilter | null;
      readonly by: Principal | null;
      readonly origin?: Origin;
    }
  | PeopleCommand
  | {
      readonly kind: "add_member";
      readonly userId: string;
      readonly name: string;
      readonly email: string;
      readonly role: Role;
      readonly origin?: Origin;
    }
  /** Also withdraws these invitations if they are still open (`removal.ts`). */
  | {
      readonly kind: "remove_member";
      readonly userId: string;
      readonly invitationIds?: readonly string[];
      readonly origin?: Origin;
    }
  /** What decisions need to know of these users (APR-7): only members are in the reply. */
  | { readonly kind: "read_deciders"; readonly userIds: readonly string[] }
  | { readonly kind: "list_groups" }
  | { readonly kind: "read_group"; readonly name: string }
  /** Refuses users who are no members, and a group that has another version than this one (null: any). */
  | {
      readonly kind: "put_group";
      readonly name: string;
      readonly version: number | null;
      readonly memberIds: readonly string[];
      readonly origin: Origin;
    }
  | { readonly kind: "delete_group"; readonly name: string; readonly origin: Origin }
  /** Refuses `not_found` if the user is no longer a member. */
  | { readonly kind: "read_member"; readonly userId: string }
  /** Whether the person wants mails about approvals (REACH-4). */
  | { readonly kind: "set_approval_mails"; readonly userId: string; readonly isWanted: boolean }
  | { readonly kind: "create_agent"; readonly by: Actor; readonly input: AgentInput }
  | { readonly kind: "read_agent"; readonly by: Actor; readonly agentId: string }
  /** Whether others' chats and jobs with this agent are hidden from this person (AGT-5). */
  | { readonly kind: "hides_work"; readonly by: Actor; readonly agentId: string }
  /** The organization's settings of a library agent, including an uninstalled one; null if it was never installed. */
  | { readonly kind: "read_library_agent"; readonly agentId: string }
  /** `version` is the version that the caller has read; null or absent accepts any. */
  | {
      readonly kind: "update_agent";
      readonly by: Actor & SecretsUser;
      readonly agentId: string;
      readonly changes: Partial<AgentInput>;
      readonly version?: number | null;
    }
  | { readonly kind: "archive_agent"; readonly by: Actor; readonly agentId: string }
  /** The operator's switch: a disabled agent begins no work (AGT-7). */
  | { readonly kind: "set_disabled"; readonly agentId: string; readonly isDisabled: boolean }
  /** `definition` is the library's entry with this id; null if there is none. */
  | {
      readonly kind: "set_install_state";
      readonly by: Actor;
      readonly agentId: string;
      readonly action: "install" | "uninstall" | "restore";
      readonly definition: LibraryDefinition | null;
    }
  /**
   * The missions of an agent or a workspace have been notified. `again`: the effect's process ended, so another effect
   * must notify them.
   */
  | { readonly kind: "missions_told"; readonly effectId: string; readonly again: MissionsIntent | null }
  /** A message: the connection waits for this person (ACC-15). */
  | { readonly kind: "check_owner"; readonly connectionId: string; readonly userId: string }
  /** As `missions_told`, of the connections of a person who was removed. */
  | { readonly kind: "connections_forsaken"; readonly effectId: string; readonly again: ForsakingIntent | null }
  /** A workspace of the organization is deleted in this group: its missions are notified. */
  | { readonly kind: "workspace_deleted"; readonly workspaceId: string }
  | { readonly kind: "read_task"; readonly taskId: string }
  | {
      readonly kind: "update_task";
      readonly taskId: string;
      readonly changes: Partial<OrganizationTaskChanges>;
      readonly version: number | null;
    }
  | { readonly kind: "delete_task"; readonly taskId: string }
  /** `taskId` is given if the caller needs the same task for each attempt (a tool's idempotency). */
  | { readonly kind: "create_task"; readonly createdBy: string; readonly input: TaskInput; readonly taskId?: string }
  /** `sealed` is the value, encrypted with the service's key (RUN-5); only the runner opens it. */
  | { readonly kind: "put_secret"; readonly name: string; readonly sealed: string }
  | { readonly kind: "delete_secret"; readonly name: string }
  | { readonly kind: "read_secret"; readonly name: string }
  /** All secrets as they are stored. */
  | { readonly kind: "read_sealed_secrets" }
  /**
   * The same values under another key. Skips secrets that were replaced or deleted since they were read as `former`;
   * returns the number of resealed ones.
   */
  | { readonly kind: "reseal_secrets"; readonly resealed: readonly Resealed[] }
  | { readonly kind: "list_secrets" }
  | {
      readonly kind: "put_provider_key";
      readonly provider: string;
      readonly secret: string;
      readonly origin: Origin;
    }
  | { readonly kind: "delete_provider_key"; readonly provider: string; readonly origin: Origin }
  | { readonly kind: "list_provider_keys" }
  /** The name of the secret; null if the organization has no key of its own for this provider. */
  | { readonly kind: "read_provider_key"; readonly provider: string };

export interface OrganizationReplies extends PeopleReplies {
  found_organization: {
    readonly organization: Organization;
    readonly owner: Member;
    readonly workspace: Workspace;
    readonly tokens: readonly Token[];
  };
  read_organization: Organization;
  select_workspace: { readonly isUnchanged: boolean };
  /** The workspace that this user has selected, and the organization's first workspace. */
  read_selection: { readonly selectedId: string | null; readonly defaultId: string | null };
  set_suspended: Organization;
  set_quota: Organization;
  authenticate: {
    readonly principal: Principal;
    readonly isStale: boolean;
    /** The only resource that accepts it; null: every resource that takes tokens. */
    readonly audience: string | null;
  };
  touch_token: null;
  confirm_token: null;
  create_token: Token;
  /** `endedIds`: the token, and the tokens that ended with it. */
  revoke_token: { readonly token: Token; readonly endedIds: readonly string[] };
  add_member: Member;
  remove_member: Member;
  read_member: Member;
  set_approval_mails: { readonly isUnchanged: boolean };
  read_deciders: DecidingPeople;
  list_groups: readonly MemberGroup[];
  read_group: MemberGroup;
  put_group: { readonly group: MemberGroup; readonly isNew: boolean; readonly isUnchanged: boolean };
  delete_group: MemberGroup;
  create_agent: { readonly agent: Agent; readonly chatId: string; readonly workspaceId: string };
  read_agent: Agent;
  hides_work: boolean;
  read_library_agent: Agent | null;
  update_agent: Agent;
  archive_agent: Agent;
  set_disabled: Agent;
  set_install_state: Agent;
  missions_told: null;
  check_owner: null;
  connections_forsaken: null;
  workspace_deleted: null;
  read_task: Task;
  update_task: Task;
  delete_task: Task;
  create_task: Task;
  put_secret: { readonly secret: SecretInfo; readonly isNew: boolean };
  delete_secret: SecretInfo;
  read_secret: string;
  read_sealed_secrets: readonly { readonly name: string; readonly sealed: string }[];
  reseal_secrets: number;
  list_secrets: readonly SecretInfo[];
  put_provider_key: { readonly key: ProviderKey; readonly isNew: boolean; readonly isUnchanged: boolean };
  delete_provider_key: ProviderKey;
  list_provider_keys: readonly ProviderKey[];
  read_provider_key: string | null;
}

export interface OrganizationProtocol {
  readonly command: OrganizationCommand;
  readonly replies: OrganizationReplies;
}
