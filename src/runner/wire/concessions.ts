/**
 * Changes to a request because its provider has refused the normal form. After a refusal that names the reason, the
 * request is sent once more with the concession, which is remembered for the model if the refusal would repeat. Only the
 * provider's own words count: it may repeat the prompt in its answer.
 */
import { BoundedMap } from "../../../actors/bounded-map.ts";
import type { AssistantMessage, SpokenMessage } from "../conversation.ts";
import { ProviderAnswer, providerRefusalOf } from "../provider-faults.ts";
import type { ProviderRefusal } from "../provider-words.ts";
import { sentSettings, SETTING_RULES } from "./setting-rules.ts";
import type { Concession, WireCall } from "./wire-format.ts";
import type { ModelTarget } from "../model-name.ts";

export interface ConcessionRule {
  readonly concession: Concession;
  readonly says: (refusal: ProviderRefusal, call: WireCall) => boolean;
  /** Whether the request has what is conceded. */
  readonly concerns: (call: WireCall) => boolean;
  /** False: it holds for this request only. Absent: for every later request to the model. */
  readonly isRemembered?: false | "for these settings";
}

const wordsLike =
  (pattern: RegExp) =>
  ({ words }: ProviderRefusal): boolean =>
    pattern.test(words);
const anyWords = (): boolean => true;
const alwaysUseful = (): boolean => true;
const hasState = ({ messages }: WireCall): boolean =>
  messages.some(
    (message) =>
      message.role === "assistant" &&
      (message.fields !== undefined || message.parts.some((part) => part.before ?? part.fields)),
  );
const hasSystem = ({ system }: WireCall): boolean => system !== "";
const asksForCache = ({ caching }: WireCall): boolean => caching !== null;
/** Words of a refusal that are about the cache's lifetime. */
const CACHE_LIFETIME_WORDS = /prompt_cache_retention|extended prompt caching|cache_control.{0,20}\bttl\b/is;
const hasCalls = ({ messages }: WireCall): boolean => messages.some(({ role }) => role === "tool");

/** In the order in which they are tried. */
const RULES: readonly ConcessionRule[] = [
  {
    concession: "max_completion_tokens",
    says: wordsLike(/max_completion_tokens.{0,20}instead/is),
    concerns: ({ settings }) => settings.maxOutputTokens !== undefined,
  },
  ...SETTING_RULES,
  {
    concession: "no_cache_lifetime",
    says: wordsLike(CACHE_LIFETIME_WORDS),
    concerns: asksForCache,
  },
  {
    concession: "no_caching",
    says: wordsLike(/cache_control|prompt_cache|cache_?point|prompt caching/i),
    concerns: asksForCache,
  },
  {
    concession: "no_eager_arguments",
    says: wordsLike(/eager_input_streaming/i),
    concerns: ({ tools }) => tools.length > 0,
  },
  {
    concession: "no_stream_options",
    says: wordsLike(/stream_options|include_usage/i),
    concerns: alwaysUseful,
  },
  {
    concession: "stand_in_reasoning",
    says: wordsLike(/missing.{0,40}reasoning_content|reasoning_content.{0,80}(?:missing|must be|required)/is),
    concerns: hasCalls,
  },
  {
    concession: "stand_in_signature",
    says: wordsLike(/missing.{0,40}thought_?signature|thought_?signature.{0,40}(?:missing|required)/is),
    concerns: hasCalls,
  },
  {
    concession: "no_encrypted_reasoning",
    says: (refusal) =>
      /encrypted.?content.{0,40}not supported/is.test(refusal.words) || /^include\b/.test(refusal.field),
    concerns: alwaysUseful,
  },
  {
    concession: "no_system",
    says: wordsLike(
      /system (?:role|message|instruction|prompt)s?.{0,20}not (?:supported|enabled|allowed)|not support.{0,20}system (?:role|message|instruction|prompt)|developer instruction is not enabled/is,
    ),
    concerns: hasSystem,
  },
  {
    concession: "answer_after_tools",
    says: wordsLike(/role '?"?user'?"? after (?:role )?'?"?tool/is),
    concerns: hasCalls,
  },
  {
    concession: "no_state",
    says: wordsLike(
      /(?:extra|unknown|unrecogni[sz]ed|unexpected|unsupported|additional).{0,40}(?:field|input|propert|argument|parameter|key)|property.{0,80}unsupported|not permitted/is,
    ),
    concerns: hasState,
  },
  {
    concession: "no_state",
    says: wordsLike(/signature|encrypted|thinking|thought|reasoning/i),
    concerns: hasState,
    isRemembered: false,
  },
  {
    concession: "no_prefill",
    says: wordsLike(/prefill|(?:last|final) message|end with|prefix/i),
    concerns: ({ prefill }) => prefill !== "",
  },
  {
    concession: "no_prefill",
    says: anyWords,
    concerns: ({ prefill }) => prefill !== "",
    isRemembered: false,
  },
  {
    concession: "no_schema",
    says: anyWords,
    concerns: ({ outputSchema }) => outputSchema !== null,
    isRemembered: false,
  },
];

/** Statuses with which servers refuse a request for what is in it; templates of llama.cpp fail with 500. */
const REFUSED_STATUSES: ReadonlySet<number> = new Set([400, 422, 500]);
const isOfSetting = (concession: Concession): boolean => concession.startsWith("no_setting");
/** A failure of the server says nothing about these. */
const isOfRequest = (concession: Concession): boolean =>
  concession === "no_schema" ||
  concession === "no_caching" ||
  concession === "no_cache_lifetime" ||
  isOfSetting(concession);

/** The rule for a provider's refusal of this call; null if nothing can be conceded. */
export function ruleFor(error: unknown, call: WireCall): ConcessionRule | null {
  if (!(error instanceof ProviderAnswer) || !REFUSED_STATUSES.has(error.statusCode)) return null;
  const { statusCode } = error;
  const refusal = providerRefusalOf(error);
  return (
    RULES.find(
      ({ concession, says, concerns }) =>
        !call.concessions.has(concession) &&
        (statusCode !== 500 || !isOfRequest(concession)) &&
        concerns(call) &&
        says(refusal, call),
    ) ?? null
  );
}

/** The call with what is conceded. */
export function applyConcessions(call: WireCall): WireCall {
  const { concessions } = call;
  let { system, messages, outputSchema, caching } = call;
  if (caching !== null && concessions.has("no_cache_lifetime")) caching = { ...caching, lifetime: null, pauses: false };
  if (concessions.has("no_caching")) caching = null;
  if (concessions.has("no_state")) messages = messages.map(withoutState);
  if (concessions.has("no_schema")) outputSchema = null;
  if (concessions.has("no_system") && system !== "") {
    messages = withHead(messages, system);
    system = "";
  }
  if (call.prefill !== "" && !concessions.has("no_prefill")) messages = [...messages, prefillMessage(call.prefill)];
  if (concessions.has("answer_after_tools"))
    messages = messages.flatMap((message, at) => answerBetween(message, messages[at - 1]));
  return { ...call, system, messages, outputSchema, caching, settings: sentSettings(call) };
}

function withoutState(message: SpokenMessage): SpokenMessage {
  if (message.role !== "assistant") return message;
  const parts = message.parts.map((part) => {
    const { before: _before, fields: _fields, ...said } = part;
    return said;
  });
  return { role: "assistant", parts };
}

function withHead([first, ...rest]: readonly SpokenMessage[], system: string): readonly SpokenMessage[] {
  if (first?.role !== "user")
    return [{ role: "user", content: system }, ...(first === undefined ? [] : [first]), ...rest];
  const { content } = first;
  const head = `${system}\n\n`;
  if (typeof content === "string") return [{ role: "user", content: head + content }, ...rest];
  return [{ role: "user", content: [{ type: "text", text: head }, ...content] }, ...rest];
}

const AFTER_TOOLS = "(The results are read.)";

const answerBetween = (message: SpokenMessage, before: SpokenMessage | undefined): readonly SpokenMessage[] =>
  message.role === "user" && before?.role === "tool"
    ? [{ role: "assistant", parts: [{ kind: "text", text: AFTER_TOOLS }] }, message]
    : [message];

/** Models, and settings, whose concessions are remembered; an operator names far fewer models. */
const KNOWN_MODELS = 256;

/** What models are known to refuse: of every call, and of calls of an organization with the same settings. */
export class ModelMemory {
  private readonly models = new BoundedMap<ReadonlySet<Concession>>(KNOWN_MODELS);
  private readonly caching = new BoundedMap<true>(KNOWN_MODELS);
  private readonly settings = new BoundedMap<ReadonlySet<Concession>>(KNOWN_MODELS);

  concessionsOf(model: string): ReadonlySet<Concession> {
    return this.models.get(model) ?? NO_CONCESSIONS;
  }

  remember(model: string, concession: Concession): void {
    this.models.set(model, new Set([...this.concessionsOf(model), concession]));
  }

  /** Whether the model has accepted a request for caching. */
  cachesAt(model: string): boolean {
    return this.caching.get(model) === true;
  }

  rememberCaching(model: string): void {
    this.caching.set(model, true);
  }

  ofSettings(key: string): ReadonlySet<Concession> {
    return this.settings.get(key) ?? NO_CONCESSIONS;
  }

  rememberSetting(key: string, concession: Concession): void {
    this.settings.set(key, new Set([...this.ofSettings(key), concession]));
  }
}

const NO_CONCESSIONS: ReadonlySet<Concession> = new Set();

/** Claude takes it up to 4.5. */
const CLAUDE = /claude-(?:instant|v?2|3)|claude-(?:opus|sonnet|haiku)-4(?:$|@|-(?:\d{8}|[015](?:$|[-@])))/;
/** Mistral's models, where the message says that it is a beginning. */
const MISTRAL = /(?:mis|mix|minis|magis|devs|codes|pix)tral/i;

/**
 * Which models continue from a given beginning of their answer: a repeated call then does not repeat text that was
 * shown. Others start over, or refuse it.
 */
export const takesPrefill = ({ kind, name }: Pick<ModelTarget, "kind" | "name">): boolean =>
  kind === "messages" ? CLAUDE.test(name) : kind === "chat-completions" && MISTRAL.test(name);

/** The beginning as the last message. Only Mistral reads the field; the format of Anthropic's models has no fields. */
export const prefillMessage = (text: string): AssistantMessage => ({
  role: "assistant",
  parts: [{ kind: "text", text }],
  fields: { prefix: true },
});
