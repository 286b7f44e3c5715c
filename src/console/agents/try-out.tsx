/** A chat with the saved agent, beside its form. The address has the chat, so a reload continues it. */
import { useEffect, useMemo } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Agent } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { Composer } from "../chat/composer.tsx";
import { Decisions, whyNotTo } from "../chat/decisions.tsx";
import { MessageCard } from "../chat/message-card.tsx";
import { ACTIVE_JOB, Thread } from "../chat/thread.ts";
import { activeWorkspaceId } from "../chat/start-chat.ts";
import { service } from "../service.ts";
import { ErrorLine } from "../loading.tsx";
import { useSearchState } from "../pieces/search-state.ts";

interface TryOutProps {
  readonly agent: Agent;
  /** Whether the form has changes that are not saved: the chat does not know them. */
  readonly isChanged: boolean;
}

export function TryOut({ agent, isChanged }: TryOutProps) {
  const [{ try: chatId }, change] = useSearchState({ try: "" });
  const thread = useMemo(() => (chatId === "" ? null : new Thread(chatId)), [chatId]);
  useEffect(() => {
    void thread?.follow();
    return () => thread?.close();
  }, [thread]);
  const begin = async (): Promise<string> => {
    const workspaceId = await activeWorkspaceId();
    const { id } = await service.createChat({ agent_id: agent.id, workspace_id: workspaceId });
    change({ try: id }, true);
    return id;
  };
  const job = thread?.job.value ?? null;
  const isBusy = job !== null && ACTIVE_JOB.has(job.status);
  const canExecute = agent.allowed_actions.includes("execute");
  return (
    <section class="try-out card" aria-label="Try-out">
      <h2>Try it out</h2>
      {isChanged ? <p class="quiet">You talk to the saved agent: save your changes to try them.</p> : null}
      {thread === null ? null : <TriedMessages thread={thread} />}
      {isBusy && job !== null ? (
        <p class="status" role="status">
          The agent is working.{" "}
          <ActionButton class="quiet" act={() => service.cancelJob(job.id)} whyNot={whyNotTo(job, "cancel")}>
            Stop
          </ActionButton>
        </p>
      ) : null}
      {canExecute ? (
        <Composer
          chatId={`try ${agent.id}`}
          isBusy={isBusy}
          takesFocus={false}
          send={async (message, key) =>
            service.sendMessage(chatId || (await begin()), message, { idempotencyKey: key })
          }
        />
      ) : (
        <p class="quiet">You cannot use this agent now.</p>
      )}
      {chatId === "" ? null : (
        <p class="actions">
          <button class="quiet" onClick={() => change({ try: "" }, true)}>
            Begin again
          </button>
          <Link href={`/chats/${chatId}`}>Open this chat</Link>
        </p>
      )}
    </section>
  );
}

function TriedMessages({ thread }: { readonly thread: Thread }) {
  const job = thread.job.value;
  const error = thread.error.value;
  return (
    <div class="messages" role="log" aria-label="Messages" tabIndex={0}>
      {thread.order.value.map((id) => {
        const message = thread.messageOf(id);
        if (message === undefined) return null;
        return (
          <MessageCard
            key={id}
            message={message}
            whyNoPin={null}
            pin={(pinned) => service.updateMessage(thread.chatId, id, { pinned })}
            edit={null}
          />
        );
      })}
      {job === null ? null : <Decisions job={job} decided={() => thread.readJob(job.id)} />}
      {job?.status === "failed" ? <p class="bad">{job.error?.message ?? "The job failed."}</p> : null}
      <ErrorLine error={error} />
    </div>
  );
}
