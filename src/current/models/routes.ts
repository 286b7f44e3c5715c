/** The models that the operator allows (RUN-4). */
import { ok } from "../../../actors/fault.ts";
import type { AllowedModel } from "../../../actors/job/ports.ts";
import { JOB_DEADLINE_MS, JOB_STEPS } from "../../../actors/job/schema.ts";
import type { Shown } from "../../http/operation.ts";
import { operationRoutes } from "../../http/operation-routes.ts";
import type { Surface } from "../../http/surface.ts";
import type { CurrentParts } from "../parts.ts";
import { modelOperations, type ModelView } from "./operations.ts";

export const modelRoutes = (current: Surface, { models }: CurrentParts) =>
  operationRoutes(current, modelOperations, {
    listModels: () => Promise.resolve(ok({ models: models.allowed().map(modelView) })),
  });

/** `limits` are the service's own, of one job; what a provider allows besides is not known here. */
const modelView = ({ provider, name, demo, isDefault }: AllowedModel): Shown<typeof ModelView> => ({
  id: `${provider}:${name}`,
  provider,
  name,
  default: isDefault,
  demo,
  limits: { max_steps: JOB_STEPS, max_run_seconds: JOB_DEADLINE_MS / 1_000 },
});
