/** A chat: its messages as they are written, what waits for a person, and the field for the next message. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Link, useLocation, useSearchParams } from "wouter-preact";
import type { JobStatus } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { lazyPart } from "../lazy-page.tsx";
import { CopyAsCurl } from "../pieces/curl.tsx";
import { service, wordsOfError } from "../service.ts";
import { useTitle } from "../title.tsx";
import { answerAgain, sayAgain } from "./start-chat.ts";
import { Composer } from "./composer.tsx";
import { Decisions, isStopped, whyNotTo } from "./decisions.tsx";
import { MessageCard } from "./message-card.tsx";
import { ACTIVE_JOB, type ShownMessage, Thread } from "./thread.ts";
import { ErrorLine } from "../loading.tsx";

const LazyChatActions = lazyPart(async () => (await import("./chat-actions.tsx")).ChatActions);

/** A reader this near to the end wants to see what comes. */
const NEAR_END_PX = 120;

export function ChatPage({ id: chatId }: { readonly id: string }) {
  const thread = useMemo(() => new Thread(chatId), [chatId]);
  useEffect(() => {
    void thread.follow();
    return () => thread.close();
  }, [thread]);
  const chat = thread.chat.value;
  useTitle(chat?.title ?? "Chat");
  const [edited, setEdited] = useState<ShownMessage | null>(null);
  const [isManaged, setManaged] = useState(false);
  const [, navigate] = useLocation();
  const list = useFollowedEnd(thread.order.value.length);
  useLinkedMessage(thread);
  const error = thread.error.value;
  if (chat === null) return error === null ? <p class="quiet">Loading …</p> : <ErrorLine error={error} />;
  const job = thread.job.value;
  const isBusy = job !== null && ACTIVE_JOB.has(job.status);
  const maySend = chat.allowed_actions.includes("send_message");
  const mayFork = chat.allowed_actions.includes("fork");
  const whyNoPin = chat.allowed_actions.includes("update_options") ? null : "You may not change this chat";
  const again = async (answer: ShownMessage): Promise<void> => navigate(`/chats/${await answerAgain(thread, answer)}`);
  return (
    <div class="chat">
      <div class="messages" ref={list} role="log" aria-label="Messages" tabIndex={0}>
        <h1>{chat.title}</h1>
        <p class="quiet">
          with{" "}
          <Link href={`/agents/${chat.agent_id}`}>
            <bdi>{chat.agent_name}</bdi>
          </Link>{" "}
          <code>{chat.id}</code> <Link href={`/jobs?chat_id=${chatId}`}>Its jobs</Link>{" "}
          {chat.forked_from === null ? null : (
            <Link href={`/chats/${chat.forked_from.chat_id}?message=${chat.forked_from.message_id}`}>
              The chat that it was copied from
            </Link>
          )}{" "}
          <CopyAsCurl path={`/api/chats/${chatId}/messages`} />
        </p>
        <details class="more" onToggle={({ currentTarget }) => setManaged(currentTarget.open)}>
          <summary>This chat</summary>
          {isManaged ? (
            <LazyChatActions key={chat.title} chat={chat} changed={(next) => (thread.chat.value = next)} />
          ) : null}
        </details>
        {thread.hasOlder.value ? <ActionButton act={() => thread.readOlder()}>Show older messages</ActionButton> : null}
        {thread.order.value.length === 0 ? (
          <p>
            Say something to <bdi>{chat.agent_name}</bdi>.
          </p>
        ) : null}
        {thread.order.value.map((id) => {
          const message = thread.messageOf(id);
          if (message === undefined) return null;
          const isOfPerson = message.peek().role === "user";
          return (
            <MessageCard
              key={id}
              message={message}
              whyNoPin={whyNoPin}
              pin={(pinned) => service.updateMessage(chatId, id, { pinned })}
              edit={isOfPerson && mayFork ? setEdited : null}
              again={!isOfPerson && mayFork ? again : null}
            />
          );
        })}
        {job === null ? null : <Decisions job={job} decided={() => thread.readJob(job.id)} />}
        {job?.status === "failed" ? (
          <section class="card bad-card" aria-label="Failure">
            <p class="bad">{job.error?.message ?? "The job failed."}</p>
            <p>
              <Link href={`/jobs/${job.id}`}>What it did</Link>
            </p>
            <ActionButton act={() => service.resumeJob(job.id)} whyNot={whyNotTo(job, "resume")}>
              Try again
            </ActionButton>
          </section>
        ) : null}
        <ErrorLine error={error} />
      </div>
      {job !== null && isBusy ? (
        <p class="status" role="status">
          {isStopped(job) ? "The agent has stopped." : BUSY_WORDS[job.status]}{" "}
          <Link href={`/jobs/${job.id}`}>Open its job</Link>{" "}
          <ActionButton class="quiet" act={() => service.cancelJob(job.id)} whyNot={whyNotTo(job, "cancel")}>
            Stop
          </ActionButton>
        </p>
      ) : null}
      {/* Hidden, not removed: it has the files of the next message. */}
      <div hidden={edited !== null || !maySend}>
        <Composer
          key={chatId}
          chatId={chatId}
          isBusy={isBusy}
          send={(message, key) => service.sendMessage(chatId, message, { idempotencyKey: key })}
        />
      </div>
      {maySend ? null : <p class="quiet">You cannot send messages here: the agent or the workspace is gone.</p>}
      {edited === null ? null : (
        <ForkForm key={edited.id} chatId={chatId} message={edited} close={() => setEdited(null)} />
      )}
    </div>
  );
}

const BUSY_WORDS: Readonly<Partial<Record<JobStatus, string>>> = {
  queued: "The answer waits for its turn.",
  running: "The agent is answering.",
  blocked: "The agent waits for a decision.",
  needs_review: "The answer waits for a review.",
  cancelling: "The answer is being stopped.",
};

/** A former message, to be said differently: in a new chat, so that this one stays as it is. */
function ForkForm(props: { readonly chatId: string; readonly message: ShownMessage; readonly close: () => void }) {
  const { chatId, message, close } = props;
  const [text, setText] = useState(message.content);
  const [, navigate] = useLocation();
  const fork = async (): Promise<void> => {
    const chat = await sayAgain(chatId, message, text);
    close();
    navigate(`/chats/${chat}`);
  };
  return (
    <section class="composer" aria-label="Edit a message">
      <label>
        Your edited message. It begins a new chat
        {message.attachments.length === 0 ? "" : ", with its files"}; this one stays as it is.
        <textarea rows={4} value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
      </label>
      <p class="actions">
        <ActionButton act={fork} whyNot={text.trim() === "" ? "Write a message first" : null}>
          Send in a new chat
        </ActionButton>
        <button class="quiet" onClick={close}>
          Keep it as it was
        </button>
      </p>
    </section>
  );
}

/** Shows the message that the address names, once: `?message=msg_…`. */
function useLinkedMessage(thread: Thread): void {
  const [search] = useSearchParams();
  const linked = search.get("message");
  const isRead = thread.order.value.length > 0;
  useEffect(() => {
    if (linked === null || !isRead) return;
    thread
      .find(({ id }) => id === linked)
      .then(
        (found) => {
          if (found === undefined) thread.error.value = "The message of this link is not among the loaded messages.";
          else requestAnimationFrame(() => showMessage(linked));
        },
        (error: unknown) => (thread.error.value = wordsOfError(error)),
      );
  }, [linked, isRead]);
}

function showMessage(id: string): void {
  const article = document.getElementById(id);
  article?.scrollIntoView({ block: "center" });
  article?.focus({ preventScroll: true });
}

/** Keeps the end of the list in view as it grows, unless the reader has scrolled up. */
function useFollowedEnd(length: number) {
  const list = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const element = list.current;
    if (element === null) return;
    const toEnd = (): void => {
      if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    };
    const watch = (): void => {
      isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX;
    };
    toEnd();
    element.addEventListener("scroll", watch, { passive: true });
    const changes = new MutationObserver(toEnd);
    changes.observe(element, { childList: true, subtree: true, characterData: true });
    return () => {
      element.removeEventListener("scroll", watch);
      changes.disconnect();
    };
  }, [length === 0, list.current === null]);
  return list;
}
