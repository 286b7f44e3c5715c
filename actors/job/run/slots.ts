/**
 * Job slots (JOB-10): how many jobs run at once, in the process and for each organization (`fair-slots.ts`). Within an
 * organization the highest priority runs first, then the oldest job.
 */
import { FairSlots, type Pass } from "../../fair-slots.ts";
import type { Clock } from "../../runtime/ports.ts";
import { JOB_PRIORITIES, type JobPriority } from "../terms.ts";

/** Jobs that run at once in one process: model streams cost sockets and memory. */
export interface SlotLimits {
  readonly inProcess: number;
  /** For one organization that uses more than its share of the event loop; one that is alone always has these. */
  readonly ofOrganization: number;
}
export const DEFAULT_SLOTS: SlotLimits = { inProcess: 64, ofOrganization: 16 };
/**
 * The part of all slots that an organization has while no other runs jobs. The next organization has this part of the
 * rest, and so on.
 */
const PART_ALONE = 0.75;
/** The slots of an organization while no other runs jobs. */
export const slotsAlone = ({ inProcess, ofOrganization }: SlotLimits): number =>
  Math.min(inProcess, Math.max(ofOrganization, Math.floor(inProcess * PART_ALONE)));

/** How often shares are looked at while jobs wait because of them. */
export const SHARE_LOOK_MS = 1_000;

/** Whether an organization has used more than its share of what all need (FAIR-4). */
export interface LoopShares {
  readonly isOver: (organizationId: string) => boolean;
  readonly clock: Pick<Clock, "after">;
}

/** A request of a job for a slot. */
export interface SlotRequest {
  readonly organizationId: string;
  readonly priority: JobPriority;
  /** When the job was created, in ms; older jobs run first. */
  readonly since: number;
}

export class Slots {
  private readonly slots: FairSlots<SlotRequest>;

  constructor(limits: SlotLimits = DEFAULT_SLOTS, shares: LoopShares | null = null) {
    this.slots = new FairSlots(
      { slots: limits.inProcess, each: limits.ofOrganization, alone: slotsAlone(limits) },
      {
        ...(shares && {
          isOverShare: shares.isOver,
          later: (run) => void shares.clock.after(SHARE_LOOK_MS, run),
        }),
        goesBefore,
      },
    );
  }

  /** Slots that are taken. */
  get inUse(): number {
    return this.slots.inUse;
  }

  /** Resolves with a slot, or with null if `signal` aborts first. */
  acquire(request: SlotRequest, signal: AbortSignal): Promise<Pass | null> {
    return this.slots.enter(request.organizationId, { rank: request, signal });
  }

  /** A slot if one is free; null if the request would have to wait. */
  acquireNow({ organizationId }: SlotRequest): Pass | null {
    return this.slots.tryEnter(organizationId);
  }
}

const priorityRank = ({ priority }: SlotRequest): number => JOB_PRIORITIES.indexOf(priority);
const goesBefore = (a: SlotRequest, b: SlotRequest): boolean =>
  priorityRank(a) === priorityRank(b) ? a.since < b.since : priorityRank(a) > priorityRank(b);
