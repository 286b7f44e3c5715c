/** Reads of the directory. They fail only if the database cannot be reached, and that becomes a refusal. */
import { ok, type Outcome, refuse } from "../../actors/fault.ts";
import { UNAVAILABLE_RETRY_MS } from "../../actors/runtime/placement/shards.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import type { HttpLog } from "./port.ts";

/** The result of the read, or `unavailable`; the cause goes to the log. */
export async function lookUp<T>(log: HttpLog, read: Promise<T>): Promise<Outcome<T>> {
  try {
    return ok(await read);
  } catch (err) {
    log.error({ err }, "the directory could not be read");
    return refuse({ kind: "unavailable", retryAfterMs: UNAVAILABLE_RETRY_MS });
  }
}

/** Reads of the directory that find everything that was answered before. */
export type ReadCommitted = <T>(organizationId: string, read: () => Promise<T>) => Promise<Outcome<T>>;

/** Reads once the organization's commits that are on their way are in the tables. */
export const readingCommitted =
  (system: Pick<TroupeSystem, "settled">, log: HttpLog): ReadCommitted =>
  async (organizationId, read) => {
    const before = await system.settled(organizationId);
    return before.ok ? lookUp(log, read()) : before;
  };
