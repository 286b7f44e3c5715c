/**
 * Refusals that name a setting of the call (RUN-32). The request is sent again without the setting, and the job says so.
 * `provider_options` are not dropped: they may say where a request may go, so their refusal fails the call.
 */
import type { CallSettingName, SetSettings } from "../../../actors/job/model-settings.ts";
import { CONTEXT_EXCEEDED } from "../provider-faults.ts";
import type { ProviderRefusal } from "../provider-words.ts";
import type { SettingConcession, WireCall } from "./wire-format.ts";

/** How providers name each setting, as a field of the request or in words, in the order in which they are dropped. */
const SETTING_WORDS: Readonly<Record<Exclude<CallSettingName, "providerOptions">, RegExp>> = {
  temperature: /temperature/i,
  topP: /top_?p\b/i,
  maxOutputTokens: /max_(?:output_|completion_)?tokens/i,
  serviceTier: /service[ _-]?tier/i,
  effort: /effort|think value|output_config(?!\.format)|^reasoning\b/i,
  thinking:
    /(?<![\w.])thinking(?:\.|$)|budget_tokens|thinking[`'"\\]*[^.]{0,40}(?:not supported|unsupported|permitted)/i,
  stop: /\bstop(?:_sequences)?\b/i,
};
const DROPPED_SETTINGS = Object.keys(SETTING_WORDS) as readonly (keyof typeof SETTING_WORDS)[];

const settingConcession = (setting: keyof typeof SETTING_WORDS): SettingConcession => `no_setting ${setting}`;

type ConcededSettings = Pick<WireCall, "settings" | "concessions">;

/** The settings that are not sent, because the provider has refused them. */
export const droppedSettings = ({ settings, concessions }: ConcededSettings): readonly CallSettingName[] =>
  DROPPED_SETTINGS.filter((name) => settings[name] !== undefined && concessions.has(settingConcession(name)));

export function sentSettings(call: ConcededSettings): SetSettings {
  const { settings } = call;
  const dropped = droppedSettings(call);
  if (dropped.length === 0) return settings;
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !dropped.some((one) => one === name)));
}

/** Fields of the conversation or of a tool: a refusal that names one is not about a setting, whatever else it says. */
const NO_SETTING_FIELD = /^(?:messages|input|instructions|system|tools|functions|contents)\b/i;
/** With thinking, Anthropic wants the thoughts before calls, which another model has not written. */
const WANTS_THOUGHTS = /expected [`'"\\]*(?:redacted_)?thinking/i;

/** A field that names a setting counts before the words, which may name several. */
function namesSetting(
  setting: keyof typeof SETTING_WORDS,
  { words, field }: ProviderRefusal,
  { settings }: WireCall,
): boolean {
  if (WANTS_THOUGHTS.test(words)) return setting === "thinking";
  if (NO_SETTING_FIELD.test(field)) return false;
  const named = DROPPED_SETTINGS.find((name) => settings[name] !== undefined && SETTING_WORDS[name].test(field));
  return named === undefined ? SETTING_WORDS[setting].test(words) : named === setting;
}

export const SETTING_RULES = DROPPED_SETTINGS.map((setting) => ({
  concession: settingConcession(setting),
  // A call that is too long is made again with a shorter conversation, not with other settings.
  says: (refusal: ProviderRefusal, call: WireCall) =>
    !CONTEXT_EXCEEDED.test(refusal.words) && namesSetting(setting, refusal, call),
  concerns: ({ settings }: WireCall): boolean => settings[setting] !== undefined,
  isRemembered: "for these settings" as const,
}));
