/** Models whose usage says what it has cost, by the operator's price table. */
import type { ModelPort } from "../../actors/job/ports.ts";
import type { Usage } from "../../actors/job/schema.ts";
import type { Clock } from "../../actors/runtime/clock.ts";
import { dayOf } from "../../actors/usage/schema.ts";
import type { PriceTable } from "../settings/prices.ts";

/** A call costs what its model costs on the day of its end. */
export function pricedModels(models: ModelPort, prices: PriceTable, clock: Pick<Clock, "now">): ModelPort {
  const priced = (model: string | null, usage: Usage): Usage => {
    const described = models.describe(model);
    if (!described.ok) return usage;
    const { provider, name } = described.value;
    const cost = prices.cost(`${provider}:${name}`, dayOf(clock.now()), usage);
    return cost === null ? usage : { ...usage, cost, pricedTokens: usage.inputTokens + usage.outputTokens };
  };
  return {
    currency: prices.currency,
    describe: (model) => models.describe(model),
    windowOf: (model) => models.windowOf(model),
    allowed: () => models.allowed(),
    async call(call, onText, signal) {
      const outcome = await models.call(call, onText, signal);
      return outcome.kind === "aborted" ? outcome : { ...outcome, usage: priced(call.model, outcome.usage) };
    },
  };
}
