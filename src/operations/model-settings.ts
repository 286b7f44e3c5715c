/** `model_settings` of an agent, a message and a job (RUN-32), as surfaces read and show them. */
import { definedFields } from "../../actors/changes.ts";
import {
  type CallSettings,
  EFFORTS,
  LEAST_THINKING,
  MOST_ANSWER,
  MOST_STOPS,
  STOP_CHARACTERS,
  THINKING_TYPES,
} from "../../actors/job/model-settings.ts";
import { FreeObject, type JsonObject, Nullable, OneOf, type Static, Type } from "../../actors/schema.ts";
import { fieldsFrom, noun, recordNamed } from "../http/contract/noun.ts";

const ThinkingShape = noun("ModelThinking", "Whether and how long the model thinks before it answers", {
  type: OneOf(THINKING_TYPES),
  budget_tokens: Type.Optional(
    Type.Integer({
      minimum: LEAST_THINKING,
      maximum: MOST_ANSWER,
      description: "Maximum number of tokens of thought; only with `enabled`",
    }),
  ),
});

export const ModelSettingsShape = noun(
  "ModelSettings",
  "Settings of the model; an absent one is the provider's default",
  {
    effort: Type.Optional(Nullable(OneOf(EFFORTS))),
    max_output_tokens: Type.Optional(
      Nullable(
        Type.Integer({
          minimum: 1,
          maximum: MOST_ANSWER,
          description: "Maximum number of tokens of one answer, including the model's reasoning",
        }),
      ),
    ),
    temperature: Type.Optional(
      Nullable(Type.Number({ minimum: 0, maximum: 2, description: "Randomness of the answer; Anthropic: at most 1" })),
    ),
    top_p: Type.Optional(
      Nullable(Type.Number({ minimum: 0, maximum: 1, description: "Share of the likeliest tokens to choose from" })),
    ),
    stop: Type.Optional(
      Nullable(
        Type.Array(Type.String({ minLength: 1, maxLength: STOP_CHARACTERS }), {
          minItems: 1,
          maxItems: MOST_STOPS,
          description: "Texts that end the answer before they appear in it",
        }),
      ),
    ),
    service_tier: Type.Optional(
      Nullable(
        Type.String({
          pattern: "^[a-z0-9_-]{1,64}$",
          form: "1 to 64 lower-case letters, digits, `_` and `-`",
          description: "The provider's name of a service tier",
          examples: ["auto"],
        }),
      ),
    ),
    thinking: Type.Optional(Nullable(ThinkingShape)),
    provider_options: Type.Optional(
      Nullable(
        Type.Unsafe<JsonObject>({
          ...FreeObject,
          description: "Further fields of the request to the provider, sent as given",
        }),
      ),
    ),
  },
);
type ShownSettings = Static<typeof ModelSettingsShape>;

/** The settings that a body gives; undefined stays undefined, and null null. */
export function settingsOfBody(body: ShownSettings): CallSettings;
export function settingsOfBody(body: ShownSettings | null | undefined): CallSettings | null | undefined;
export function settingsOfBody(body: ShownSettings | null | undefined): CallSettings | null | undefined {
  if (body === null || body === undefined) return body;
  const { thinking, ...settings } = body;
  return definedFields({ ...recordNamed(settings), thinking: thinking && recordNamed(thinking) });
}

/** The settings that an agent keeps; a null in them would say nothing. */
export function agentSettingsOfBody(body: ShownSettings | null | undefined): CallSettings | null | undefined {
  const given = settingsOfBody(body);
  if (given === null || given === undefined) return given;
  const set = Object.entries(given).filter(([, value]) => value !== null);
  return set.length === 0 ? null : (Object.fromEntries(set) as CallSettings);
}

const settingFields = fieldsFrom(ModelSettingsShape);
const thinkingFields = fieldsFrom(ThinkingShape);

/** Null if there are none. */
export function settingsView(settings: CallSettings | null | undefined): ShownSettings | null {
  if (settings === null || settings === undefined || Object.keys(settings).length === 0) return null;
  const { thinking } = settings;
  return definedFields({ ...settingFields(settings), thinking: thinking && definedFields(thinkingFields(thinking)) });
}
