/** A chat with very many messages, without as many runs. */
import { chatRef } from "../../actors/chat/schema.ts";
import type { Caller, Service } from "./service.ts";

interface FilledChat {
  /** A chat with an answer. */
  readonly chatId: string;
  readonly by: Caller;
  readonly messages: number;
}

/** The number of copies of an answer that one statement writes. */
const COPIES = 500;

/** The number of events that are written at once. */
const TOGETHER = 50;

/**
 * Copies the chat's last answer, with the numbers of events that change nothing but the chat's options: messages are in
 * the order of their events, so those that are sent later come after the copies.
 */
export async function fillChat(service: Service, { chatId, by, messages }: FilledChat): Promise<void> {
  const ref = chatRef(by.organizationId, chatId);
  const [{ seq: first } = { seq: 0 }] = await service.database.flush.unsafe<{ seq: number }[]>(
    "select max(seq) as seq from message where organization_id = $1 and chat_id = $2",
    [by.organizationId, chatId],
  );
  for (let event = 0; event < messages; event += TOGETHER)
    await Promise.all(
      Array.from({ length: TOGETHER }, async (_, index) => {
        const options = { pinned: index % 2 === 0 };
        const changed = await service.system.dispatch(ref, { kind: "update_chat", options, version: null });
        if (!changed.ok) throw new Error(changed.fault.kind);
      }),
    );
  for (let from = 1; from <= messages; from += COPIES)
    await service.database.flush.unsafe(
      `insert into message (organization_id, id, version, body)
       select organization_id, 'msg_copy' || n, 1,
         body || jsonb_build_object('id', 'msg_copy' || n, 'seq', $3::integer + n)
       from message, generate_series($4::integer, $5::integer) n
       where organization_id = $1 and chat_id = $2 and seq = $6::integer`,
      [by.organizationId, chatId, first, from, Math.min(messages, from + COPIES - 1), first],
    );
}
