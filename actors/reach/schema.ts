/**
 * The nouns of reach (REACH-1): the messengers of an organization, and for each approval the notices about it. An
 * approval itself is a part of its job; nothing here says how it was decided.
 */
import { type Approval, APPROVAL_LINKS } from "../job/terms.ts";
import { soleRefTo, table } from "../runtime/actor.ts";
import type { SealingContext } from "../sealing.ts";
import { type Json, NullableText, NullableTime, OneOf, RecordBase, type Static, Timestamp, Type } from "../schema.ts";
import { inStoredOrder } from "../canonical-json.ts";
import { ATTEMPT_ERRORS } from "../webhook/schema.ts";

/** The shapes in which a messenger takes its messages. */
export const MESSENGER_FORMATS = ["slack", "teams", "ntfy"] as const;
export type MessengerFormat = (typeof MESSENGER_FORMATS)[number];

/** A place for messages to people: an incoming webhook of a chat program, or a topic of ntfy. Its URL is a credential, and sealed. */
export const Messenger = Type.Object({
  id: Type.String(),
  name: Type.String(),
  format: OneOf(MESSENGER_FORMATS),
  sealedUrl: Type.String(),
  /** The host of the URL, redacted. */
  host: Type.String(),
  createdBy: Type.String(),
  createdAt: Timestamp,
  lastSuccessAt: NullableTime,
  lastFailureAt: NullableTime,
});
export type Messenger = Static<typeof Messenger>;

/** How often the organization and its jobs have sent within the current hour; failed attempts count too (REACH-8). */
const NoticeWindow = Type.Object({
  startedAt: Timestamp,
  attempts: Type.Integer({ minimum: 0 }),
  ofJobs: Type.Record(Type.String(), Type.Integer({ minimum: 0 })),
});

/** One for each organization. */
export const ReachBook = Type.Object({
  ...RecordBase,
  messengers: Type.Array(Messenger),
  window: Type.Union([NoticeWindow, Type.Null()]),
});
export type ReachBook = Static<typeof ReachBook>;

export const NOTICE_KINDS = ["asked", "reminder", "decided"] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/**
 *   pending ─┬─▶ success
 *            ├─▶ failed     for good
 *            ├─▶ retrying   until `nextAttemptAt`, then pending again
 *            └─▶ skipped    nothing to say any more, nobody to say it to, or too many already
 */
export const NOTICE_STATUSES = ["pending", "success", "failed", "retrying", "skipped"] as const;

export const NOTICE_ERRORS = [...ATTEMPT_ERRORS, "smtp_refused", "no_mail_server"] as const;
export type NoticeError = (typeof NOTICE_ERRORS)[number];

/** Why a notice was not sent. */
export const SKIP_REASONS = ["decided", "no_recipient", "not_wanted", "private", "not_theirs", "too_many"] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/** One message to one recipient about one approval: a row of the ledger, and a link. */
export const ApprovalNotice = Type.Object({
  id: Type.String(),
  kind: OneOf(NOTICE_KINDS),
  /** The person who gets it by mail; null: a messenger gets it. */
  userId: NullableText,
  messengerId: NullableText,
  status: OneOf(NOTICE_STATUSES),
  skipped: Type.Union([OneOf(SKIP_REASONS), Type.Null()]),
  /** Attempts so far. */
  attempts: Type.Integer({ minimum: 0 }),
  /** Those of them that failed because of the receiver. */
  failures: Type.Integer({ minimum: 0 }),
  error: Type.Union([OneOf(NOTICE_ERRORS), Type.Null()]),
  httpStatus: Type.Union([Type.Integer(), Type.Null()]),
  durationMs: Type.Union([Type.Integer(), Type.Null()]),
  /** The effect that sends it now. */
  effectId: NullableText,
  nextAttemptAt: NullableTime,
  createdAt: Timestamp,
  endedAt: NullableTime,
  /**
   * SHA-256 of the keys of its link, one for each attempt: an attempt whose end is unknown may have reached its
   * recipient.
   */
  keyHashes: Type.Array(Type.String()),
  /** The number of the recipient's membership to which the keys belong; absent: the first, or a messenger. */
  membership: Type.Optional(Type.Integer({ minimum: 0 })),
  /** What the newest attempt asked (`askedTerms`): the link is void when this changes. */
  terms: NullableText,
});
export type ApprovalNotice = Static<typeof ApprovalNotice>;

/** What was sent about one approval. The id is that of the approval. */
export const Question = Type.Object({
  ...RecordBase,
  jobId: Type.String(),
  links: OneOf(APPROVAL_LINKS),
  expiresAt: Timestamp,
  /** Whether its recipients hear how it ended: this is planned once. */
  isFollowedUp: Type.Boolean(),
  notices: Type.Array(ApprovalNotice),
});
export type Question = Static<typeof Question>;

export const reachTable = table<ReachBook>("reach");
export const questionTable = table<Question>("reach_question");

/** The context of the URLs of messengers: they open only for their organization. */
export const messengerContext = (organizationId: string): SealingContext => [organizationId, "messenger_url"];

/** One for each organization. */
export const reachRef = soleRefTo("reach");

/**
 * The call and the agent's settings of approvals, as a text that is the same as long as they are. `agent`: the agent as
 * it is now, or null if it is gone. A link whose text has changed is over: the person was asked about something else.
 */
export function askedTerms({ toolName, arguments: input }: Approval, agent: object | null): string {
  // All of them, so that a setting that is added later counts too.
  const settings = Object.entries(agent ?? {}).filter(([name]) => name.startsWith("approval"));
  return JSON.stringify(inStoredOrder<Json>({ toolName, input, settings: Object.fromEntries<Json>(settings) }));
}
