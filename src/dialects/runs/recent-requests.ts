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
import type { Services } from "../../operations/services.ts";

type RecentRequestsParts = Pick<Services, "system" | "jobs" | "readCommitted">;

/** Requests of all organizations; after these it forgets earlier ones, and reads again what is unfinished. */
const REMEMBERED_REQUESTS = 50_000;
/** Requests of unfinished jobs that are read; if an organization has more, each first attempt is looked up. */
const READ_JOBS = 1_000;

interface SeenRequests {
  /** The epoch at which `before` was read; null: it could not be read. */
  epoch: number | null;
  readonly digests: Set<string>;
  /** The requests of jobs that were unfinished before; null: they are too many, or could not be read. */
  before: Promise<ReadonlySet<string> | null>;
}
const NOT_READ = Promise.resolve(null);

export class RecentRequests {
  private seen = new Map<string, SeenRequests>();
  /** What was seen before the last time that it forgot: jobs of these requests may not be stored yet. */
  private former: ReadonlyMap<string, SeenRequests> = new Map();
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
    if (requests.digests.has(digest) || this.former.get(organizationId)?.digests.has(digest) === true) return true;
    requests.digests.add(digest);
    this.count++;
    const before = await requests.before;
    return before === null || before.has(digest);
  }

  private requestsOf(organizationId: string, epoch: number, field: string): SeenRequests {
    let requests = this.seen.get(organizationId);
    if (requests === undefined) {
      requests = { epoch: null, digests: new Set(), before: NOT_READ };
      this.seen.set(organizationId, requests);
    }
    if (requests.epoch !== epoch) {
      requests.epoch = epoch;
      requests.before = this.unfinished(organizationId, field, requests);
    }
    return requests;
  }

  private async unfinished(
    organizationId: string,
    field: string,
    requests: SeenRequests,
  ): Promise<ReadonlySet<string> | null> {
    const { epoch } = requests;
    const { jobs, readCommitted } = this.services;
    const found = await readCommitted(organizationId, () => jobs.unfinishedWith(organizationId, field, READ_JOBS));
    // The next request asks again.
    if (!found.ok && requests.epoch === epoch) requests.epoch = null;
    return found.ok && found.value.length < READ_JOBS ? new Set(found.value) : null;
  }

  private forget(): void {
    this.former = this.seen;
    this.seen = new Map();
    this.count = 0;
  }
}
