/** The models that the operator allows (RUN-4). */
import { ok } from "../../../actors/fault.ts";
import type { AllowedModel } from "../../../actors/job/ports.ts";
import type { JobLimits } from "../../../actors/job/limits.ts";
import type { Handlers, Shown } from "../../http/contract/operation.ts";
import type { Services } from "../../operations/services.ts";
import type { modelOperations } from "./operations.ts";
import { type ModelView } from "./operations.ts";

export const modelHandlers: Handlers<typeof modelOperations.operations, Services> = {
  listModels: ({ models, jobLimits }) => ok({ models: models.allowed().map((model) => modelView(model, jobLimits)) }),
};

/** `limits` are the service's own, of a job whose budget names none; what a provider allows besides is not known here. */
const modelView = (
  { provider, name, demo, isDefault, window, input }: AllowedModel,
  { steps, runMs }: JobLimits,
): Shown<typeof ModelView> => ({
  id: `${provider}:${name}`,
  provider,
  name,
  default: isDefault,
  demo,
  input: [...input],
  limits: { context_tokens: window.contextTokens, max_steps: steps, max_run_seconds: runMs / 1_000 },
});
