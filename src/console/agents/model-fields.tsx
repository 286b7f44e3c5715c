/** Which model an agent works with, and how. */
import type { ModelEffort, ModelSettingsInput, ModelThinkingType } from "../../../sdk/typescript/troupe.ts";
import { useLoaded } from "../loading.tsx";
import type { FormDraft } from "../pieces/draft.ts";
import { AreaField, ChoiceField, NumberField, TextField } from "../pieces/fields.tsx";
import { JsonField } from "../pieces/written-fields.tsx";
import { service } from "../service.ts";
import type { AgentDraft } from "./agent-draft.ts";

const PROVIDER_DEFAULT = ["", "the provider's default"] as const;
const EFFORT_CHOICES: readonly (readonly [ModelEffort | "", string])[] = [
  PROVIDER_DEFAULT,
  ...(["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const).map((one) => [one, one] as const),
];
const THINKING_CHOICES: readonly (readonly [ModelThinkingType | "", string])[] = [
  PROVIDER_DEFAULT,
  ["adaptive", "as long as the model decides"],
  ["enabled", "with a budget of tokens"],
  ["disabled", "off"],
];

export function ModelFields({ draft: { value, set } }: { readonly draft: FormDraft<AgentDraft> }) {
  const found = useLoaded((signal) => service.listModels({ signal }), []);
  const models = found.value?.models ?? [];
  const standard = models.find((model) => model.default);
  const choices: readonly (readonly [string, string])[] = [
    ["", standard === undefined ? "the default of the service" : `the default of the service, now ${standard.id}`],
    ...models.map(
      ({ id, demo, needs_own_key }) =>
        [id, `${id}${demo ? ", for trying out" : ""}${needs_own_key ? ", needs a key of your own" : ""}`] as const,
    ),
  ];
  const settings = value.model_settings ?? {};
  const setting = (changes: ModelSettingsInput): void => {
    const given = Object.entries({ ...settings, ...changes }).filter(([, one]) => one !== null);
    set("model_settings", given.length === 0 ? null : Object.fromEntries(given));
  };
  return (
    <>
      {found.error === null ? null : (
        <p class="bad" role="alert">
          The models cannot be listed: {found.error} <button onClick={found.reload}>Try again</button>
        </p>
      )}
      <ChoiceField
        label="Model"
        path="/model"
        value={value.model ?? ""}
        change={(model) => set("model", model === "" ? null : model)}
        choices={choices}
      />
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
    </>
  );
}
