/**
 * Shows a run once, although its stream may begin again: after a lost connection, or at another replica. A stream has
 * the same updates in the same order each time, and text in pieces of any size.
 *
 *   stream ──▶ what was shown already is dropped ──▶ the rest
 *              text that was said differently ──▶ a new message, with all of it
 *
 * ACP cannot take text back. So if a model's step began again with different text, the message is sent again under
 * another id, as the service itself does.
 */
import { GrowingText } from "../../../../actors/growing-text.ts";
import type { JsonObject } from "../../../../actors/schema.ts";
import { ownMeta } from "../own-meta.ts";

/** An update of the connection itself: the run does not have it, so no other stream has it either. */
export const aside = (update: JsonObject): JsonObject => ({ ...update, _meta: { troupe: { aside: true } } });
const isAside = ({ _meta: meta }: JsonObject): boolean => ownMeta(meta)["aside"] === true;

/** A message as it was shown. */
interface SentMessageText {
  text: GrowingText;
  /** How often it was said anew. */
  times: number;
}

/** A message as the stream has it so far. */
interface ReadMessageText {
  readonly wireId: string;
  length: number;
}

/** The message that the stream has last. */
interface OpenMessage {
  readonly name: string;
  readonly shown: SentMessageText;
  readonly read: ReadMessageText;
}

const NO_UPDATES: readonly JsonObject[] = [];
/** A message that is said anew keeps its name. */
const messageName = (wireId: string): string => wireId.split("~")[0] ?? "";

export class RepeatedRun {
  private readonly shown = new Map<string, SentMessageText>();
  private read = new Map<string, ReadMessageText>();
  private shownUpdates = 0;
  private readUpdates = 0;
  private open: OpenMessage | null = null;

  /** The stream begins again. */
  rewind(): void {
    this.read = new Map();
    this.readUpdates = 0;
    this.open = null;
  }

  /** The updates that are new. */
  take(update: JsonObject): readonly JsonObject[] {
    const { messageId, content } = update;
    if (isAside(update)) return [update];
    const isText =
      update["sessionUpdate"] === "agent_message_chunk" &&
      typeof messageId === "string" &&
      (content as JsonObject)["type"] === "text";
    if (isText) return this.takeText(update, messageId, String((content as JsonObject)["text"]));
    this.readUpdates++;
    if (this.readUpdates <= this.shownUpdates) return NO_UPDATES;
    this.shownUpdates++;
    return [...this.settled(null), update];
  }

  private takeText(update: JsonObject, wireId: string, text: string): readonly JsonObject[] {
    const isGoingOn = this.open?.read.wireId === wireId;
    const settled = isGoingOn ? NO_UPDATES : this.settled(messageName(wireId));
    const message = isGoingOn ? this.open! : this.begin(wireId);
    const { shown, read } = message;
    const from = read.length;
    read.length += text.length;
    // Most text is new: then this is empty, and no shown text is read.
    const known = shown.text.after(from).slice(0, text.length);
    if (!text.startsWith(known)) {
      const before = shown.text.toString().slice(0, from);
      return [...settled, this.sayAnew(update, message, before + text)];
    }
    const rest = text.slice(known.length);
    shown.text.add(rest);
    return rest === "" ? settled : [...settled, this.chunk(update, message, rest)];
  }

  /** The message comes after another one, or anew. */
  private begin(wireId: string): OpenMessage {
    const name = messageName(wireId);
    const shown = this.shown.get(name) ?? { text: new GrowingText(), times: 0 };
    this.shown.set(name, shown);
    let read = this.read.get(name);
    if (read?.wireId !== wireId) {
      if (read !== undefined) {
        // The stream itself says the message anew.
        shown.text = new GrowingText();
        shown.times++;
      }
      read = { wireId, length: 0 };
      this.read.set(name, read);
    }
    this.open = { name, shown, read };
    return this.open;
  }

  /** A message that ended before what was shown of it ended: it was said differently. */
  private settled(next: string | null): readonly JsonObject[] {
    const { open } = this;
    if (open === null || open.name === next) return NO_UPDATES;
    this.open = null;
    const { shown, read } = open;
    if (read.length >= shown.text.length) return NO_UPDATES;
    const update = { sessionUpdate: "agent_message_chunk", content: { type: "text" } };
    return [this.sayAnew(update, open, shown.text.toString().slice(0, read.length))];
  }

  /** The run is over. */
  end(): readonly JsonObject[] {
    return this.settled(null);
  }

  private sayAnew(update: JsonObject, message: OpenMessage, text: string): JsonObject {
    message.shown.times++;
    message.shown.text = new GrowingText(text);
    return this.chunk(update, message, text);
  }

  private chunk(update: JsonObject, { name, shown: { times } }: OpenMessage, text: string): JsonObject {
    const messageId = times === 0 ? name : `${name}~${times}`;
    const content = update["content"] as JsonObject;
    // Most text is as its stream has it.
    if (update["messageId"] === messageId && content["text"] === text) return update;
    return { ...update, messageId, content: { ...content, text } };
  }
}
