/** Reports of usage, read from the tables after `System.settled`. Throws when the database cannot be reached. */
import type { QuotaLimits, QuotaName } from "./quota.ts";
import type { Counts } from "./schema.ts";

export const USAGE_GROUPS = ["agent", "model", "day"] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

export interface UsageRequest {
  readonly groupBy: UsageGroup;
  /** Days in UTC, both inclusive: `2026-11-30`. */
  readonly since: string;
  readonly until: string;
  /** The most groups. */
  readonly limit: number;
  /** Only the usage of this agent, or of this model; usage that the reader must not see is of no agent. */
  readonly agentId?: string | undefined;
  readonly model?: string | undefined;
  /** The reader, who must not see other people's private agents (AGT-5); null: every agent is a group of its own. */
  readonly seenBy: string | null;
}

export interface UsageReport {
  /** Days: newest first. Agents and models: most tokens first. */
  readonly groups: readonly (Counts & {
    /** Null: all agents that the reader must not see, in one group. */
    readonly key: string | null;
  })[];
  /** Of all groups, including those past the limit. */
  readonly totals: Counts;
}

export interface UsageDirectory {
  report(organizationId: string, request: UsageRequest): Promise<UsageReport>;
}

/** How much of each quota organizations use. Rejects when the database cannot be reached. */
export interface QuotaDirectory {
  /** The count or size in the tables; `now` is wall clock in ms. */
  measure(organizationId: string, quota: QuotaName, now: number): Promise<number>;
  /** The organization's own limits. */
  quotasOf(organizationId: string): Promise<Partial<QuotaLimits>>;
}
