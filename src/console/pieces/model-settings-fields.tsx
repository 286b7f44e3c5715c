/** Settings of a model: of an agent, or of the runs of a mission. An empty field leaves the choice to those below it. */
import type { ModelEffort, ModelSettingsInput, ModelThinkingType } from "../../../sdk/typescript/troupe.ts";
import { AreaField, ChoiceField, formFields, NumberField, TextField, textOr } from "./fields.tsx";
import { JsonField } from "./written-fields.tsx";

const LOWER_DEFAULT = ["", "the default"] as const;
const EFFORT_CHOICES: readonly (readonly [ModelEffort | "", string])[] = [
  LOWER_DEFAULT,
  ...(["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const).map((one) => [one, one] as const),
];
const THINKING_CHOICES: readonly (readonly [ModelThinkingType | "", string])[] = [
  LOWER_DEFAULT,
  ["adaptive", "as long as the model decides"],
  ["enabled", "with a budget of tokens"],
  ["disabled", "off"],
];

const UNSET_SETTINGS = {
  effort: null,
  max_output_tokens: null,
  temperature: null,
  top_p: null,
  service_tier: null,
  provider_options: null,
};

interface ModelSettingsFieldsProps {
  readonly value: ModelSettingsInput | null;
  readonly change: (value: ModelSettingsInput | null) => void;
}

export function ModelSettingsFields({ value, change }: ModelSettingsFieldsProps) {
  const settings: ModelSettingsInput & Required<Pick<ModelSettingsInput, keyof typeof UNSET_SETTINGS>> = {
    ...UNSET_SETTINGS,
    ...value,
  };
  const setting = (changes: ModelSettingsInput): void => {
    const given = Object.entries({ ...settings, ...changes }).filter(([, one]) => one !== null);
    change(given.length === 0 ? null : Object.fromEntries(given));
  };
  const field = formFields("/model_settings", settings, setting);
  return (
    <details class="more">
      <summary>Settings of the model</summary>
      <div class="columns">
        <ChoiceField label="Effort" choices={EFFORT_CHOICES} {...textOr<ModelEffort, null>(null, field("effort"))} />
        <NumberField label="Maximum tokens of an answer" min={1} {...field("max_output_tokens")} />
        <NumberField label="Temperature" step="any" {...field("temperature")} />
        <NumberField label="Top p" step="any" {...field("top_p")} />
        <ChoiceField
          label="Thinking"
          path="/model_settings/thinking/type"
          value={settings.thinking?.type ?? ""}
          change={(type) => setting({ thinking: type === "" ? null : { type } })}
          choices={THINKING_CHOICES}
        />
        {settings.thinking?.type === "enabled" ? (
          <NumberField
            label="Maximum tokens of thinking"
            path="/model_settings/thinking/budget_tokens"
            min={1}
            value={settings.thinking.budget_tokens ?? null}
            change={(tokens) =>
              setting({ thinking: { type: "enabled", ...(tokens === null ? {} : { budget_tokens: tokens }) } })
            }
          />
        ) : null}
        <TextField label="Service tier" {...textOr(null, field("service_tier"))} />
      </div>
      <AreaField
        label="Texts that end an answer"
        path="/model_settings/stop"
        hint="One on each line"
        rows={2}
        value={(settings.stop ?? []).join("\n")}
        change={(text) => setting({ stop: text === "" ? null : text.split("\n") })}
      />
      <JsonField
        label="Further fields for the provider"
        hint="A JSON object that is sent as it is, or null"
        {...field("provider_options")}
      />
    </details>
  );
}
