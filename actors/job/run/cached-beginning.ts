/**
 * What the last counted call of a run left in its provider's cache: the beginning of the next call. If a provider does
 * not count that one, its estimate knows how much of it is not paid in full.
 */
import type { Clock } from "../../runtime/ports.ts";
import { MINUTE_MS } from "../../units.ts";
import type { ModelCall } from "../ports.ts";
import type { Usage } from "../schema.ts";

/** The shortest time for which providers keep what a call has left in their caches. */
const CACHE_KEPT_MS = 5 * MINUTE_MS;

export class CachedBeginning {
  private readonly clock: Pick<Clock, "now">;
  /** `caller`: the model and the key of the call. A cache belongs to both. */
  private last: { readonly caller: string; readonly tokens: number; readonly until: number } | null = null;

  constructor(clock: Pick<Clock, "now">) {
    this.clock = clock;
  }

  /** The field of the next call; empty if nothing is known. */
  of(caller: string, purpose: ModelCall["purpose"]): Pick<ModelCall, "cachedTokens"> {
    const { last } = this;
    if (last === null || last.tokens === 0 || purpose === "summary") return {};
    return last.caller === caller && last.until > this.clock.now() ? { cachedTokens: last.tokens } : {};
  }

  note(caller: string, purpose: ModelCall["purpose"], usage: Usage): void {
    const { cachedInputTokens = 0, cacheWriteTokens = 0, estimatedTokens = 0 } = usage;
    // After a summary calls begin differently.
    if (purpose === "summary") this.last = null;
    else if (estimatedTokens === 0)
      this.last = { caller, tokens: cachedInputTokens + cacheWriteTokens, until: this.clock.now() + CACHE_KEPT_MS };
  }
}
