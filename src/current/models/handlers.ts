/** The models that the operator allows (RUN-4). */
import { ok } from "../../../actors/fault.ts";
import { isCostKnown } from "../../../actors/job/budget.ts";
import type { AllowedModel, ModelPort } from "../../../actors/job/ports.ts";
import type { JobLimits } from "../../../actors/job/limits.ts";
import type { Handlers, Shown } from "../../http/contract/operation.ts";
import type { Services } from "../../operations/services.ts";
import type { modelOperations, ModelView } from "./operations.ts";

export const modelHandlers: Handlers<typeof modelOperations.operations, Services> = {
  listModels: ({ models, jobLimits }) =>
    ok({ models: models.allowed().map((model) => modelView(model, models, jobLimits)) }),
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
