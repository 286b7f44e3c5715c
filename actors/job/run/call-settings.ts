/** The settings of a run's model calls, and what the job says of those that a model does not take (RUN-32). */
import { NO_SETTINGS, settingField, type SetSettings } from "../model-settings.ts";
import { optionFlaws } from "../option-flaws.ts";
import type { ModelCall, SettingProblem } from "../ports.ts";
import { type Job, modelSettingsOf } from "../schema.ts";
import type { Warning } from "../terms.ts";

interface CallPlace {
  /** Whether the provider options were chosen for another provider than the one that is called. */
  readonly isElsewhere: boolean;
  readonly onLeftSetting: (problem: SettingProblem) => void;
}

/** They were saved by an earlier version, or past the checks. */
const RESERVED = "they have names or a size that is not allowed";

export function settingsOfCall(
  job: Pick<Job, "modelSettings" | "agent">,
  { purpose }: Pick<ModelCall, "purpose">,
  { isElsewhere, onLeftSetting }: CallPlace,
): Pick<ModelCall, "settings" | "onLeftSetting"> {
  let settings = modelSettingsOf(job);
  if (settings === NO_SETTINGS) return {};
  const { providerOptions, ...others } = settings;
  const why = isElsewhere ? "they are for another provider" : optionFlaws(providerOptions).length > 0 ? RESERVED : null;
  if (providerOptions !== undefined && why !== null) {
    settings = others;
    onLeftSetting({ setting: "providerOptions", why });
  }
  return { settings: purpose === "summary" ? ofSummary(settings) : settings, onLeftSetting };
}

/** A summary has its own maximum length, and ignores `stop`. */
function ofSummary({ maxOutputTokens: _length, stop: _stop, ...settings }: SetSettings): SetSettings {
  return settings;
}

export function settingWarning(model: string, { setting, why }: SettingProblem): Omit<Warning, "at"> {
  const field = settingField(setting);
  const message = `${model} was called without \`${field}\`: ${why}.`;
  return { code: "setting_ignored", message, field: `model_settings.${field}` };
}
