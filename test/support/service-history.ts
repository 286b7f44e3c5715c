/**
 * What callers of the service were told about tasks and executions, and whether what is stored agrees
 * with it. Every request has a key of its own: the title of its task. A task that a tool makes is
 * keyed by its call as well, so it is made once however often the job is begun.
 */

export interface Request {
  readonly key: string;
  /** Asked for as it is, or made by a tool of an execution. */
  readonly way: "task" | "execution";
  answer: "pending" | "acknowledged" | "refused" | "unknown";
}

export class ServiceHistory {
  readonly requests: Request[] = [];
  acknowledged = 0;

  begin(way: Request["way"]): Request {
    const request: Request = { key: `${way}-${this.requests.length}`, way, answer: "pending" };
    this.requests.push(request);
    return request;
  }

  settle(request: Request, answer: Request["answer"]): void {
    request.answer = answer;
    if (answer === "acknowledged") this.acknowledged++;
  }
}

export interface StoredService {
  /** Titles of all tasks. */
  readonly titles: readonly string[];
  /** What each job was asked, and where it stands. */
  readonly jobs: readonly { readonly input: string; readonly status: string; readonly chatBusy: boolean }[];
  /** Streams whose events are not 1, 2, 3 … up to the head that their record names. */
  readonly brokenStreams: number;
  /** Messages, effects and alarms that nobody has taken. */
  readonly undone: number;
}

export interface ServiceVerdict {
  readonly lost: readonly string[];
  readonly twice: readonly string[];
  readonly wrong: readonly string[];
}

const ENDS: ReadonlySet<string> = new Set(["completed", "failed", "cancelled", "blocked"]);

export function judgeService({ requests }: ServiceHistory, stored: StoredService): ServiceVerdict {
  const verdict = { lost: [] as string[], twice: [] as string[], wrong: [] as string[] };
  const times = new Map<string, number>();
  for (const title of stored.titles) times.set(title, (times.get(title) ?? 0) + 1);
  const jobOf = new Map(stored.jobs.map((job) => [keyIn(job.input), job]));
  for (const { key, way, answer } of requests) {
    const count = times.get(key) ?? 0;
    if (answer === "acknowledged" && count === 0) verdict.lost.push(`${key} was acknowledged and is not stored`);
    if (count > 1) verdict.twice.push(`${key} is stored ${count} times`);
    if (answer === "refused" && count > 0) verdict.wrong.push(`${key} was refused and is stored`);
    if (answer === "pending") verdict.wrong.push(`${key} was never answered`);
    const status = jobOf.get(key)?.status;
    if (way === "execution" && answer === "acknowledged" && status !== "completed")
      verdict.wrong.push(`${key}: its job is ${status ?? "not there"}`);
    if (status === "completed" && count === 0) verdict.lost.push(`${key}: its job is completed without its task`);
  }
  const known = new Set(requests.map(({ key }) => key));
  for (const title of times.keys()) if (!known.has(title)) verdict.wrong.push(`nobody asked for ${title}`);
  for (const { input, status, chatBusy } of stored.jobs) {
    if (!ENDS.has(status)) verdict.wrong.push(`${keyIn(input)}: its job is ${status} for ever`);
    if (chatBusy) verdict.wrong.push(`${keyIn(input)}: its chat waits for a job that is over`);
  }
  if (stored.brokenStreams > 0) verdict.wrong.push(`${stored.brokenStreams} streams have gaps`);
  if (stored.undone > 0) verdict.wrong.push(`${stored.undone} messages, effects or alarms were never taken`);
  return verdict;
}

/** What the demo model is told, so that it makes the task of this key by a tool. */
export const messageFor = (key: string): string =>
  `/say working on it\n/call create_task ${JSON.stringify({ title: key })}`;
const keyIn = (input: string): string => /"title":"([^"]+)"/.exec(input)?.[1] ?? "";
