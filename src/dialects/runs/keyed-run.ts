/** The run of a message with an id of its protocol (DIA-2): the same message once more finds it. */
import type { FoundMessage, KeyedMessage } from "../../../actors/chat/protocol.ts";
import { chatRef } from "../../../actors/chat/schema.ts";
import { ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { type Job, jobRef } from "../../../actors/job/schema.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { Services } from "../../operations/services.ts";
import type { GivenContent } from "../../work/content-blocks.ts";
import { keyedId } from "../../work/prepared-work.ts";

/**
 * Metadata of a message and its run: a digest of the message, so that a different message with the same id is
 * recognized.
 */
export const CONTENT_DIGEST_FIELD = "content_digest";

export const contentDigest = (content: GivenContent): string =>
  new Bun.CryptoHasher("sha256").update(JSON.stringify(content)).digest("base64url");

/** A message of a chat, and its key. */
interface KeyedContent {
  readonly protocol: string;
  readonly chatId: string;
  readonly key: string;
  readonly content: GivenContent;
  /** Whether a message whose run has failed begins another one. */
  readonly repeatsFailed: boolean;
}

/** The ids of the message with this key in the chat. */
export function keyedMessage(
  by: Pick<Principal, "organizationId" | "userId">,
  { protocol, chatId, key }: Pick<KeyedContent, "protocol" | "chatId" | "key">,
): KeyedMessage {
  const of = { purpose: protocol, key: JSON.stringify([by.organizationId, by.userId, chatId, key]) };
  return { jobId: keyedId("job", of), messageId: keyedId("msg", of) };
}

/** The chat, and whether the message was sent to it. */
export const findMessage = (
  { system }: Pick<Services, "system">,
  { organizationId }: Pick<Principal, "organizationId">,
  { chatId, messageId }: { readonly chatId: string; readonly messageId: string },
): Promise<Outcome<FoundMessage>> =>
  system.dispatch(chatRef(organizationId, chatId), { kind: "find_message", messageId });

/** The message's ids, and its run; null: it is to begin. */
export type FoundRun = Outcome<{ readonly keyed: KeyedMessage; readonly job: Job | null }>;

/** Refuses other content under the key. */
export async function findKeyedRun(
  { system }: Pick<Services, "system">,
  by: Pick<Principal, "organizationId" | "userId">,
  { key: first, content, repeatsFailed, ...of }: KeyedContent,
): Promise<FoundRun> {
  for (let key = first; ;) {
    const keyed = keyedMessage(by, { ...of, key });
    const job = await system.dispatch(jobRef(by.organizationId, keyed.jobId), { kind: "read_job" });
    if (!job.ok) return job.fault.kind === "not_found" ? ok({ keyed, job: null }) : job;
    const digest = job.value.metadata[CONTENT_DIGEST_FIELD];
    if (digest !== undefined && digest !== contentDigest(content)) return refuse({ kind: "idempotency_conflict" });
    if (!repeatsFailed || job.value.status !== "failed") return ok({ keyed, job: job.value });
    key = JSON.stringify([first, job.value.id]);
  }
}
