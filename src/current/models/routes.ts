/** The models that the operator allows (RUN-4). */
import { ok } from "../../../actors/fault.ts";
import type { AllowedModel } from "../../../actors/job/ports.ts";
import type { JobLimits } from "../../../actors/job/limits.ts";
import type { Shown } from "../../http/operation.ts";
import { operationRoutes } from "../../http/operation-routes.ts";
import type { Surface } from "../../http/surface.ts";
import type { CurrentParts } from "../parts.ts";
import { modelOperations, type ModelView } from "./operations.ts";

export const modelRoutes = (current: Surface, { models, jobLimits }: CurrentParts) =>
  operationRoutes(current, modelOperations, {
    listModels: () => Promise.resolve(ok({ models: models.allowed().map((model) => modelView(model, jobLimits)) })),
  });

/** `limits` are the service's own, of a job whose budget names none; what a provider allows besides is not known here. */
const modelView = (
  { provider, name, demo, isDefault }: AllowedModel,
  { steps, runMs }: JobLimits,
): Shown<typeof ModelView> => ({
  id: `${provider}:${name}`,
  provider,
  name,
  default: isDefault,
  demo,
  limits: { max_steps: steps, max_run_seconds: runMs / 1_000 },
});
