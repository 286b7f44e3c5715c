/** Which model an agent works with, and how. */
import { useLoaded, ErrorLine } from "../loading.tsx";
import type { FormDraft } from "../pieces/draft.ts";
import { ChoiceField, textOr } from "../pieces/fields.tsx";
import { ModelSettingsFields } from "../pieces/model-settings-fields.tsx";
import { service } from "../service.ts";
import type { AgentDraft } from "./agent-draft.ts";

export function ModelFields({ draft: { value, set, field } }: { readonly draft: FormDraft<AgentDraft> }) {
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
  return (
    <>
      <ErrorLine error={found.error} before="The models cannot be listed: " tryAgain={found.reload} />
      <ChoiceField label="Model" choices={choices} {...textOr(null, field("model"))} />
      <ModelSettingsFields value={value.model_settings} change={(settings) => set("model_settings", settings)} />
    </>
  );
}
