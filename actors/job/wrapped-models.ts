/** Wraps models to count, price or trace calls; everything else passes through to the wrapped models. */
import type { ModelPort } from "./ports.ts";

/** The models, with other calls. All other members pass through here, so that no wrapper can forget one. */
export const withCalls = (models: ModelPort, call: ModelPort["call"]): ModelPort => ({
  describe: (model) => models.describe(model),
  windowOf: (model) => models.windowOf(model),
  inputOf: (model) => models.inputOf(model),
  allowed: () => models.allowed(),
  ...(models.currency === undefined ? {} : { currency: models.currency }),
  ...(models.hasPrice === undefined ? {} : { hasPrice: (model) => models.hasPrice?.(model) === true }),
  ...(models.takesTools === undefined ? {} : { takesTools: (model) => models.takesTools?.(model) !== false }),
  call,
});
