/** The commands and replies of an organization's reach. */
import type { ApprovalReach } from "../job/terms.ts";
import type { Page, PageRequest } from "../page.ts";
import type { Resealed } from "../sealing.ts";
import type { Messenger, ApprovalNotice, NoticeError, Question, SkipReason } from "./schema.ts";

/** How an attempt to send a notice ended. */
export type NoticeResult =
  | { readonly kind: "delivered"; readonly httpStatus: number | null; readonly durationMs: number }
  | {
      readonly kind: "failed";
      readonly error: NoticeError;
      readonly httpStatus: number | null;
      readonly durationMs: number;
      /** Whether another attempt could succeed. */
      readonly isTransient: boolean;
      readonly retryAfterMs: number | null;
    }
  /** The process ended before the result was known; the recipient may have it. */
  | { readonly kind: "interrupted" }
  | { readonly kind: "skipped"; readonly reason: SkipReason };

/** Names a notice, and the approval that it is about. */
export interface NoticeHead {
  readonly approvalId: string;
  readonly noticeId: string;
}

/** What a notice is sent with. */
export interface PreparedNotice {
  readonly question: Question;
  readonly notice: ApprovalNotice;
  /** Null: it goes by mail. */
  readonly messenger: Messenger | null;
}

/** A job's message: these calls of it wait for people. */
export interface AskPeople {
  readonly kind: "ask_people";
  readonly jobId: string;
  readonly reach: ApprovalReach;
  readonly approvals: readonly AskedApproval[];
}

/**
 * Who gets a mail about one approval: those who may decide. Notices of an approval are sent again if other people
 * decide it from now on.
 */
export interface AskedApproval {
  readonly id: string;
  readonly expiresAt: string;
  readonly userIds: readonly string[];
  /** Those who are found in the organization; null: nobody else. */
  readonly others: OtherDeciders | null;
}

/** Owners, or the members of a group. */
export interface OtherDeciders {
  /** The name of a group; null: the owners. */
  readonly group: string | null;
  /** Who may not decide although they are among them. */
  readonly exceptUserId: string | null;
}

export type ReachCommand =
  | AskPeople
  /** A job's message: this approval was decided, or is over. */
  | { readonly kind: "follow_up"; readonly approvalId: string }
  /** The people of `others`. */
  | {
      readonly kind: "deciders_found";
      readonly effectId: string;
      readonly approvalId: string;
      readonly userIds: readonly string[];
    }
  | { readonly kind: "list_messengers" }
  | {
      readonly kind: "add_messenger";
      readonly by: string;
      readonly input: Pick<Messenger, "name" | "format" | "sealedUrl" | "host">;
    }
  | { readonly kind: "remove_messenger"; readonly messengerId: string }
  /** The same sealed URLs under another key; the reply says how many are stored. */
  | { readonly kind: "reseal_messengers"; readonly resealed: readonly Resealed[] }
  | { readonly kind: "read_question"; readonly approvalId: string }
  /** `hash` is that of the key in the link. */
  | ({ readonly kind: "check_link"; readonly hash: string } & NoticeHead)
  /** Before an attempt: stores the hash of its key, and what it asks. Null: it is not to be sent. */
  | ({
      readonly kind: "prepare_notice";
      readonly effectId: string;
      readonly hash: string;
      readonly terms: string;
      /** The number of the recipient's membership; 0 for a messenger. */
      readonly membership: number;
    } & NoticeHead)
  | ({ readonly kind: "notice_ended"; readonly effectId: string; readonly result: NoticeResult } & NoticeHead)
  /** An alarm: the next attempt is due. */
  | ({ readonly kind: "notice_due" } & NoticeHead)
  /** An alarm: nobody has decided yet. */
  | { readonly kind: "remind"; readonly approvalId: string };

export interface ReachReplies {
  ask_people: null;
  follow_up: null;
  deciders_found: null;
  list_messengers: readonly Messenger[];
  add_messenger: Messenger;
  remove_messenger: Messenger;
  reseal_messengers: number;
  read_question: Question;
  check_link: { readonly question: Question; readonly notice: ApprovalNotice };
  prepare_notice: PreparedNotice | null;
  notice_ended: null;
  notice_due: null;
  remind: null;
}

export interface ReachProtocol {
  readonly command: ReachCommand;
  readonly replies: ReachReplies;
}

/** What was sent about approvals, in the tables. Throws when the database cannot be reached. */
export interface ReachDirectory {
  /** Newest first; of one job, if it is given. */
  pageQuestions(
    organizationId: string,
    filter: { readonly jobId?: string | undefined },
    page: PageRequest,
  ): Promise<Page<Question>>;
}
