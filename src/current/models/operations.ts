/** The models that the operator allows (RUN-4). */
import { ok } from "../../../actors/fault.ts";
import { isCostKnown } from "../../../actors/job/budget.ts";
import type { JobLimits } from "../../../actors/job/limits.ts";
import type { AllowedModel, ModelPort } from "../../../actors/job/ports.ts";
import { OneOf, Type } from "../../../actors/schema.ts";
import { MODEL_INPUTS } from "../../../actors/upload/terms.ts";
import { Count, fieldsFrom, noun, Text } from "../../http/contract/noun.ts";
import type { Shown } from "../../http/contract/operation.ts";
import { operation } from "../../operations/operation.ts";
import { CurrencyField } from "../cost.ts";

export const ModelView = noun("Model", "A model that the operator allows", {
  id: Text("`provider:name`, as agents and chats name it", "demo:echo"),
  provider: Text("The provider", "demo"),
  name: Text("Its name there", "echo"),
  default: Type.Boolean({ description: "Whether it is the default model" }),
  demo: Type.Boolean({ description: "Whether it is the built-in demo provider, which is not a language model" }),
  needs_own_key: Type.Boolean({
    description: "Whether only organizations with a key of their own for its provider can use it",
  }),
  input: Type.Array(OneOf(MODEL_INPUTS), {
    description:
      "What the model can read in messages: text, images, PDF documents (`file`). Every model reads text files",
  }),
  priced: Type.Boolean({
    description:
      "Whether the model has a price today; the demo costs nothing. Tokens of a model without a price are not in `cost`, and the model cannot be used with a cost limit",
  }),
  limits: noun("ModelLimits", "What one call and one job of the model may use", {
    context_tokens: Count("Context window in tokens, including the answer; longer conversations are compacted"),
    max_steps: Count("Maximum number of model calls per job, unless its budget or its agent sets a limit"),
    max_run_seconds: Count("Maximum duration of a job in seconds, unless its budget sets a deadline"),
  }),
});

export const modelOperations = {
  listModels: operation(
    {
      method: "GET",
      path: "/api/models",
      scope: "agents:read",
      summary: "List the models that the operator allows",
      answers: {
        200: noun("ModelList", "All models that are allowed", {
          models: Type.Array(ModelView),
          currency: CurrencyField,
        }),
      },
    },
    ({ models, jobLimits }) =>
      ok({
        models: models.allowed().map((model) => modelView(model, models, jobLimits)),
        currency: models.currency ?? null,
      }),
  ),
};

const modelFields = fieldsFrom(ModelView);

/** `limits` are the service's own for a job whose budget sets none; the provider's limits are not known here. */
const modelView = (
  model: AllowedModel,
  models: Pick<ModelPort, "hasPrice">,
  { steps, runMs }: JobLimits,
): Shown<typeof ModelView> => ({
  ...modelFields(model),
  id: `${model.provider}:${model.name}`,
  default: model.isDefault,
  needs_own_key: model.isOwnKeyOnly === true,
  priced: isCostKnown(models, model),
  limits: { context_tokens: model.window.contextTokens, max_steps: steps, max_run_seconds: runMs / 1_000 },
});
