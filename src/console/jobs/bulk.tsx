/** One action on all jobs of a filter: what it would do, the question, and what it did to each. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { BulkJobResult, BulkJobsRequest, JobFilterInput } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { keyedSender } from "../pieces/request-key.ts";
import { service, wordsOfError } from "../service.ts";
import { ErrorLine } from "../loading.tsx";
import { ScrolledTable } from "../pieces/table.tsx";

/** The conditions that the list and the bulk operation take in the same form. */
export type JobsFilter = Omit<JobFilterInput, "metadata">;
type JobsAction = BulkJobsRequest["action"];

const VERBS: Readonly<Record<JobsAction, { readonly verb: string; readonly done: string }>> = {
  cancel: { verb: "Cancel", done: "cancelled" },
  resume: { verb: "Resume", done: "resumed" },
  approve: { verb: "Approve", done: "approved" },
  deny: { verb: "Deny", done: "denied" },
};
/** What a decision means for all of these at once. */
const DECISION_WORDS: Readonly<Partial<Record<JobsAction, string>>> = {
  approve: "Results that wait for a review are accepted, and all calls of tools that wait are made as the agents ask.",
  deny: "All calls of tools that wait are denied, and the agents continue without them.",
};
const JOBS_ACTIONS = Object.keys(VERBS) as readonly JobsAction[];

const BULK_PAGE = 100;
/** A preview counts so many pages. */
const PREVIEWED_PAGES = 10;
const SHOWN_RESULTS = 200;

interface BulkRun {
  readonly action: JobsAction;
  readonly isPreview: boolean;
  readonly results: readonly BulkJobResult[];
  /** Of the next page; null for the first one. */
  readonly cursor: string | null;
  /** Whether no page is left. */
  readonly isOver: boolean;
}

const begun = (action: JobsAction, isPreview: boolean): BulkRun => ({
  action,
  isPreview,
  results: [],
  cursor: null,
  isOver: false,
});

interface BulkActionsProps {
  readonly filter: JobsFilter;
  /** Called after each page of changes. */
  readonly changed: () => void;
}

/** The parent gives it the filter as its key: another filter begins anew. */
export function BulkActions({ filter, changed }: BulkActionsProps) {
  const [run, setRun] = useState<BulkRun | null>(null);
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const isStopped = useRef(false);
  useEffect(
    () => () => {
      isStopped.current = true;
    },
    [],
  );
  const [sendKeyed] = useState(() => keyedSender<BulkJobsRequest>());
  const readPage = async ({ action, isPreview, results, cursor }: BulkRun): Promise<BulkRun> => {
    const page = await sendKeyed(
      [action, isPreview, cursor],
      () => ({ action, filter, dry_run: isPreview }),
      (body, key) =>
        service.bulkJobs(body, { limit: BULK_PAGE, ...(cursor === null ? {} : { cursor }) }, { idempotencyKey: key }),
    );
    const { next_cursor: next = null } = page;
    return { action, isPreview, results: [...results, ...page.results], cursor: next, isOver: next === null };
  };
  const preview = async (action: JobsAction): Promise<void> => {
    setError(null);
    let counted = begun(action, true);
    for (let pages = 0; pages < PREVIEWED_PAGES && !counted.isOver; pages++) counted = await readPage(counted);
    setRun(counted);
  };
  /** One loop at a time: a second one would resume the same jobs. */
  const goOn = async (from: BulkRun): Promise<void> => {
    isStopped.current = false;
    setRunning(true);
    setError(null);
    setRun(from);
    try {
      let at = from;
      do {
        at = await readPage(at);
        changed();
        setRun(at);
      } while (!at.isOver && !isStopped.current);
    } catch (cause) {
      setError(wordsOfError(cause));
    } finally {
      setRunning(false);
    }
  };
  if (run === null)
    return (
      <p class="actions">
        {JOBS_ACTIONS.map((action) => (
          <ActionButton key={action} class="quiet" act={() => preview(action)}>
            {VERBS[action].verb} all of these …
          </ActionButton>
        ))}
      </p>
    );
  const { action, isPreview, results, isOver } = run;
  const { verb, done } = VERBS[action];
  const count = (outcome: BulkJobResult["outcome"]): string => {
    const known = results.filter((result) => result.outcome === outcome).length.toLocaleString();
    return isPreview && !isOver ? `at least ${known}` : known;
  };
  return (
    <section class="card" aria-label={`${verb} many jobs`}>
      {isPreview && DECISION_WORDS[action] !== undefined ? <p>{DECISION_WORDS[action]}</p> : null}
      <p class="question" role="status">
        {isPreview
          ? `${verb} ${count("done")} jobs? ${count("unchanged")} need no change, ${count("refused")} cannot be ${done}.`
          : `${count("done")} ${done}, ${count("unchanged")} unchanged, ${count("refused")} refused.`}
      </p>
      <ErrorLine error={error} />
      <p class="actions">
        {isRunning ? (
          <button class="quiet" onClick={() => (isStopped.current = true)}>
            Stop after this page
          </button>
        ) : (
          <>
            {isPreview ? (
              <ActionButton
                act={() => goOn(begun(action, false))}
                whyNot={!isOver || results.some(({ outcome }) => outcome === "done") ? null : `No job can be ${done}`}
              >
                {verb} them
              </ActionButton>
            ) : isOver ? null : (
              <ActionButton act={() => goOn(run)}>Go on</ActionButton>
            )}
            <button class="quiet" onClick={() => setRun(null)}>
              {isPreview ? "Leave them as they are" : "Close"}
            </button>
          </>
        )}
      </p>
      <BulkLedger {...run} />
    </section>
  );
}

/** What was refused comes first. */
function BulkLedger({ results, isPreview, isOver }: BulkRun) {
  if (results.length === 0)
    return isPreview ? (
      <p class="quiet">
        {isOver ? "No job meets the filter." : "No job that was read so far meets the filter; there are more."}
      </p>
    ) : null;
  const sorted = results.toSorted((a, b) => Number(b.outcome === "refused") - Number(a.outcome === "refused"));
  return (
    <>
      <ScrolledTable
        class="ledger"
        label="What happens to each job"
        columns={["Job", isPreview ? "Would be" : "Outcome", "Status"]}
      >
        {sorted.slice(0, SHOWN_RESULTS).map(({ job_id, title, outcome, status, error, next_job_id }) => (
          <tr key={job_id}>
            <td>
              <Link href={`/jobs/${job_id}`}>{title}</Link>
            </td>
            <td>
              {outcome}
              {error === null ? null : `: ${error.message}`}
              {next_job_id === null ? null : (
                <>
                  , continues in <Link href={`/jobs/${next_job_id}`}>another job</Link>
                </>
              )}
            </td>
            <td>{status.replaceAll("_", " ")}</td>
          </tr>
        ))}
      </ScrolledTable>
      {results.length > SHOWN_RESULTS ? <p class="quiet">The first {SHOWN_RESULTS} are shown.</p> : null}
    </>
  );
}
