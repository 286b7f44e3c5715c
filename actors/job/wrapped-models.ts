/** Models over other models: what counts, prices or traces calls answers everything else as the models below do. */
import type { ModelPort } from "./ports.ts";

/** The models, with other calls. All that is asked of them besides goes through: a wrapper that forgot a part would hide it. */
export const withCalls = (models: ModelPort, call: ModelPort["call"]): ModelPort => ({
  describe: (model) => models.describe(model),
  windowOf: (model) => models.windowOf(model),
  inputOf: (model) => models.inputOf(model),
  allowed: () => models.allowed(),
  ...(models.currency === undefined ? {} : { currency: models.currency }),
  ...(models.hasPrice === undefined ? {} : { hasPrice: (model) => models.hasPrice?.(model) === true }),
  call,
});
