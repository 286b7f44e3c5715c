/**
 * Keeps each organization within its quotas (QUOTA-1, QUOTA-2). Usage is measured in the tables at first use, and then
 * counted in memory with each admitted group:
 *
 *   not measured ─▶ wait for the measurement ─▶ within the limit ─▶ counted; undone if it is not stored
 *                                                     │ at the limit, and something may have gone since
 *                                                     └─▶ measure again, at most so often ─▶ refused
 *
 * Counts are never too low, so concurrent requests cannot exceed a limit; deletions are noticed by the measurement at
 * the limit. One process serves an organization, so nothing has to be shared
 * (`docs/decisions/0031-quotas-are-counted-in-memory.md`).
 */
import { BoundedMap } from "../../actors/bounded-map.ts";
import { ok, type Outcome, refuse } from "../../actors/fault.ts";
import type { Clock } from "../../actors/runtime/ports.ts";
import { shardOf } from "../../actors/runtime/placement/placement.ts";
import type { RecordWrite } from "../../actors/runtime/store.ts";
import type { Stored, Verdict, WriteGuard } from "../../actors/runtime/turns/write-admission.ts";
import type { QuotaDirectory } from "../../actors/usage/directory.ts";
import {
  type Demand,
  demandOf,
  type QuotaLimits,
  type QuotaName,
  QUOTAS,
  type QuotaState,
} from "../../actors/usage/quota.ts";
import type { HttpLog } from "../log/port.ts";

/** Organizations with counts in memory; an evicted one is measured again. */
const REMEMBERED = 10_000;
/** Between two measurements at a limit: if something may have been deleted, and otherwise. */
const STALE_MS = 100;
const FRESH_MS = 1_000;
/** Also wait this many times as long as the last measurement took. */
const MEASURING_REST = 20;
/** Quotas that only the largest organizations reach are measured in the background, without delaying requests. */
const IN_BACKGROUND: ReadonlySet<QuotaName> = new Set(["stored_rows", "stored_bytes"]);

/** One quota of an organization. */
interface Gauge {
  /** Stored and pending usage; -1: not measured. */
  used: number;
  /** Pending usage. */
  pending: number;
  measuredAtMs: number;
  tookMs: number;
  /** Whether something was deleted since the measurement. */
  isStale: boolean;
  measuring: Promise<void> | null;
}

interface QuotaStanding {
  /** The organization's own limits; null until they are known. */
  limits: Partial<QuotaLimits> | null;
  loading: Promise<void> | null;
  readonly gauges: Map<QuotaName, Gauge>;
}

export interface QuotaParts {
  readonly directory: QuotaDirectory;
  readonly defaults: QuotaLimits;
  readonly clock: Pick<Clock, "now" | "monotonic">;
  readonly log: Pick<HttpLog, "error">;
}

export class Quotas implements WriteGuard {
  private readonly parts: QuotaParts;
  private readonly standings = new BoundedMap<QuotaStanding>(REMEMBERED);

  constructor(parts: QuotaParts) {
    this.parts = parts;
  }

  admit(organizationId: string, changes: readonly RecordWrite[], stored: Stored): Verdict | null {
    const demand = demandOf(changes);
    if (demand === null) {
      this.add(organizationId, stored);
      return null;
    }
    const standing = this.standingOf(organizationId, demand);
    const asked = askedOf(demand, stored);
    if (standing.limits === null) return { kind: "wait", until: this.load(organizationId, standing) };
    for (const [quota, amount] of asked) {
      const limit = this.limitOf(standing, quota);
      if (limit === null) continue;
      const gauge = gaugeOf(standing, quota);
      if (gauge.used < 0) {
        const until = this.measure(organizationId, standing, quota);
        if (IN_BACKGROUND.has(quota)) continue;
        return { kind: "wait", until };
      }
      const isRefusable = demand.isNew || !IN_BACKGROUND.has(quota);
      const after = quota === "secrets" ? amount : gauge.used + amount;
      if (after <= Math.max(limit, quota === "secrets" ? gauge.used : 0) || !isRefusable) continue;
      if (this.mayMeasure(gauge)) return { kind: "wait", until: this.measure(organizationId, standing, quota) };
      return { kind: "refused", fault: { kind: "quota_exceeded", quota, limit, used: gauge.used } };
    }
    return this.counted(standing, demand, asked);
  }

  forget(shards: ReadonlySet<number>): void {
    for (const id of this.standings.keys()) if (shards.has(shardOf(id))) this.standings.delete(id);
  }

  /** All quotas of an organization. Rejects when the database cannot be reached. */
  async report(organizationId: string): Promise<readonly QuotaState[]> {
    const standing = this.standingOf(organizationId, null);
    if (standing.limits === null) await this.load(organizationId, standing);
    await Promise.all(
      QUOTAS.map(async (quota) => {
        const gauge = gaugeOf(standing, quota);
        if (gauge.used < 0 || this.mayMeasure(gauge)) await this.measure(organizationId, standing, quota);
      }),
    );
    return QUOTAS.map((quota) => ({
      quota,
      limit: this.limitOf(standing, quota),
      used: Math.max(0, gaugeOf(standing, quota).used),
    }));
  }

  /** If a measurement fails, the known count applies. */
  async room(organizationId: string, quota: QuotaName, amount: number): Promise<Outcome<null>> {
    const standing = this.standingOf(organizationId, null);
    if (standing.limits === null) await this.load(organizationId, standing);
    const limit = this.limitOf(standing, quota);
    if (limit === null) return ok(null);
    const gauge = gaugeOf(standing, quota);
    const isFull = (): boolean => gauge.used < 0 || gauge.used + amount > limit;
    if (isFull() && (gauge.used < 0 || this.mayMeasure(gauge))) await this.measure(organizationId, standing, quota);
    return isFull() ? refuse({ kind: "quota_exceeded", quota, limit, used: Math.max(0, gauge.used) }) : ok(null);
  }

  unreferred(organizationId: string, bytes: number): void {
    const gauge = this.standings.get(organizationId)?.gauges.get("file_bytes");
    // A measurement at the limit corrects this.
    if (gauge !== undefined && gauge.used >= 0) gauge.used += bytes;
  }

  /** Counts writes that continue begun work: they are never refused, but use space. */
  private add(organizationId: string, { events, bytes }: Stored): void {
    const standing = this.standings.get(organizationId);
    if (standing === undefined) return;
    const rows = standing.gauges.get("stored_rows");
    const all = standing.gauges.get("stored_bytes");
    if (rows !== undefined && rows.used >= 0) rows.used += events;
    if (all !== undefined && all.used >= 0) all.used += bytes;
  }

  private standingOf(organizationId: string, demand: Demand | null): QuotaStanding {
    let standing = this.standings.get(organizationId);
    if (standing === undefined) {
      standing = { limits: null, loading: null, gauges: new Map() };
      // A new organization has no usage yet.
      if (demand?.organization?.version === 1) {
        standing.limits = {};
        for (const quota of QUOTAS) standing.gauges.set(quota, { ...newGauge(), used: 0 });
      }
      this.standings.set(organizationId, standing);
    }
    return standing;
  }

  private limitOf({ limits }: QuotaStanding, quota: QuotaName): number | null {
    const own = limits?.[quota];
    return own === undefined ? this.parts.defaults[quota] : own;
  }

  private counted(standing: QuotaStanding, demand: Demand, asked: ReadonlyMap<QuotaName, number>): Verdict {
    const counted: [Gauge, number][] = [];
    for (const [quota, amount] of asked) {
      const gauge = gaugeOf(standing, quota);
      const more = quota === "secrets" ? Math.max(0, amount - gauge.used) : amount;
      gauge.pending += more;
      if (gauge.used >= 0) gauge.used += more;
      counted.push([gauge, more]);
    }
    return {
      kind: "admitted",
      ended(isStored) {
        for (const [gauge, more] of counted) {
          gauge.pending -= more;
          if (!isStored && gauge.used >= 0) gauge.used -= more;
        }
        if (!isStored) return;
        for (const quota of demand.freed) gaugeOf(standing, quota).isStale = true;
        if (demand.secrets !== null) gaugeOf(standing, "secrets").isStale = true;
        if (demand.organization !== null) standing.limits = demand.organization.quotas ?? {};
      },
    };
  }

  /** Whether to measure again at a limit, because something may have been deleted. */
  private mayMeasure({ measuring, measuredAtMs, tookMs, isStale }: Gauge): boolean {
    if (measuring !== null) return true;
    const restMs = Math.max(isStale ? STALE_MS : FRESH_MS, tookMs * MEASURING_REST);
    return this.parts.clock.monotonic() - measuredAtMs >= restMs;
  }

  private load(organizationId: string, standing: QuotaStanding): Promise<void> {
    standing.loading ??= this.parts.directory
      .quotasOf(organizationId)
      .then(
        (limits) => void (standing.limits ??= limits),
        (err: unknown) => {
          // A failed read must not block the organization: the default limits apply until it succeeds.
          this.parts.log.error({ err, organizationId }, "the quotas of an organization could not be read");
          standing.limits ??= {};
        },
      )
      .finally(() => (standing.loading = null));
    return standing.loading;
  }

  /**
   * Usage that was pending at the start of a measurement may or may not be in the tables, so it is counted in any case.
   */
  private measure(organizationId: string, standing: QuotaStanding, quota: QuotaName): Promise<void> {
    const gauge = gaugeOf(standing, quota);
    return (gauge.measuring ??= this.measured(organizationId, gauge, quota).finally(() => (gauge.measuring = null)));
  }

  private async measured(organizationId: string, gauge: Gauge, quota: QuotaName): Promise<void> {
    const { directory, clock, log } = this.parts;
    const startMs = clock.monotonic();
    gauge.isStale = false;
    const before = gauge.used;
    const pending = gauge.pending;
    let measured = Math.max(0, before);
    try {
      measured = (await directory.measure(organizationId, quota, clock.now())) + pending;
    } catch (err) {
      log.error({ err, organizationId, quota }, "the usage of an organization could not be measured");
    }
    const admitted = before < 0 ? gauge.pending - pending : gauge.used - before;
    gauge.used = measured + Math.max(0, admitted);
    gauge.measuredAtMs = clock.monotonic();
    gauge.tookMs = gauge.measuredAtMs - startMs;
  }
}

const newGauge = (): Gauge => ({
  used: -1,
  pending: 0,
  measuredAtMs: Number.NEGATIVE_INFINITY,
  tookMs: 0,
  isStale: false,
  measuring: null,
});

function gaugeOf({ gauges }: QuotaStanding, quota: QuotaName): Gauge {
  let gauge = gauges.get(quota);
  if (gauge === undefined) gauges.set(quota, (gauge = newGauge()));
  return gauge;
}

function askedOf({ asked, secrets, rows }: Demand, { events, bytes }: Stored): ReadonlyMap<QuotaName, number> {
  const all = new Map<QuotaName, number>([...asked, ["stored_rows", rows + events], ["stored_bytes", bytes]]);
  if (secrets !== null) all.set("secrets", secrets);
  return all;
}
