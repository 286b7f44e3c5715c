/** Adds costs to the usage of models, by the operator's price table. */
import { type ModelCall, type ModelPort, withCalls } from "../../actors/job/ports.ts";
import type { CallUsage } from "../../actors/job/schema.ts";
import type { Clock } from "../../actors/runtime/ports.ts";
import { dayOf } from "../../actors/usage/schema.ts";
import type { PriceTable } from "../settings/price-table.ts";

/**
 * A call has its model's price on the day on which it ends, in the tier that the provider reports, or else in that of its
 * settings if it was sent.
 */
export function pricedModels(models: ModelPort, prices: PriceTable, clock: Pick<Clock, "now">): ModelPort {
  const nameOf = (model: string | null): string | null => {
    const described = models.describe(model);
    return described.ok ? `${described.value.provider}:${described.value.name}` : null;
  };
  const priced = (model: string | null, sentTier: string | undefined, usage: CallUsage): CallUsage => {
    const name = nameOf(model);
    const serviceTier = usage.serviceTier ?? sentTier;
    const used = serviceTier === undefined ? usage : { ...usage, serviceTier };
    const cost = name === null ? null : prices.cost(name, dayOf(clock.now()), used);
    return cost === null ? usage : { ...usage, cost, pricedTokens: usage.inputTokens + usage.outputTokens };
  };
  const call: ModelPort["call"] = async (called, onText, signal) => {
    let sentTier = called.settings?.serviceTier;
    const onLeftSetting: ModelCall["onLeftSetting"] = (problem) => {
      if (problem.setting === "serviceTier") sentTier = undefined;
      called.onLeftSetting?.(problem);
    };
    const outcome = await models.call({ ...called, onLeftSetting }, onText, signal);
    return outcome.usage === undefined ? outcome : { ...outcome, usage: priced(called.model, sentTier, outcome.usage) };
  };
  return {
    ...withCalls(models, call),
    currency: prices.currency,
    hasPrice(model) {
      const name = nameOf(model);
      return name !== null && prices.has(name, dayOf(clock.now()));
    },
  };
}
