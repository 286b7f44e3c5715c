/** A call that waits for a job, as the ids of its events carry it (`event-cursor.ts`). */
import type { JsonObject } from "../../actors/schema.ts";
import type { WaitingCall } from "./event-cursor.ts";
import { jobOfCall } from "./execute.ts";
import type { PostedJson } from "./message.ts";
import { type ToolSpec, WAIT_SECONDS } from "./tools.ts";

/** Characters of a message's value that an event id may carry. */
const SHORT = 128;

/** What the stream of a message can be resumed from; null if only this process can resume it. */
export function waitingCall(
  { id, params }: PostedJson,
  { runs, key, now }: { readonly runs: ToolSpec["runs"]; readonly key: string; readonly now: number },
): WaitingCall | null {
  if (runs !== "execute" && runs !== "wait") return null;
  const given = (params?.["arguments"] ?? {}) as JsonObject;
  const token = (params?.["_meta"] as JsonObject | undefined)?.["progressToken"] ?? null;
  const job = runs === "wait" ? given["job_id"] : (given["idempotency_key"] ?? null) === null ? jobOfCall(key) : null;
  if (!isShort(id) || !(token === null || isShort(token)) || !(job === null || isShort(job))) return null;
  const seconds = Number(given["wait_seconds"] ?? WAIT_SECONDS.default);
  const jobId = job === null ? null : String(job);
  return { id, progressToken: token, progress: 0, jobId, isOwn: runs === "execute", endsAt: now + seconds * 1_000 };
}

/** Whether the value fits into an event id. */
const isShort = (value: unknown): value is string | number =>
  typeof value === "number" || (typeof value === "string" && value.length <= SHORT);
