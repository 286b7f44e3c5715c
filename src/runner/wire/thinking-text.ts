/**
 * Tells the reasoning of local models from their answer, where their server leaves it in the text, between tags. Tags
 * count only where an answer begins, and may be cut over frames: text is held back only while it may be such a tag.
 *
 *   start ─▶ tag ─▶ thinking ─▶ end tag ─▶ start
 *     └─ anything else ─▶ text, to the end
 */
import type { Thinking } from "../../../actors/job/model-entry.ts";
import { GrowingText } from "../../../actors/growing-text.ts";
import type { AnswerSink } from "../answer.ts";

/** Of DeepSeek, Qwen and most others; of Bedrock for OpenAI's open models; of Seed, of Magistral, of Kimi. */
const TAGS: readonly (readonly [string, string])[] = [
  ["<think>", "</think>"],
  ["<reasoning>", "</reasoning>"],
  ["<seed:think>", "</seed:think>"],
  ["[THINK]", "[/THINK]"],
  ["◁think▷", "◁/think▷"],
];

export class ThinkingText {
  private readonly sink: Pick<AnswerSink, "text" | "reasoning">;
  private state: "start" | "thinking" | "text";
  private held = "";
  private endTag = "</think>";
  /** Whether a thought has ended: white space after it is no text. */
  private hasThought = false;
  /** All text of an answer that began within a thought: it may turn out not to be a thought. */
  private unclosed: GrowingText | null;

  constructor(sink: Pick<AnswerSink, "text" | "reasoning">, thinking: Thinking) {
    this.sink = sink;
    this.state = thinking === "off" ? "text" : thinking === "open" ? "thinking" : "start";
    this.unclosed = thinking === "open" ? new GrowingText() : null;
  }

  take(piece: string): void {
    if (this.state === "text") return this.sink.text(piece);
    this.unclosed?.add(piece);
    this.held += piece;
    this.read();
  }

  /** The server reports the reasoning separately, so the text contains none. */
  isTold(): void {
    if (this.unclosed === null) return;
    this.unclosed = null;
    this.state = "text";
  }

  /** The answer has ended; `isWhole`: the model has ended it itself. */
  end(isWhole: boolean): void {
    const { held, unclosed } = this;
    this.held = "";
    if (this.state === "start" && (held.trim() !== "" || !this.hasThought)) this.text(held);
    if (this.state !== "thinking") return;
    if (unclosed !== null && isWhole) this.sink.text(unclosed.toString());
    else if (held !== "") this.sink.reasoning(held);
  }

  private read(): void {
    for (;;) {
      if (this.state === "start" && !this.begins()) return;
      if (this.state === "thinking" && !this.thinks()) return;
      if (this.state === "text") return;
    }
  }

  /** Whether it is known how the text begins. */
  private begins(): boolean {
    const begun = this.held.trimStart();
    if (begun === "") return false;
    const tag = TAGS.find(([open]) => begun.startsWith(open));
    if (tag === undefined) {
      if (TAGS.some(([open]) => open.startsWith(begun))) return false;
      const text = this.hasThought ? begun : this.held;
      this.held = "";
      this.state = "text";
      this.text(text);
      return true;
    }
    this.endTag = tag[1];
    this.held = begun.slice(tag[0].length);
    this.state = "thinking";
    return true;
  }

  /** Whether the thought has ended. */
  private thinks(): boolean {
    const { held, endTag } = this;
    const at = held.indexOf(endTag);
    const end = at < 0 ? held.length - partOfTag(held, endTag) : at;
    if (end > 0) this.sink.reasoning(held.slice(0, end));
    this.held = held.slice(at < 0 ? end : at + endTag.length);
    if (at < 0) return false;
    this.unclosed = null;
    this.hasThought = true;
    this.state = "start";
    return true;
  }

  private text(text: string): void {
    if (text !== "") this.sink.text(text);
  }
}

/** How many characters at the end of the text may be the beginning of the tag. */
function partOfTag(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--)
    if (text.endsWith(tag.slice(0, length))) return length;
  return 0;
}
