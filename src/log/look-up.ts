/** Reads of the directory: their only failure is a database that cannot be reached, and that is a refusal. */
import { type Outcome, ok, refuse } from "../../actors/fault.ts";
import { UNAVAILABLE_RETRY_MS } from "../../actors/runtime/shards.ts";
import type { HttpLog } from "./port.ts";

/** What the read finds, or `unavailable`; the log has the cause. */
export async function lookUp<T>(log: HttpLog, read: Promise<T>): Promise<Outcome<T>> {
  try {
    return ok(await read);
  } catch (err) {
    log.error({ err }, "the directory could not be read");
    return refuse({ kind: "unavailable", retryAfterMs: UNAVAILABLE_RETRY_MS });
  }
}
