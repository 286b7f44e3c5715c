/** Places of related jobs: a child is one column after its parent, the first in its row and the others below. Without a browser. */
import type { JobNode } from "../../../sdk/typescript/troupe.ts";

export interface PlacedJob {
  readonly job: JobNode;
  readonly column: number;
  readonly row: number;
  /** Null for a job whose parent is not shown. */
  readonly parent: PlacedJob | null;
}

/** Oldest first; a job comes after its parent. */
export function layoutOf(jobs: readonly JobNode[]): readonly PlacedJob[] {
  const known = new Set(jobs.map(({ id }) => id));
  const childrenOf = Map.groupBy(jobs, ({ parent_job_id: parent }) =>
    parent !== null && known.has(parent) ? parent : null,
  );
  const placed: PlacedJob[] = [];
  let rows = 0;
  // Not recursive: a chain of resumed jobs may be long.
  const waiting: { readonly job: JobNode; readonly parent: PlacedJob | null; readonly isFirst: boolean }[] = [];
  const expect = (children: readonly JobNode[], parent: PlacedJob | null): void => {
    for (const [index, job] of children.entries().toArray().toReversed())
      waiting.push({ job, parent, isFirst: index === 0 });
  };
  expect(childrenOf.get(null) ?? [], null);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { job, parent, isFirst } = next;
    const isInRow = isFirst && parent !== null;
    const place = { job, parent, column: parent === null ? 0 : parent.column + 1, row: isInRow ? parent.row : rows++ };
    placed.push(place);
    expect(childrenOf.get(job.id) ?? [], place);
  }
  return placed;
}
