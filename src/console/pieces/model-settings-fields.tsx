/** Settings of a model: of an agent, or of the runs of a mission. What is empty is left to what stands below it. */
import type { ModelEffort, ModelSettingsInput, ModelThinkingType } from "../../../sdk/typescript/troupe.ts";
import { AreaField, ChoiceField, NumberField, TextField } from "./fields.tsx";
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

interface ModelSettingsFieldsProps {
  readonly value: ModelSettingsInput | null;
  readonly change: (value: ModelSettingsInput | null) => void;
}

export function ModelSettingsFields({ value, change }: ModelSettingsFieldsProps) {
  const settings = value ?? {};
  const setting = (changes: ModelSettingsInput): void => {
    const given = Object.entries({ ...settings, ...changes }).filter(([, one]) => one !== null);
    change(given.length === 0 ? null : Object.fromEntries(given));
  };
  return (
    <details class="more">
      <summary>Settings of the model</summary>
      <div class="columns">
        <ChoiceField
          label="Effort"
          path="/model_settings/effort"
          value={settings.effort ?? ""}
          change={(effort) => setting({ effort: effort === "" ? null : effort })}
          choices={EFFORT_CHOICES}
        />
        <NumberField
          label="Most tokens of an answer"
          path="/model_settings/max_output_tokens"
          min={1}
          value={settings.max_output_tokens ?? null}
          change={(tokens) => setting({ max_output_tokens: tokens })}
        />
        <NumberField
          label="Temperature"
          path="/model_settings/temperature"
          step="any"
          value={settings.temperature ?? null}
          change={(temperature) => setting({ temperature })}
        />
        <NumberField
          label="Top p"
          path="/model_settings/top_p"
          step="any"
          value={settings.top_p ?? null}
          change={(share) => setting({ top_p: share })}
        />
        <ChoiceField
          label="Thinking"
          path="/model_settings/thinking/type"
          value={settings.thinking?.type ?? ""}
          change={(type) => setting({ thinking: type === "" ? null : { type } })}
          choices={THINKING_CHOICES}
        />
        {settings.thinking?.type === "enabled" ? (
          <NumberField
            label="Most tokens of thought"
            path="/model_settings/thinking/budget_tokens"
            min={1}
            value={settings.thinking.budget_tokens ?? null}
            change={(tokens) =>
              setting({ thinking: { type: "enabled", ...(tokens === null ? {} : { budget_tokens: tokens }) } })
            }
          />
        ) : null}
        <TextField
          label="Service tier"
          path="/model_settings/service_tier"
          value={settings.service_tier ?? ""}
          change={(tier) => setting({ service_tier: tier === "" ? null : tier })}
        />
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
        path="/model_settings/provider_options"
        hint="A JSON object that is sent as it is, or null"
        value={settings.provider_options ?? null}
        change={(options) => setting({ provider_options: options })}
      />
    </details>
  );
}
