/**
 * The transcript in a form that every provider accepts. Guarantees what they require:
 *
 * - the user begins, and neighbours have different roles (templates of Gemma and Mistral refuse anything else);
 * - each result directly follows the message with its call, each call has a result, in the order of the calls;
 * - ids are unique, and ids and names have only characters that every provider accepts, so that a chat can change its
 *   model;
 * - fields of JSON have one order, wherever they were read, so that each call repeats the one before byte for byte;
 * - what a provider wants back (`provider-state.ts`) goes only to the model that sent it;
 * - without tools, calls and results are sent as text: providers refuse them otherwise;
 * - images and files of results are in them only where the format takes that, else in a user's message after them.
 */
import { inStoredOrder } from "../../actors/canonical-json.ts";
import type { TranscriptEntry } from "../../actors/job/ports.ts";
import { type Block, TEXT_SEPARATOR, type ToolResultBlock, type ToolUseBlock } from "../../actors/job/schema.ts";
import type { Json, JsonObject } from "../../actors/schema.ts";
import { checkData, type MessagePart, type DataPart, isData, type UserContent } from "./content.ts";

const LOST_RESULT = "There is no result: the call was not finished.";
const LEFT_OUT_NOTE = "(Earlier messages are left out.)";
/** Longest tool name that every provider accepts. */
const MAX_SENT_NAME_CHARS = 64;
/** Digits of a call's id. With `call` they are nine letters and digits: Mistral accepts nothing else. */
const ID_DIGITS = 5;

/** The provider state of a part; see `ProviderState`. */
interface GivenBack {
  readonly before?: readonly Json[];
  readonly fields?: JsonObject;
}
export interface SpokenText extends GivenBack {
  readonly kind: "text";
  readonly text: string;
}
export interface SpokenCall extends GivenBack {
  readonly kind: "call";
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}
/** The result of the call with this id and name. */
export interface SpokenResult {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
  /** Images and files beside the text. */
  readonly files?: readonly DataPart[];
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly parts: readonly (SpokenText | SpokenCall)[];
  /** Fields of the whole message that its provider wants back. */
  readonly fields?: JsonObject;
}
export type SpokenMessage =
  | { readonly role: "user"; readonly content: UserContent }
  | AssistantMessage
  | { readonly role: "tool"; readonly results: readonly SpokenResult[] };

export interface ModelListening {
  /** The model that is called, `provider:name`. */
  readonly model: string;
  /** Whether it gets tools. */
  readonly hasTools: boolean;
  /** Whether results can have images and files; absent: they are text. No provider takes any in a failed result. */
  readonly resultFiles?: boolean;
}

/** The messages of a call, oldest first. An assistant entry without content is skipped. Throws `TooMuchData`. */
export function conversation(entries: readonly TranscriptEntry[], listening: ModelListening): SpokenMessage[] {
  checkData(entries);
  const writer = new ConversationWriter(listening);
  for (const entry of entries) {
    if (entry.role === "user") writer.messages.push({ role: "user", content: entry.parts ?? entry.text });
    else writer.assistant(entry);
  }
  const messages = mergeNeighbours(writer.messages);
  return messages[0]?.role === "assistant" ? [{ role: "user", content: LEFT_OUT_NOTE }, ...messages] : messages;
}

type AssistantEntry = Extract<TranscriptEntry, { readonly role: "assistant" }>;

class ConversationWriter {
  readonly messages: SpokenMessage[] = [];
  readonly #listening: ModelListening;
  #calls = 0;

  constructor(listening: ModelListening) {
    this.#listening = listening;
  }

  assistant({ blocks, resultFiles }: AssistantEntry): void {
    const results = resultsById(blocks);
    const { model, hasTools } = this.#listening;
    const isToldWhole = hasTools || !blocks.some(({ type }) => type === "tool_use");
    let parts: (SpokenText | SpokenCall)[] = [];
    let answers: SpokenResult[] = [];
    let fields: JsonObject = {};
    /** What stood before a text that is left out. */
    let before: readonly Json[] = [];
    const flush = (): void => {
      const kept = Object.keys(fields).length === 0 ? {} : { fields };
      if (parts.length > 0) this.messages.push({ role: "assistant", parts, ...kept });
      if (answers.length > 0) this.messages.push(...this.#told(answers));
      [parts, answers, fields, before] = [[], [], {}, []];
    };
    for (const block of blocks) {
      if (block.type === "tool_result") {
        // A result ends the message with its call; a result without an earlier call is dropped.
        if (answers.length > 0) flush();
        continue;
      }
      // What its provider wants back of it is with the next block.
      if (block.type === "reasoning") continue;
      // What belongs to a call does not go with words about it.
      const state = isToldWhole && block.provider_state?.model === model ? block.provider_state : undefined;
      before = [...before, ...(state?.before ?? []).map(inStoredOrder)];
      fields = { ...fields, ...inStoredOrder(state?.message ?? {}) };
      // Providers refuse blank text.
      if (block.type === "text" && block.text.trim() === "") continue;
      const stated = {
        ...(before.length === 0 ? {} : { before }),
        ...(state?.fields === undefined ? {} : { fields: inStoredOrder(state.fields) }),
      };
      before = [];
      if (block.type === "text") parts.push({ kind: "text", text: block.text, ...stated });
      else {
        const result = results.get(block.id)?.shift();
        const { call, answer } = this.#pair(
          block,
          result,
          result === undefined ? [] : (resultFiles?.get(result) ?? []),
        );
        parts.push(hasTools ? { ...call, ...stated } : { kind: "text", text: callWords(call) });
        answers.push(answer);
      }
    }
    flush();
  }

  #told(results: readonly SpokenResult[]): SpokenMessage[] {
    const { hasTools, resultFiles: isInside = false } = this.#listening;
    const isBeside = ({ isError }: SpokenResult): boolean => !hasTools || !isInside || isError;
    const beside = results
      .filter(isBeside)
      .flatMap(({ name, files = [] }): MessagePart[] =>
        files.length === 0 ? [] : [{ type: "text", text: `[From the result of ${name}:]` }, ...files],
      );
    const after: SpokenMessage[] = beside.length === 0 ? [] : [{ role: "user", content: beside }];
    if (hasTools) {
      const told = results.map((result): SpokenResult => {
        const { files: _, ...text } = result;
        return isBeside(result) ? text : result;
      });
      return [{ role: "tool", results: told }, ...after];
    }
    const texts = results.map(({ name, text, isError }) => `[${isError ? "Error" : "Result"} of ${name}]\n${text}`);
    return [{ role: "user", content: texts.join(TEXT_SEPARATOR) }, ...after];
  }

  /** Ids are assigned by position: some servers repeat their own, and some refuse those of others. */
  #pair(
    block: ToolUseBlock,
    result: ToolResultBlock | undefined,
    parts: readonly MessagePart[],
  ): { call: SpokenCall; answer: SpokenResult } {
    this.#calls += 1;
    const id = `call${String(this.#calls).padStart(ID_DIGITS, "0")}`;
    const name = block.name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, MAX_SENT_NAME_CHARS) || "unnamed";
    // Content that the model does not get is replaced by a description.
    const words = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
    const files = parts.filter(isData);
    return {
      call: { kind: "call", id, name, input: inStoredOrder(block.input) },
      answer: {
        id,
        name,
        text: [result?.content ?? LOST_RESULT, ...words].join("\n"),
        isError: result?.is_error ?? true,
        ...(files.length === 0 ? {} : { files }),
      },
    };
  }
}

const callWords = ({ name, input }: SpokenCall): string => `[Call to ${name}]\n${JSON.stringify(input)}`;

function resultsById(blocks: readonly Block[]): Map<string, ToolResultBlock[]> {
  const results = new Map<string, ToolResultBlock[]>();
  for (const block of blocks) {
    if (block.type !== "tool_result") continue;
    const known = results.get(block.tool_use_id);
    if (known === undefined) results.set(block.tool_use_id, [block]);
    else known.push(block);
  }
  return results;
}

/** Neighbours of one role as one message: after a turn without an answer, two messages of the user follow each other. */
function mergeNeighbours(messages: readonly SpokenMessage[]): SpokenMessage[] {
  const joined: SpokenMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    const both = last === undefined ? null : together(last, message);
    if (both === null) joined.push(message);
    else joined[joined.length - 1] = both;
  }
  return joined.map((message) => (message.role === "assistant" ? withoutSeams(message) : message));
}

/** Null if they are of different roles. */
function together(one: SpokenMessage, other: SpokenMessage): SpokenMessage | null {
  if (one.role === "user" && other.role === "user")
    return { role: "user", content: joinContent(one.content, other.content) };
  if (one.role === "tool" && other.role === "tool")
    return { role: "tool", results: [...one.results, ...other.results] };
  if (one.role !== "assistant" || other.role !== "assistant") return null;
  const fields = { ...one.fields, ...other.fields };
  const kept = Object.keys(fields).length === 0 ? {} : { fields };
  return { role: "assistant", parts: [...one.parts, ...other.parts], ...kept };
}

function joinContent(one: UserContent, other: UserContent): UserContent {
  if (typeof one === "string" && typeof other === "string") return one + TEXT_SEPARATOR + other;
  return [...partsOf(one), ...partsOf(other)];
}

const partsOf = (content: UserContent): readonly MessagePart[] =>
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
