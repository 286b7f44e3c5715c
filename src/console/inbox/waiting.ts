/** What waits for the person: jobs with a decision to make, and failed runs of missions. */
import { signal } from "@preact/signals";
import type { Job, Mission } from "../../../sdk/typescript/troupe.ts";
import { isAbort, service, wordsOfError } from "../service.ts";
import { noteAnswer } from "../session.ts";
import { waitingCount } from "../title.ts";

export interface WaitingWork {
  readonly jobs: readonly Job[];
  /** Missions whose last run has failed. */
  readonly missions: readonly Mission[];
}

/** Null until it has been read once. */
export const waitingWork = signal<WaitingWork | null>(null);
export const waitingError = signal<string | null>(null);

const MOST_SHOWN = 100;

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
    const [{ jobs }, { missions }] = await Promise.all([
      service.listJobs({ status: ["blocked", "needs_review"], limit: MOST_SHOWN }),
      service.listMissions({ limit: MOST_SHOWN }),
    ]);
    const failed = missions.filter(({ last_run }) => last_run?.outcome === "failed");
    const before = waitingWork.value;
    waitingWork.value = { jobs, missions: failed };
    waitingError.value = null;
    await noteAnswer();
    waitingCount.value = jobs.length + failed.length;
    if (before !== null) notify(jobs.filter(({ id }) => !before.jobs.some((job) => job.id === id)));
  } catch (error) {
    if (!isAbort(error)) waitingError.value = wordsOfError(error);
  }
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
