/** The jobs that derive from each other, as a graph: columns are steps of derivation, and each node leads to its job. */
import { useRef } from "preact/hooks";
import { Link } from "wouter-preact";
import type { JobNode } from "../../../sdk/typescript/troupe.ts";
import { useLoaded, WhenLoaded } from "../loading.tsx";
import { service } from "../service.ts";
import { layoutOf, type PlacedJob } from "./lineage-layout.ts";

const COLUMN_PX = 250;
const ROW_PX = 64;
const NODE_WIDTH_PX = 210;
const NODE_HEIGHT_PX = 52;
/** More jobs are a list that nobody reads as a graph. */
const MOST_NODES = 200;

const RELATION_WORDS: Readonly<Record<JobNode["relation"], string>> = {
  root: "first",
  iteration: "changes asked for",
  resume: "resumed",
  delegation: "delegated",
};

/** `version`: of the job, so that a new descendant is seen. */
export function JobLineage({ jobId, version }: { readonly jobId: string; readonly version: number }) {
  const loaded = useLoaded((signal) => service.getJobLineage(jobId, { signal }), [jobId, version]);
  // The graph of the former version stays until the new one is there.
  const last = useRef(loaded.value);
  last.current = loaded.value ?? last.current;
  const found = { ...loaded, value: last.current };
  if (found.value !== null && found.value.nodes.length < 2) return null;
  return (
    <>
      <h2>Related jobs</h2>
      <WhenLoaded of={found}>{({ nodes }) => <LineageGraph nodes={nodes} jobId={jobId} />}</WhenLoaded>
    </>
  );
}

function LineageGraph({ nodes, jobId }: { readonly nodes: readonly JobNode[]; readonly jobId: string }) {
  const placed = layoutOf(nodes.slice(0, MOST_NODES));
  const columns = Math.max(...placed.map(({ column }) => column)) + 1;
  const rows = Math.max(...placed.map(({ row }) => row)) + 1;
  const size = { width: columns * COLUMN_PX, height: rows * ROW_PX };
  return (
    <div class="scrolls" tabIndex={0} role="region" aria-label="Related jobs">
      <div class="lineage" style={{ width: `${size.width}px`, height: `${size.height}px` }}>
        <svg {...size} aria-hidden="true">
          {placed.map((node) =>
            node.parent === null ? null : <path key={node.job.id} d={lineTo(node, node.parent)} />,
          )}
        </svg>
        <ul>
          {placed.map(({ job, column, row }) => (
            <li
              key={job.id}
              style={{
                left: `${column * COLUMN_PX}px`,
                top: `${row * ROW_PX}px`,
                width: `${NODE_WIDTH_PX}px`,
                height: `${NODE_HEIGHT_PX}px`,
              }}
            >
              <Link href={`/jobs/${job.id}`} aria-current={job.id === jobId ? "true" : undefined}>
                {job.title}
              </Link>
              <span class="quiet">
                {RELATION_WORDS[job.relation]} · {job.status.replaceAll("_", " ")}
              </span>
            </li>
          ))}
        </ul>
      </div>
      {nodes.length > MOST_NODES ? (
        <p class="quiet">
          The oldest {MOST_NODES} of {nodes.length} jobs.
        </p>
      ) : null}
    </div>
  );
}

/** From the middle of the parent's end to the middle of the node's beginning. */
function lineTo({ column, row }: PlacedJob, parent: PlacedJob): string {
  const [x, y] = [parent.column * COLUMN_PX + NODE_WIDTH_PX, parent.row * ROW_PX + NODE_HEIGHT_PX / 2];
  const [toX, toY] = [column * COLUMN_PX, row * ROW_PX + NODE_HEIGHT_PX / 2];
  const middle = (x + toX) / 2;
  return `M${x} ${y}C${middle} ${y} ${middle} ${toY} ${toX} ${toY}`;
}
