/** Sends the input of a job again, edited, in a new chat, so that nothing else changes. */
import { useRef, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import type { Job } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { startChat } from "../chat/start-chat.ts";
import { keyedSender } from "../pieces/request-key.ts";
import { service } from "../service.ts";

export function SendAgain({ job }: { readonly job: Job }) {
  const [text, setText] = useState<string | null>(null);
  const [, navigate] = useLocation();
  /** The chat of the first try, for the next one. */
  const chat = useRef<string | null>(null);
  const [sendKeyed] = useState(() => keyedSender<{ readonly content: string }>());
  if (text === null)
    return (
      <p class="actions">
        <button class="quiet" onClick={() => setText(job.input)}>
          Send again with edited input
        </button>
      </p>
    );
  const send = async (): Promise<void> => {
    const chatId = (chat.current ??= await startChat(job.agent_id, job.workspace_id));
    const { job: begun } = await sendKeyed(
      text,
      () => ({ content: text }),
      (body, key) => service.sendMessage(chatId, body, { idempotencyKey: key }),
    );
    navigate(`/jobs/${begun.id}`);
  };
  return (
    <section class="card" aria-label="Send again">
      <label>
        Input of a new job of the same agent, in a new chat, without files and earlier messages
        <textarea rows={6} value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
      </label>
      <p class="actions">
        <ActionButton act={send} whyNot={text.trim() === "" ? "Write the input first" : null}>
          Send
        </ActionButton>
        <button class="quiet" onClick={() => setText(null)}>
          Do not send
        </button>
      </p>
    </section>
  );
}
