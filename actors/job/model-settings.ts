/**
 * Settings of the model (RUN-32): an agent's, and over them a message's own. A job keeps both, so that each of its calls
 * has the same ones. What a provider makes of them is in `src/runner/setting-support.ts`.
 */
import { type JsonObject, Nullable, OneOf, type Static, Type } from "../schema.ts";

/** How hard a model works, from the least. Each provider has some of them. */
export const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
/** `adaptive`: the model decides how long it thinks. */
export const THINKING_TYPES = ["enabled", "adaptive", "disabled"] as const;

/** The smallest budget that Anthropic takes, in tokens. */
export const LEAST_THINKING = 1_024;
/** Tokens of an answer: above what any model writes. */
export const MOST_ANSWER = 10_000_000;
/** Stop sequences, and characters of each. */
export const MOST_STOPS = 16;
export const STOP_CHARACTERS = 256;

export const ThinkingSetting = Type.Object({
  type: OneOf(THINKING_TYPES),
  /** Tokens of thought, if it is `enabled`. */
  budgetTokens: Type.Optional(Type.Integer({ minimum: LEAST_THINKING, maximum: MOST_ANSWER })),
});

/** In a message's own settings, null removes the agent's value. */
export const CallSettings = Type.Object({
  effort: Type.Optional(Nullable(OneOf(EFFORTS))),
  maxOutputTokens: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: MOST_ANSWER }))),
  temperature: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 2 }))),
  topP: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 1 }))),
  stop: Type.Optional(Nullable(Type.Array(Type.String()))),
  serviceTier: Type.Optional(Nullable(Type.String())),
  thinking: Type.Optional(Nullable(ThinkingSetting)),
  /** Fields of the request's body, passed through as given. */
  providerOptions: Type.Optional(Nullable(Type.Unsafe<JsonObject>({ type: "object" }))),
});
export type CallSettings = Static<typeof CallSettings>;
export type CallSettingName = keyof CallSettings;

/** The settings that a record keeps. Absent or null: the provider's defaults. */
export const CallSettingsField = Type.Optional(Nullable(CallSettings));

/** Without nulls: what a call has. */
export type SetSettings = { readonly [Name in CallSettingName]?: NonNullable<CallSettings[Name]> };
export const NO_SETTINGS: SetSettings = {};

/** The message's settings over the agent's, field by field. */
export function mergedSettings(
  ofAgent: CallSettings | null | undefined,
  ofMessage: CallSettings | null | undefined,
): SetSettings {
  const merged = Object.entries({ ...ofAgent, ...ofMessage }).filter(([, value]) => value !== null);
  return merged.length === 0 ? NO_SETTINGS : (Object.fromEntries(merged) as SetSettings);
}

/** What another organization gets of an agent's settings: options passed as given are for its author's provider. */
export function lentSettings(settings: CallSettings | null | undefined): CallSettings | null {
  if (settings === null || settings === undefined) return null;
  const { providerOptions: _providerOptions, ...lent } = settings;
  return lent;
}

/** The name of a setting on the surfaces. */
export const settingField = (name: CallSettingName): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
