/**
 * Those whose requests are counted: each belongs to an identity of an organization with a small budget
 * for a window. However processes end and shards move, nobody gets more than that, and what was admitted
 * is covered by what is stored.
 */
import { isPassing } from "../../actors/fault.ts";
import { RATE_WINDOW_MS, type RateLimit } from "../../actors/traffic/policy.ts";
import type { RateState } from "../../actors/traffic/protocol.ts";
import { type RateWindow, rateWindowTable, trafficRef } from "../../actors/traffic/schema.ts";
import { ledgerRef } from "../support/ledger-actor.ts";
import { type Callers, isDrawn } from "./callers.ts";
import type { WatchedDatabase } from "./ledger-book.ts";
import type { Scheduler } from "./scheduler.ts";
import type { SimulatedReplica } from "./simulated-replica.ts";
import { must } from "./violation.ts";

const ORGANIZATIONS = ["org_a", "org_b"];
const IDENTITIES = ["tok_1", "tok_2"];
const LIMIT: RateLimit = { budget: 12, reservation: 4 };

export class Visitors {
  /** Requests that were told to be admitted, by organization, identity and window. */
  private readonly admitted = new Map<string, number>();
  private readonly scheduler: Scheduler;
  private readonly callers: Callers;
  private readonly database: WatchedDatabase;

  constructor(parts: { readonly scheduler: Scheduler; readonly callers: Callers; readonly database: WatchedDatabase }) {
    this.scheduler = parts.scheduler;
    this.callers = parts.callers;
    this.database = parts.database;
  }

  /** One request; now and then in a group with an actor whose last change may not be stored. */
  visit(replica: SimulatedReplica): void {
    const { scheduler } = this;
    const organizationId = scheduler.one(ORGANIZATIONS);
    const identity = scheduler.one(IDENTITIES);
    const command = { kind: "admit_request", identity, limit: LIMIT };
    const members = [{ ref: trafficRef(organizationId), command }];
    const before = { ref: ledgerRef(organizationId, "x"), command: { kind: "read" } };
    const steps = scheduler.happens(0.3) ? [before, ...members] : members;
    this.callers.wait(replica, `a request of ${organizationId}/${identity}`, replica.system.dispatchGroup(steps), {
      answered: (outcome) => {
        if (outcome.ok)
          return this.count(`${organizationId}/${identity}`, (outcome.value as readonly unknown[]).at(-1) as RateState);
        must(isPassing(outcome.fault), "bug", () => `a request was refused: ${outcome.fault.kind}`);
      },
      threw: (cause) => must(isDrawn(cause), "bug", () => `a request: ${String(cause)}`),
      abandoned: () => {},
    });
  }

  private count(name: string, { isAdmitted, resetAtMs }: RateState): void {
    if (!isAdmitted) return;
    const window = resetAtMs / RATE_WINDOW_MS - 1;
    const key = `${name} in ${window}`;
    const count = (this.admitted.get(key) ?? 0) + 1;
    this.admitted.set(key, count);
    must(count <= LIMIT.budget, "rate", () => `${key}: ${count}`);
    const [organizationId = "", identity = ""] = name.split("/");
    const record = this.database.record(rateWindowTable.name, organizationId, identity) as RateWindow | null;
    if (record?.window !== window) return;
    must(record.reserved >= count, "rate", () => `${key}: ${count} of ${record.reserved} that are stored`);
  }
}
