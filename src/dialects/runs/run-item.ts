/**
 * A run as one neutral sequence, which every protocol translates to its own frames. It says what happens in the run;
 * nothing in it is of one protocol.
 */
import { assert } from "../../../actors/assert.ts";
import type { Citation } from "../../../actors/job/citation.ts";
import type { BlockedReason, JobTokens, RunErrorCode } from "../../../actors/job/schema.ts";
import type { ListedConnection } from "../../../actors/job/terms.ts";
import type { StopReason } from "../../../actors/job/stop-reason.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import type { AttachmentBlock, InputBlock } from "../../../actors/upload/terms.ts";

/** A call of a tool that the client runs. */
export interface RunClientCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
}

/** A call that waits for a decision. */
export interface RunApproval {
  readonly approvalId: string;
  readonly callId: string;
  readonly name: string;
  readonly arguments: JsonObject;
}

interface RunItems {
  /** The model begins to work; again after each restart of the service. */
  started: { readonly attempt: number; readonly model: string };
  /** Another attempt begins, and continues from the committed text. */
  attempt: { readonly attempt: number };
  /**
   * Text of the block with this number. `at`: where it begins in its block; `offset`: where it begins in all text of the
   * run, whose blocks have a blank line between them. Both in UTF-16 units.
   */
  text: { readonly block: number; readonly at: number; readonly offset: number; readonly text: string };
  /**
   * The step began again with different text: only the first `at` units of the block are still true (`kept`). The text
   * items that follow continue there.
   */
  restarted: { readonly block: number; readonly at: number; readonly offset: number; readonly kept: string };
  /** The block is complete and committed. */
  text_done: { readonly block: number; readonly text: string; readonly citations: readonly Citation[] };
  /** It comes with the end of its step. */
  reasoning: { readonly text: string };
  /** A call of a tool, committed before the tool starts. */
  tool_call: {
    readonly id: string;
    readonly name: string;
    readonly input: JsonObject;
    readonly by: "agent" | "client";
    /** The approval that was asked for it in an earlier part of the run. */
    readonly approvalId?: string;
  };
  tool_result: {
    readonly callId: string;
    readonly content: string;
    readonly isError: boolean;
    readonly attachments: readonly AttachmentBlock[];
  };
  /**
   * The run waits for the client's results of these calls; or for its decisions, where it follows a part that ends with
   * them. The part ends here.
   */
  client_calls: {
    readonly calls: readonly RunClientCall[];
    readonly approvals?: readonly RunApproval[];
    readonly usage: JobTokens;
  };
  /** A call waits for a person's approval. */
  approval: {
    readonly approvalId: string;
    readonly callId: string;
    readonly name: string;
    readonly arguments: JsonObject;
    readonly message: string;
    readonly expiresAt: string;
  };
  approval_resolved: {
    readonly approvalId: string;
    readonly callId: string;
    readonly isApproved: boolean;
    readonly arguments: JsonObject | null;
  };
  /** The run waits; for an approval, or for something that most protocols cannot ask for. */
  blocked: {
    readonly reason: BlockedReason | "review";
    /** The connections that a person must give, for `auth_required`. */
    readonly authorizations?: readonly ListedConnection[];
  };
  resumed: Readonly<Record<never, never>>;
  /** Tokens of this part of the run so far. */
  usage: { readonly usage: JobTokens };
  /** A tool has written a file. */
  file: {
    readonly id: string;
    readonly name: string;
    readonly path: string;
    readonly mime: string;
    readonly size: number;
  };
  /** Another message of the user, given to the run while it works. */
  input: { readonly messageId: string | null; readonly text: string; readonly blocks: readonly InputBlock[] };
  status: { readonly state: string; readonly reason: string | null; readonly retryAt: string | null };
  /** What the service did about the run; not content. */
  notice: { readonly level: "info" | "warn"; readonly text: string };
  /** The last item. */
  end: {
    readonly status: "completed" | "failed" | "cancelled";
    readonly stopReason: StopReason | null;
    readonly usage: JobTokens;
    readonly error: { readonly code: RunErrorCode; readonly message: string } | null;
  };
}

type RunItemKind = keyof RunItems;
export type RunItemOf<K extends RunItemKind> = { readonly [Kind in K]: { readonly kind: Kind } & RunItems[Kind] }[K];
export type RunItem = RunItemOf<RunItemKind>;

/** A protocol's answer to each kind of item, which may be an empty one. A kind without an answer does not compile. */
export type RunTable<S, A = string> = { readonly [K in RunItemKind]: (state: S, item: RunItemOf<K>) => A };

/** The table's answer to the item, such as its frames. */
export function protocolFrames<S, A>(table: RunTable<S, A>, state: S, item: RunItem): A {
  // Entry and item have the same kind; TypeScript cannot follow that through the lookup.
  const entry = table[item.kind] as ((state: S, item: RunItem) => A) | undefined;
  assert(entry !== undefined, "each kind of item has an entry");
  return entry(state, item);
}

/** Where a person gives what the run waits for, in words for them; empty if that is nothing with a link. */
export const linksOfWait = ({ authorizations = [] }: Pick<RunItemOf<"blocked">, "authorizations">): string =>
  authorizations.map(({ name, link }) => ` Connect ${name}: ${link}`).join("");
