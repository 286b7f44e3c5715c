/**
 * Provider state of the AI SDK's providers: their metadata, sent back as options of the same part, and their reasoning.
 */
import type { LanguageModelStreamPart } from "ai";
import { GrowingText } from "../../../actors/growing-text.ts";
import type { AnswerSink } from "../answer.ts";

interface WithMetadata {
  readonly providerMetadata?: object | undefined;
}

/** The options that send a part's metadata back; empty if it has none. */
export const metadataOptions = ({ providerMetadata }: WithMetadata): { readonly providerOptions?: object } =>
  providerMetadata === undefined ? {} : { providerOptions: providerMetadata };

interface SdkThought {
  readonly text: GrowingText;
  metadata: object | undefined;
}

/** Collects parts of reasoning, whose signatures may come with any piece of them. */
export class SdkThoughts {
  private readonly sink: AnswerSink;
  private readonly open = new Map<string, SdkThought>();

  constructor(sink: AnswerSink) {
    this.sink = sink;
  }

  take(part: LanguageModelStreamPart): void {
    if (part.type !== "reasoning-start" && part.type !== "reasoning-delta" && part.type !== "reasoning-end") return;
    const thought = this.open.get(part.id) ?? { text: new GrowingText(), metadata: undefined };
    this.open.set(part.id, thought);
    thought.metadata = part.providerMetadata ?? thought.metadata;
    if (part.type === "reasoning-delta") thought.text.add(part.text);
    if (part.type !== "reasoning-end") return;
    this.open.delete(part.id);
    const options = thought.metadata === undefined ? {} : { providerOptions: thought.metadata };
    this.sink.part({ type: "reasoning", text: thought.text.toString(), ...options });
  }
}
