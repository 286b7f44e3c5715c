/** The models that the operator allows (RUN-4). */
import { Elysia } from "elysia";
import { ok } from "../../../actors/fault.ts";
import type { AllowedModel } from "../../../actors/job/ports.ts";
import { JOB_DEADLINE_MS, JOB_STEPS } from "../../../actors/job/schema.ts";
import type { Surface } from "../../http/surface.ts";
import type { CurrentParts } from "../parts.ts";

export function modelRoutes(current: Surface, { models }: CurrentParts) {
  const list = current.handler({
    scope: "agents:read",
    run: () => Promise.resolve(ok({ models: models.allowed().map(modelView) })),
  });
  return new Elysia({ name: "current-models" }).get("/api/models", list);
}

/** `limits` are the service's own, of one job; what a provider allows besides is not known here. */
const modelView = ({ provider, name, demo, isDefault }: AllowedModel) => ({
  id: `${provider}:${name}`,
  provider,
  name,
  default: isDefault,
  demo,
  limits: { max_steps: JOB_STEPS, max_run_seconds: JOB_DEADLINE_MS / 1_000 },
});
