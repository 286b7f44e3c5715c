/** What waits for the person: jobs with a decision to make, and failed runs of missions. */
import { signal } from "@preact/signals";
import type { Job, Mission } from "../../../sdk/typescript/troupe.ts";
import { readItems } from "../pieces/read-pages.ts";
import { isAbort, isolated, service, wordsOfError } from "../service.ts";
import { isOwnPage } from "../session.ts";
import { waitingCount } from "../title.tsx";

export interface WaitingWork {
  readonly jobs: readonly Job[];
  /** Missions that have failed, or whose last run has. */
  readonly missions: readonly Mission[];
  /** Whether there are jobs and missions that were not looked at. */
  readonly hasMore: boolean;
}

/** Null until it has been read once. */
export const waitingWork = signal<WaitingWork | null>(null);
export const waitingError = signal<string | null>(null);

const WAITING_PAGE = 100;

/** Reads it. One read at a time: a second call joins the one that is under way. */
export function readWaiting(): Promise<void> {
  return (reading ??= readBoth().finally(() => (reading = null)));
}

/** Reads it as it is after a decision: a read that is under way may have begun before. */
export async function readDecided(): Promise<void> {
  await reading;
  await readWaiting();
}

/** The job as it was read last: no event of a chat says that one of several people has approved. */
export function newestRead(job: Job): Job {
  const read = waitingWork.value?.jobs.find(({ id }) => id === job.id);
  return read !== undefined && read.version > job.version ? read : job;
}

let reading: Promise<void> | null = null;

async function readBoth(): Promise<void> {
  try {
    const [isOwn, { jobs, next_cursor: nextJobs }, { items, isWhole }] = await Promise.all([
      isOwnPage(),
      service.listJobs({ status: ["blocked", "needs_review"], limit: WAITING_PAGE }),
      // No filter finds the missions whose last run has failed.
      readItems(
        (query) => service.listMissions(query),
        (page) => page.missions,
      ),
    ]);
    if (!isOwn) return;
    const missions = items.filter(({ status, last_run: run }) => status === "failed" || run?.outcome === "failed");
    const before = waitingWork.value;
    const hasMore = nextJobs !== undefined || !isWhole;
    waitingWork.value = { jobs, missions, hasMore };
    waitingError.value = null;
    const count = jobs.length + missions.length;
    waitingCount.value = count === 0 ? "" : `${count}${hasMore ? "+" : ""}`;
    if (before === null) return;
    const known = new Set([...before.jobs, ...before.missions].map(({ id }) => id));
    notify([...jobs, ...missions].filter(({ id }) => !known.has(id)));
  } catch (error) {
    if (!isAbort(error)) waitingError.value = wordsOfError(error);
  }
}

/** A notification of the browser for what is new, if the person has allowed them and does not see the page. */
function notify(added: readonly (Job | Mission)[]): void {
  const [first] = added;
  if (first === undefined || document.visibilityState === "visible") return;
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  const words = "schedule" in first ? "A mission has failed" : "Waits for you";
  new Notification("Troupe", {
    body: added.length === 1 ? `${words}: ${isolated(first.title)}` : `${added.length} things wait for you`,
    tag: "troupe inbox",
  });
}
