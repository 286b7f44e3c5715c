/** What waits for the person: jobs with a decision to make, and failed runs of missions. */
import { signal } from "@preact/signals";
import type { Job, Mission } from "../../../sdk/typescript/troupe.ts";
import { isAbort, service, wordsOfError } from "../service.ts";
import { isOwnPage } from "../session.ts";
import { waitingCount } from "../title.ts";

export interface WaitingWork {
  readonly jobs: readonly Job[];
  /** Missions whose last run has failed. */
  readonly missions: readonly Mission[];
  /** Whether there are jobs and missions that were not looked at. */
  readonly hasMore: boolean;
}

/** Null until it has been read once. */
export const waitingWork = signal<WaitingWork | null>(null);
export const waitingError = signal<string | null>(null);

const WAITING_PAGE = 100;
/** No filter finds the missions whose last run has failed, so all are looked at, up to this number of pages. */
const MISSION_PAGES = 10;

/** Reads it. One read at a time: a second call joins the one that is under way. */
export function readWaiting(): Promise<void> {
  return (reading ??= readBoth().finally(() => (reading = null)));
}

/** Reads it as it is after a decision: a read that is under way may have begun before. */
export async function readDecided(): Promise<void> {
  await reading;
  await readWaiting();
}

let reading: Promise<void> | null = null;

async function readBoth(): Promise<void> {
  try {
    const [isOwn, { jobs, next_cursor: nextJobs }, { missions, isWhole }] = await Promise.all([
      isOwnPage(),
      service.listJobs({ status: ["blocked", "needs_review"], limit: WAITING_PAGE }),
      readFailedMissions(),
    ]);
    if (!isOwn) return;
    const before = waitingWork.value;
    const hasMore = nextJobs !== undefined || !isWhole;
    waitingWork.value = { jobs, missions, hasMore };
    waitingError.value = null;
    const count = jobs.length + missions.length;
    waitingCount.value = count === 0 ? "" : `${count}${hasMore ? "+" : ""}`;
    if (before !== null) notify(jobs.filter(({ id }) => !before.jobs.some((job) => job.id === id)));
  } catch (error) {
    if (!isAbort(error)) waitingError.value = wordsOfError(error);
  }
}

async function readFailedMissions(): Promise<{ readonly missions: readonly Mission[]; readonly isWhole: boolean }> {
  const failed: Mission[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MISSION_PAGES; page++) {
    const read = await service.listMissions({ limit: WAITING_PAGE, ...(cursor === undefined ? {} : { cursor }) });
    failed.push(...read.missions.filter(({ last_run: last }) => last?.outcome === "failed"));
    cursor = read.next_cursor;
    if (cursor === undefined) break;
  }
  return { missions: failed, isWhole: cursor === undefined };
}

/** A notification of the browser for what is new, if the person has allowed them and does not see the page. */
function notify(jobs: readonly Job[]): void {
  if (jobs.length === 0 || document.visibilityState === "visible") return;
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  const [first] = jobs;
  new Notification("Troupe", {
    body: jobs.length === 1 ? `Waits for you: ${first?.title}` : `${jobs.length} jobs wait for you`,
    tag: "troupe inbox",
  });
}
