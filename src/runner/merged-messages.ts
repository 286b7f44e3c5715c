/** Neighbours of one role as one message: after a turn without an answer, two messages of the user follow each other. */
import { TEXT_SEPARATOR } from "../../actors/job/schema.ts";
import type { ContentPart, UserContent } from "./content.ts";
import type { AssistantMessage, Message, SpokenCall, SpokenText } from "./conversation.ts";

export function merged(messages: readonly Message[]): Message[] {
  const joined: Message[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    const both = last === undefined ? null : together(last, message);
    if (both === null) joined.push(message);
    else joined[joined.length - 1] = both;
  }
  return joined.map((message) => (message.role === "assistant" ? withoutSeams(message) : message));
}

/** Null if they are of different roles. */
function together(one: Message, other: Message): Message | null {
  if (one.role === "user" && other.role === "user")
    return { role: "user", content: contentOf(one.content, other.content) };
  if (one.role === "tool" && other.role === "tool")
    return { role: "tool", results: [...one.results, ...other.results] };
  if (one.role !== "assistant" || other.role !== "assistant") return null;
  const fields = { ...one.fields, ...other.fields };
  const kept = Object.keys(fields).length === 0 ? {} : { fields };
  return { role: "assistant", parts: [...one.parts, ...other.parts], ...kept };
}

function contentOf(one: UserContent, other: UserContent): UserContent {
  if (typeof one === "string" && typeof other === "string") return one + TEXT_SEPARATOR + other;
  return [...partsOf(one), ...partsOf(other)];
}

const partsOf = (content: UserContent): readonly ContentPart[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;

/** Texts that follow each other become one, unless a provider wants something back between them. */
function withoutSeams(message: AssistantMessage): AssistantMessage {
  const parts: (SpokenText | SpokenCall)[] = [];
  for (const part of message.parts) {
    const last = parts.at(-1);
    const isSeam = last?.kind === "text" && part.kind === "text" && part.before === undefined;
    if (isSeam && last.fields === undefined && part.fields === undefined)
      parts[parts.length - 1] = { ...last, text: last.text + TEXT_SEPARATOR + part.text };
    else parts.push(part);
  }
  return parts.length === message.parts.length ? message : { ...message, parts };
}
