/**
 * Refuses settings of the model when they are saved, if they cannot work (RUN-32): impossible combinations, options for
 * fields that the service itself sets (`option-flaws.ts`), and settings that the chosen model does not take.
 */
import { type InputError, ok, type Outcome, refuse } from "../../actors/fault.ts";
import {
  type CallSettingName,
  type CallSettings,
  mergedSettings,
  type SetSettings,
  settingField,
} from "../../actors/job/model-settings.ts";
import type { ModelPort } from "../../actors/job/ports.ts";
import { optionFlaws } from "../../actors/job/option-flaws.ts";

const PATH = "/model_settings";

export interface GivenSettings {
  /** The model that will be called; null: the default. */
  readonly model: string | null;
  /** The settings of the agent. */
  readonly ofAgent: CallSettings | null | undefined;
  /** Settings of the message, which replace these one by one; absent: these are the agent's own. */
  readonly ofMessage?: CallSettings | null;
  /** The field that is new, if the settings are not: then the errors are about it. */
  readonly changed?: "/model" | "/agent_id";
}

export function usableModelSettings(
  { models }: { readonly models: Pick<ModelPort, "settingProblems"> },
  { model, ofAgent, ofMessage, changed }: GivenSettings,
): Outcome<null> {
  const settings = mergedSettings(ofAgent, ofMessage);
  const flaws = flawsOf(settings);
  const problemsOf = (asked: SetSettings) => models.settingProblems?.(model, asked) ?? [];
  // A setting that comes only from the agent becomes a warning of the job.
  const before = ofMessage === undefined ? [] : problemsOf(mergedSettings(ofAgent, null)).map(({ setting }) => setting);
  const isNew = (name: CallSettingName): boolean => !before.includes(name) || Object.hasOwn(ofMessage ?? {}, name);
  const unknown = problemsOf(settings)
    .filter(({ setting, isHarmless }) => isHarmless !== true && isNew(setting))
    .map(({ setting, why }): InputError => {
      const field = settingField(setting);
      const message = `Field model_settings.${field} cannot be used with ${model ?? "the default model"}: ${why}`;
      return { path: changed ?? `${PATH}/${field}`, message };
    });
  const errors = flaws.length > 0 ? flaws : unknown;
  return errors.length === 0 ? ok(null) : refuse({ kind: "invalid_request", errors });
}

/**
 * The model that this name means now, as `provider:name`, to be kept with settings: their options must not follow a new
 * default model to another provider. An unavailable one is kept as it is.
 */
export function settingsModelOf(
  { models }: { readonly models: Pick<ModelPort, "describe"> },
  model: string | null,
): string | null {
  const meant = models.describe(model);
  return meant.ok ? `${meant.value.provider}:${meant.value.name}` : model;
}

/** The checks that need no model, for settings whose agent cannot be found: those of each field, merged or not. */
export function possibleSettings(given: CallSettings | null | undefined): Outcome<null> {
  const errors = flawsOf(mergedSettings(null, given));
  return errors.length === 0 ? ok(null) : refuse({ kind: "invalid_request", errors });
}

/** What is impossible with every provider. */
function flawsOf({ thinking, providerOptions }: SetSettings): InputError[] {
  const errors: InputError[] = [];
  const add = (at: string, message: string): void =>
    void errors.push({ path: `${PATH}/${at}`, message: `Field model_settings.${at.replaceAll("/", ".")} ${message}` });
  if (thinking?.type === "enabled" && thinking.budgetTokens === undefined)
    add("thinking/budget_tokens", "is required with `enabled`");
  if (thinking !== undefined && thinking.type !== "enabled" && thinking.budgetTokens !== undefined)
    add("thinking/budget_tokens", `goes with \`enabled\` only, and not with \`${thinking.type}\``);
  for (const { at, why } of optionFlaws(providerOptions)) add(`provider_options${at}`, why);
  return errors;
}
