/**
 * Refusals that name a setting of the call (RUN-32). The request is sent again without the setting, and the job says so.
 * `provider_options` are not dropped: they may say where a request may go, so their refusal fails the call.
 */
import type { CallSettingName, SetSettings } from "../../../actors/job/model-settings.ts";
import type { SettingConcession, WireCall } from "./wire-format.ts";

/** How providers name each setting, in the order in which they are dropped. */
const SETTING_WORDS: Readonly<Record<Exclude<CallSettingName, "providerOptions">, RegExp>> = {
  temperature: /temperature/i,
  topP: /top_?p\b/i,
  maxOutputTokens: /max_(?:output_|completion_)?tokens/i,
  serviceTier: /service[ _-]?tier/i,
  effort: /effort|think value/i,
  thinking:
    /thinking\.|budget_tokens|thinking[`'"\\]*[^.]{0,40}(?:not supported|unsupported|permitted)|expected [`'"\\]*thinking/i,
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

export const SETTING_RULES = DROPPED_SETTINGS.map((setting) => ({
  concession: settingConcession(setting),
  says: SETTING_WORDS[setting],
  concerns: ({ settings }: WireCall): boolean => settings[setting] !== undefined,
  isRemembered: "for these settings" as const,
}));
