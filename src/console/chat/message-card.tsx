/** One message: its text with the tool calls between, and what it cost. */
import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Citation, StopReason, TokenUsage } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { Money } from "../format/amount.tsx";
import { Markdown, SAFE_LINK } from "../format/markdown.tsx";
import { Time } from "../format/time.tsx";
import { memberName, ownId } from "../session.ts";
import { AttachedFile } from "./attached-file.tsx";
import type { ChatCall, ShownMessage } from "./thread.ts";

/** Characters of a tool's result that are shown at first. */
const RESULT_BEGINNING = 2_000;

const STOPS: Readonly<Partial<Record<StopReason, string>>> = {
  tool_use: "The model stopped to call a tool, and nothing followed.",
  length: "The answer was cut at a token limit.",
  content_filter: "A filter of the provider ended the answer.",
  refusal: "The model declined to answer.",
  other: "The provider ended the answer for a reason of its own.",
};

interface MessageCardProps {
  readonly message: Signal<ShownMessage>;
  /** Why the messages of this chat cannot be pinned; null if they can. */
  readonly whyNoPin: string | null;
  readonly pin: (isPinned: boolean) => Promise<unknown>;
  /** Starts a fork with another message in the place of this one; null for messages of the agent. */
  readonly edit: ((message: ShownMessage) => void) | null;
  /** Has the agent answer once more; null for messages of people, and where that is not possible. */
  readonly again?: ((message: ShownMessage) => Promise<void>) | null;
}

export function MessageCard({ message: { value: message }, whyNoPin, pin, edit, again = null }: MessageCardProps) {
  const { id, chatId, jobId, role, status, isPinned, isSummary } = message;
  const isOver = status === "completed" || status === "cancelled" || status === "failed";
  const author = isSummary ? "Summary" : role === "user" ? personIn(message) : role === "assistant" ? "Agent" : role;
  return (
    <article
      id={id}
      class={`message ${role}`}
      aria-label={`Message of ${author}`}
      aria-busy={status === "streaming"}
      tabIndex={-1}
    >
      <header>
        <strong>{author}</strong>{" "}
        <Link href={`/chats/${chatId}?message=${id}`}>
          <Time at={message.createdAt} />
        </Link>
        {status === "queued" ? <span class="badge">queued</span> : null}
        {status === "failed" ? <span class="badge bad">failed</span> : null}
        {status === "cancelled" ? <span class="badge">stopped</span> : null}
        <span class="tools">
          {edit === null ? null : <button onClick={() => edit(message)}>Edit</button>}
          {again === null || jobId === null || !isOver ? null : (
            <ActionButton act={() => again(message)}>Another answer</ActionButton>
          )}
          <ActionButton act={() => pin(!isPinned)} whyNot={whyNoPin}>
            {isPinned ? "Unpin" : "Pin"}
          </ActionButton>
        </span>
      </header>
      {message.attachments.map((file, index) => (
        <AttachedFile key={`${file.sha256} ${index}`} file={file} />
      ))}
      {message.reasoning === "" ? null : (
        <details>
          <summary>Reasoning</summary>
          <pre tabIndex={0}>{message.reasoning}</pre>
        </details>
      )}
      {role === "user" ? <p class="said">{message.content}</p> : textAndCalls(message)}
      {status === "streaming" ? <p class="writing">…</p> : null}
      {message.citations.length === 0 ? null : <Sources citations={message.citations} />}
      {message.stopReason === null || status === "streaming" ? null : <StopNote reason={message.stopReason} />}
      {role === "user" ? null : <Cost usage={status === "streaming" ? null : message.usage} jobId={jobId} />}
    </article>
  );
}

/** `You`, or the name of another person. */
const personIn = ({ senderId }: ShownMessage): string =>
  senderId === ownId.value ? "You" : ((senderId === null ? null : memberName(senderId)) ?? "A person");

/** What the answer cites, each source once. */
function Sources({ citations }: { readonly citations: readonly Citation[] }) {
  const sources = [...new Map(citations.map((one) => [`${one.url} ${one.title} ${one.first_page}`, one])).values()];
  return (
    <details class="sources">
      <summary>{sources.length === 1 ? "1 source" : `${sources.length} sources`}</summary>
      <ol>
        {sources.map(({ url, title, first_page: page, cited_text: cited }, index) => (
          <li key={index}>
            {url !== null && SAFE_LINK.test(url) ? (
              <a href={url} rel="noopener noreferrer nofollow" target="_blank" title={url}>
                {title ?? url}
              </a>
            ) : (
              (title ?? "A document")
            )}
            {page === null ? null : `, page ${page}`}
            {cited === null ? null : <q class="quiet">{cited}</q>}
          </li>
        ))}
      </ol>
    </details>
  );
}

function StopNote({ reason }: { readonly reason: StopReason }) {
  const words = STOPS[reason];
  return words === undefined ? null : <p class="quiet">{words}</p>;
}

/** What the answer has used, and the job that has written it. */
function Cost({ usage, jobId }: { readonly usage: TokenUsage | null; readonly jobId: string | null }) {
  if (usage === null && jobId === null) return null;
  return (
    <p class="quiet cost">
      {usage === null
        ? null
        : `${usage.input_tokens.toLocaleString()} tokens in, ${usage.output_tokens.toLocaleString()} out`}
      {usage === null || usage.cost === null ? null : (
        <>
          {" "}
          · <Money amount={usage.cost} />
        </>
      )}
      {usage === null || jobId === null ? null : " · "}
      {jobId === null ? null : <Link href={`/jobs/${jobId}`}>What it did</Link>}
    </p>
  );
}

/** The text between the calls, and the calls. */
function textAndCalls({ content, calls, status }: ShownMessage): ComponentChildren {
  const parts: ComponentChildren[] = [];
  let from = 0;
  for (const call of calls) {
    const text = content.slice(from, call.position);
    if (text.trim() !== "") parts.push(<Markdown key={`text ${from}`} text={text} />);
    parts.push(<CallCard key={call.id} call={call} />);
    from = Math.max(from, call.position);
  }
  const rest = content.slice(from);
  if (rest.trim() !== "") parts.push(<Markdown key={`text ${from}`} text={rest} isGrowing={status === "streaming"} />);
  return parts;
}

function CallCard({ call: { name, input, result, isError } }: { readonly call: ChatCall }) {
  const [isWhole, setWhole] = useState(false);
  const state = result === null ? "running" : isError ? "failed" : "done";
  return (
    <details class={`call ${state}`}>
      <summary>
        <code>{name}</code> <span class={isError ? "badge bad" : "badge"}>{state}</span>
      </summary>
      <pre tabIndex={0}>{JSON.stringify(input, null, 2)}</pre>
      {result === null ? null : (
        <>
          <pre tabIndex={0}>{isWhole ? result : result.slice(0, RESULT_BEGINNING)}</pre>
          {isWhole || result.length <= RESULT_BEGINNING ? null : (
            <button onClick={() => setWhole(true)}>Show all {result.length.toLocaleString()} characters</button>
          )}
        </>
      )}
    </details>
  );
}
