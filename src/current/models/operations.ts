/** The models that the operator allows (RUN-4). */
import { ok } from "../../../actors/fault.ts";
import { isCostKnown } from "../../../actors/job/budget.ts";
import type { JobLimits } from "../../../actors/job/limits.ts";
import type { AllowedModel, ModelPort } from "../../../actors/job/ports.ts";
import { OneOf, Type } from "../../../actors/schema.ts";
import { MODEL_INPUTS } from "../../../actors/upload/terms.ts";
import { Count, noun, Text } from "../../http/contract/noun.ts";
import type { Shown } from "../../http/contract/operation.ts";
import { operation } from "../../operations/operation.ts";

export const ModelView = noun("Model", "A model that the operator allows", {
  id: Text("`provider:name`, as agents and chats name it", "demo:echo"),
  provider: Text("The provider", "demo"),
  name: Text("Its name there", "echo"),
  default: Type.Boolean({ description: "Whether it answers where no model is named" }),
  demo: Type.Boolean({ description: "Whether it is the built-in demo provider, which is no language model" }),
  needs_own_key: Type.Boolean({
    description: "Whether only organizations with a key of their own for its provider can use it",
  }),
  input: Type.Array(OneOf(MODEL_INPUTS), {
    description: "What it reads in messages: text, images, PDF documents (`file`). Text files go to every model",
  }),
  priced: Type.Boolean({
    description:
      "Whether it is known what it costs: it has a price today, or is the demo, which costs nothing. Without one its tokens are in no `cost`, and it goes with no limit of cost",
  }),
  limits: noun("ModelLimits", "What one call and one job of the model may use", {
    context_tokens: Count("What one call of it takes with its answer, in tokens: longer conversations are compacted"),
    max_steps: Count("Model calls of one job, unless its budget or its agent names a number"),
    max_run_seconds: Count("How long one job may run, unless its budget names a time"),
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
        200: noun("ModelList", "All models that are allowed", { models: Type.Array(ModelView) }),
      },
    },
    ({ models, jobLimits }) => ok({ models: models.allowed().map((model) => modelView(model, models, jobLimits)) }),
  ),
};

/** `limits` are the service's own for a job whose budget sets none; the provider's limits are not known here. */
const modelView = (
  model: AllowedModel,
  models: Pick<ModelPort, "hasPrice">,
  { steps, runMs }: JobLimits,
): Shown<typeof ModelView> => ({
  id: `${model.provider}:${model.name}`,
  provider: model.provider,
  name: model.name,
  default: model.isDefault,
  demo: model.demo,
  needs_own_key: model.isOwnKeyOnly === true,
  input: [...model.input],
  priced: isCostKnown(models, model),
  limits: { context_tokens: model.window.contextTokens, max_steps: steps, max_run_seconds: runMs / 1_000 },
});
