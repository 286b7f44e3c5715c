/**
 * Which requests this process has seen, for protocols whose requests have no id. A request that was not seen before has
 * no earlier attempt that could have lost its client, so none is looked up (DIA-27).
 *
 *   first request of an organization ──▶ the requests of its unfinished jobs are read: they may be of another process
 *   a request ── not seen ──▶ new            (it is seen from now on)
 *             └─ seen, or not all is known ──▶ its first attempt is looked up
 *
 * What is known of an organization holds at one epoch of its shard: until then all its runs begin here.
 */
import { lookUp } from "../../log/look-up.ts";
import type { Services } from "../../operations/services.ts";

type RecentRequestsParts = Pick<Services, "system" | "jobs" | "log">;

/** Requests that are remembered, of all organizations. Beyond them all are forgotten: what is unfinished is read again. */
const REMEMBERED_REQUESTS = 50_000;
/** Unfinished jobs of an organization that are read; if it has more, each first attempt is looked up. */
const READ_JOBS = 1_000;

interface SeenRequests {
  readonly epoch: number;
  readonly digests: Set<string>;
  /** The requests of jobs that were unfinished before; null: they are too many, or could not be read. */
  readonly before: Promise<ReadonlySet<unknown> | null>;
}

export class RecentRequests {
  private readonly seen = new Map<string, SeenRequests>();
  private readonly services: RecentRequestsParts;
  private count = 0;

  constructor(services: RecentRequestsParts) {
    this.services = services;
  }

  /** Notes a request by its digest, which its job keeps in this field of its metadata: may an earlier one be the same? */
  async mayRepeat(organizationId: string, field: string, digest: string): Promise<boolean> {
    const epoch = this.services.system.epochOf(organizationId);
    if (epoch === null) return true;
    if (this.count >= REMEMBERED_REQUESTS) this.forget();
    const requests = this.requestsOf(organizationId, epoch, field);
    if (requests.digests.has(digest)) return true;
    requests.digests.add(digest);
    this.count++;
    const before = await requests.before;
    return before === null || before.has(digest);
  }

  private requestsOf(organizationId: string, epoch: number, field: string): SeenRequests {
    const known = this.seen.get(organizationId);
    if (known?.epoch === epoch) return known;
    const requests = { epoch, digests: new Set<string>(), before: this.unfinished(organizationId, field) };
    this.seen.set(organizationId, requests);
    return requests;
  }

  private async unfinished(organizationId: string, field: string): Promise<ReadonlySet<unknown> | null> {
    const { jobs, log } = this.services;
    const found = await lookUp(log, jobs.unfinished(organizationId, { agentId: null }, READ_JOBS));
    if (!found.ok) this.seen.delete(organizationId);
    if (!found.ok || found.value.length === READ_JOBS) return null;
    return new Set(found.value.map(({ metadata }) => metadata[field]));
  }

  private forget(): void {
    this.seen.clear();
    this.count = 0;
  }
}
