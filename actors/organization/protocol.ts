/** What an organization's actor can be asked, and what it answers. */
import type { Principal } from "./principal.ts";
import type {
  Agent,
  Member,
  Organization,
  Role,
  Secret,
  Task,
  TaskPriority,
  Token,
  TokenKind,
  Visibility,
  Workspace,
} from "./schema.ts";

/** A token whose secret has been made outside: the actor gets its hash only. */
export interface NewToken {
  readonly kind: TokenKind;
  readonly name: string;
  readonly hash: string;
  readonly hint: string;
  readonly userId: string;
  readonly scopes: readonly string[];
  readonly expiresAt: string;
}

/** The tokens of one kind: of one person, or of the organization. */
export interface TokenFilter {
  readonly kind: TokenKind;
  readonly userId: string | null;
}

export interface AgentInput extends Partial<AgentSettings> {
  readonly name: string;
  readonly role: string;
  readonly systemPrompt: string;
  readonly visibility: Visibility;
}

/** What only the current surface can set. */
export type AgentSettings = Pick<
  Agent,
  "description" | "model" | "allowedTools" | "approvalTools" | "approvalExpiry" | "mcpServers" | "maxSteps" | "tags"
>;

export interface TaskInput {
  readonly title: string;
  readonly description: string | null;
  readonly priority: TaskPriority;
  readonly assignedTo: string | null;
  readonly workspaceId: string | null;
}

/** What an update of a task may change. */
export type TaskChanges = TaskInput & Pick<Task, "status">;

/** An agent as the library defines it (AGT-3). */
export type LibraryDefinition = Pick<Agent, "name" | "role" | "systemPrompt"> & Partial<AgentSettings>;

/** What anybody may know of a secret. */
export type SecretInfo = Omit<Secret, "sealed">;

/** A person of one organization, as far as permissions go. */
export interface Actor {
  readonly organizationId: string;
  readonly userId: string;
}

export type OrganizationCommand =
  /** Makes the organization with its owner, default workspace and first tokens, all or nothing. */
  | {
      readonly kind: "found_organization";
      readonly name: string;
      readonly owner: { readonly userId: string; readonly name: string; readonly email: string };
      readonly tokens: readonly NewToken[];
    }
  | { readonly kind: "read_organization" }
  | { readonly kind: "read_workspace"; readonly workspaceId: string }
  /** Who the bearer of this token is; refuses `unauthenticated` or `token_expired`. */
  | { readonly kind: "authenticate"; readonly tokenId: string; readonly hash: string }
  /** Notes that a token is in use (AUTH-1). */
  | { readonly kind: "touch_token"; readonly tokenId: string }
  /** Whether a token that was good when something was opened with it is good still; refuses as `authenticate` does. */
  | { readonly kind: "confirm_token"; readonly tokenId: string }
  /** `by` is whose token makes it; null is the operator. */
  | { readonly kind: "create_token"; readonly token: NewToken; readonly by: Principal | null }
  /** Once for good. Refuses `not_found` where the token is none of these; null is any. */
  | { readonly kind: "revoke_token"; readonly tokenId: string; readonly of: TokenFilter | null }
  | {
      readonly kind: "add_member";
      readonly userId: string;
      readonly name: string;
      readonly email: string;
      readonly role: Role;
    }
  | { readonly kind: "remove_member"; readonly userId: string }
  | { readonly kind: "create_agent"; readonly by: Actor; readonly input: AgentInput }
  | { readonly kind: "read_agent"; readonly by: Actor; readonly agentId: string }
  /** Whether chats and jobs with this agent that others began are none of this person's (AGT-5). */
  | { readonly kind: "hides_work"; readonly by: Actor; readonly agentId: string }
  /** The organization's settings of a library agent, uninstalled ones too; null where it was never installed. */
  | { readonly kind: "read_library_agent"; readonly agentId: string }
  /** `version` is the one that the caller has seen; null or absent takes any. */
  | {
      readonly kind: "update_agent";
      readonly by: Actor & { readonly role: Role };
      readonly agentId: string;
      readonly changes: Partial<AgentInput>;
      readonly version?: number | null;
    }
  | { readonly kind: "archive_agent"; readonly by: Actor; readonly agentId: string }
  /** `definition` is what the library has of this id; null where it has nothing. */
  | {
      readonly kind: "set_install_state";
      readonly by: Actor;
      readonly agentId: string;
      readonly action: "install" | "uninstall" | "restore";
      readonly definition: LibraryDefinition | null;
    }
  | { readonly kind: "read_task"; readonly taskId: string }
  | {
      readonly kind: "update_task";
      readonly taskId: string;
      readonly changes: Partial<TaskChanges>;
      readonly version: number | null;
    }
  /** `taskId` is given where the caller needs the same task for each attempt (a tool's idempotency). */
  | { readonly kind: "create_task"; readonly createdBy: string; readonly input: TaskInput; readonly taskId?: string }
  /** `sealed` is what the key of the service has made of the value (RUN-5); only the runner reads it. */
  | { readonly kind: "put_secret"; readonly name: string; readonly sealed: string }
  | { readonly kind: "delete_secret"; readonly name: string }
  | { readonly kind: "read_secret"; readonly name: string }
  | { readonly kind: "list_secrets" };

export interface OrganizationReplies {
  found_organization: {
    readonly organization: Organization;
    readonly owner: Member;
    readonly workspace: Workspace;
    readonly tokens: readonly Token[];
  };
  read_organization: Organization;
  read_workspace: Workspace;
  authenticate: { readonly principal: Principal; readonly isStale: boolean };
  touch_token: null;
  confirm_token: null;
  create_token: Token;
  revoke_token: Token;
  add_member: Member;
  remove_member: Member;
  create_agent: { readonly agent: Agent; readonly chatId: string; readonly workspaceId: string };
  read_agent: Agent;
  hides_work: boolean;
  read_library_agent: Agent | null;
  update_agent: Agent;
  archive_agent: Agent;
  set_install_state: Agent;
  read_task: Task;
  update_task: Task;
  create_task: Task;
  put_secret: { readonly secret: SecretInfo; readonly isNew: boolean };
  delete_secret: SecretInfo;
  read_secret: string;
  list_secrets: readonly SecretInfo[];
}

export interface OrganizationProtocol {
  readonly command: OrganizationCommand;
  readonly replies: OrganizationReplies;
}
