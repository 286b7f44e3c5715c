/** The settings of a call (RUN-32) as the AI SDK names them, and its warnings about those that a package leaves out. */
import { definedFields } from "../../../actors/changes.ts";
import type { LanguageModelStreamPart } from "ai";
import type { CallSettingName, SetSettings } from "../../../actors/job/model-settings.ts";
import type { ModelCall } from "../../../actors/job/ports.ts";
import { withProviderOptions } from "../wire/setting-fields.ts";

/** By the SDK's names. */
const SDK_NAMES = {
  maxOutputTokens: "maxOutputTokens",
  temperature: "temperature",
  topP: "topP",
  stopSequences: "stop",
  reasoning: "effort",
} as const satisfies Record<string, CallSettingName>;

export function sdkSettings({ maxOutputTokens, temperature, topP, stop, effort }: SetSettings) {
  const stopSequences = stop === undefined ? undefined : [...stop];
  return definedFields({ maxOutputTokens, temperature, topP, stopSequences, reasoning: effort });
}

/** `provider_options` go by the name of the provider, such as `google`. */
export const sdkOptions = <T extends object>(own: T, { providerOptions }: SetSettings): T =>
  withProviderOptions(own, providerOptions);

/** Reports the settings that the package has left out. */
export function reportUnsupported(
  { warnings }: Extract<LanguageModelStreamPart, { readonly type: "model-call-start" }>,
  { settings = {}, onLeftSetting }: Pick<ModelCall, "settings" | "onLeftSetting">,
): void {
  for (const warning of warnings) {
    if (warning.type !== "unsupported" || !Object.hasOwn(SDK_NAMES, warning.feature)) continue;
    const setting = SDK_NAMES[warning.feature as keyof typeof SDK_NAMES];
    if (settings[setting] !== undefined) onLeftSetting?.({ setting, why: "the provider does not have it" });
  }
}
