/** What a run begins with. */
import type { EffectContext } from "../../runtime/outputs/effects.ts";
import type { EffectRow } from "../../runtime/store.ts";
import type { StartedJob } from "./early-start.ts";
import type { JobSlot } from "./job-slot.ts";
import type { ProviderLimits } from "./provider-limits.ts";

/** The effect, its epoch, and its job slot. */
export interface RunStart {
  readonly effect: EffectRow;
  readonly context: EffectContext;
  readonly slot: JobSlot;
  readonly limits: ProviderLimits;
  /** The early start of the job in the commit of its message, if any. */
  readonly started: Promise<StartedJob | null> | null;
}
