/** Refuses a model that the operator does not allow when it is set, not when it is used (RUN-4). */
import { invalid, ok, type Outcome } from "../../actors/fault.ts";
import type { Services } from "../operations/services.ts";

/** `path` names the field; null and undefined mean the default model. */
export function usableModel(
  { models }: Pick<Services, "models">,
  model: string | null | undefined,
  path: string,
): Outcome<null> {
  if (model === undefined || model === null) return ok(null);
  const known = models.describe(model);
  if (known.ok) return ok(null);
  return invalid(path, known.fault.kind === "provider_error" ? known.fault.message : "This model cannot be used");
}
