/** Queries run in slots that organizations share fairly (`fair-slots.ts`). None waits for a slot longer than its caller. */
import { FairSlots, type SlotBounds } from "../actors/fair-slots.ts";

/** Work that has waited this long for a slot is dropped: its caller has given up, or will retry. */
export const GATE_WAIT_MS = 15_000;

/** No slot became free in time. */
export class GateTimeout extends Error {
  override readonly name = "GateTimeout";
}

export class FairGate {
  private readonly slots: FairSlots;
  private readonly now: () => number;

  /** `now` is monotonic ms; `isOverShare`: whether the organization has used more than its share of the event loop. */
  constructor(
    bounds: SlotBounds,
    {
      now = () => performance.now(),
      isOverShare = () => false,
    }: { readonly now?: () => number; readonly isOverShare?: (organizationId: string) => boolean } = {},
  ) {
    this.slots = new FairSlots(bounds, { isOverShare });
    this.now = now;
  }

  /** Runs `work` in a slot; rejects with `GateTimeout` if none becomes free in time. */
  async run<T>(organizationId: string, work: () => PromiseLike<T>): Promise<T> {
    using pass = this.slots.tryEnter(organizationId) ?? (await this.queued(organizationId));
    if (pass === null) throw new GateTimeout(`no slot came free within ${GATE_WAIT_MS} ms`);
    return await work();
  }

  /** Resolves when nothing runs or waits. */
  rest(): Promise<void> {
    return this.slots.rest();
  }

  private queued(organizationId: string): ReturnType<FairSlots["enter"]> {
    const since = this.now();
    return this.slots.enter(organizationId, { isWanted: () => this.now() - since <= GATE_WAIT_MS });
  }
}
