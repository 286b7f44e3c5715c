/**
 * The commits of Troupe during a measurement, from its metrics: how long one takes, and how many changes it carries. A
 * commit is one statement, with its sync.
 */

/** Totals since the start of the service. */
export interface Commits {
  readonly count: number;
  readonly seconds: number;
  /** Changes of different chats and jobs that they store, each at once or not at all. */
  readonly groups: number;
}

/** The means of one commit. */
export interface CommitMeans {
  readonly ms: number;
  readonly groups: number;
}

/** Reads them at the port of the metrics. */
export async function commitsOf(port: number): Promise<Commits> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const value = (name: string): number => {
    const found = new RegExp(`^${name} (\\S+)$`, "m").exec(text);
    if (found === null) throw new Error(`there is no metric ${name}`);
    return Number(found[1]);
  };
  return {
    count: value("troupe_flush_duration_seconds_count"),
    seconds: value("troupe_flush_duration_seconds_sum"),
    groups: value("troupe_flush_groups_sum"),
  };
}

export function commitMeans(before: Commits, after: Commits): CommitMeans {
  const count = after.count - before.count;
  return { ms: ((after.seconds - before.seconds) * 1_000) / count, groups: (after.groups - before.groups) / count };
}
