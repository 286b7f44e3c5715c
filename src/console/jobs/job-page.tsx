/** One job: what it did, in the order of its events, what it cost, and what may be done with it. */
import { signal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import type { Job, StopReason } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { Decisions, isStopped, whyNotTo } from "../chat/decisions.tsx";
import { Money, msWords } from "../format/amount.tsx";
import { KnownTime, Time } from "../format/time.tsx";
import { followStream, readSurely } from "../follow-stream.ts";
import { service } from "../service.ts";
import { CopyAsCurl } from "../pieces/curl.tsx";
import { type FactList, ShownFacts } from "../pieces/table.tsx";
import { useTitle } from "../title.tsx";
import { IterateForm } from "./iterate-form.tsx";
import { JobLineage } from "./lineage.tsx";
import { SendAgain } from "./send-again.tsx";
import { type SeenEvent, type StepUse, type TimelineEntry, timelineOf } from "./timeline.ts";
import { ErrorLine } from "../loading.tsx";

function followJob(jobId: string) {
  const job = signal<Job | null>(null);
  const events = signal<readonly SeenEvent[]>([]);
  const error = signal<string | null>(null);
  const ended = new AbortController();
  /** Shown with the next frame of the screen: a long job replays thousands of events. */
  let grown: SeenEvent[] = [];
  const showGrown = (): void => {
    events.value = [...events.value, ...grown];
    grown = [];
  };
  let isReading = false;
  let isStale = false;
  /** One read at a time; what changes meanwhile is read after it. */
  const refresh = async (): Promise<void> => {
    isStale = true;
    if (isReading) return;
    isReading = true;
    while (isStale) {
      isStale = false;
      const found = await readSurely({
        read: () => service.getJob(jobId, { signal: ended.signal }),
        error,
        until: ended.signal,
      });
      if (found !== null) job.value = found;
    }
    isReading = false;
  };
  const follow = async (): Promise<void> => {
    await followStream({
      open: (until, after) =>
        service.streamJobEvents(jobId, { replay: "all", ...(after === null ? {} : { after }) }, { signal: until }),
      take: async (event) => {
        if (event.event === "snapshot") {
          job.value = event.data;
          grown = [];
          events.value = [];
        } else if ("seq" in event.data && event.event !== "transcript.delta") {
          if (grown.length === 0) requestAnimationFrame(showGrown);
          grown.push(event as SeenEvent);
          if (event.data.seq > (job.value?.last_seq ?? 0) && event.event !== "transcript.event") void refresh();
        }
      },
      error,
      until: ended.signal,
    });
    if (!ended.signal.aborted) await refresh();
  };
  return { job, events, error, refresh, follow, close: () => ended.abort() };
}

export function JobPage({ id: jobId }: { readonly id: string }) {
  const followed = useMemo(() => followJob(jobId), [jobId]);
  useEffect(() => {
    void followed.follow();
    return followed.close;
  }, [followed]);
  const [, navigate] = useLocation();
  const job = followed.job.value;
  const error = followed.error.value;
  useTitle(job?.title ?? "Job");
  if (job === null) return error === null ? <p class="quiet">Loading …</p> : <ErrorLine error={error} />;
  const again = async (): Promise<void> => navigate(`/jobs/${(await service.resumeJob(jobId)).id}`);
  return (
    <>
      <h1>{job.title}</h1>
      <ErrorLine error={error} />
      <Facts job={job} />
      <p class="actions">
        <ActionButton
          act={() => service.cancelJob(jobId)}
          whyNot={whyNotTo(job, "cancel")}
          question="Cancel this job? What it has done stays."
        >
          Cancel
        </ActionButton>
        {isStopped(job) ? null : (
          <ActionButton class="quiet" act={again} whyNot={whyNotTo(job, "resume")}>
            Resume
          </ActionButton>
        )}
        <Link href={`/chats/${job.chat_id}`}>Open its chat</Link>
        <CopyAsCurl path={`/api/jobs/${jobId}`} />
      </p>
      <Decisions job={job} decided={followed.refresh} />
      {job.error === null ? null : (
        <p class="bad">
          {job.error.message} <code>{job.error.code}</code>
        </p>
      )}
      <IterateForm key={`changes of ${jobId}`} job={job} />
      <SendAgain job={job} />
      <JobLineage jobId={jobId} version={job.version} />
      <Timeline events={followed.events.value} />
    </>
  );
}

const STOP_WORDS: Readonly<Record<StopReason, string>> = {
  stop: "it was done",
  tool_use: "to call tools",
  length: "at a token limit",
  content_filter: "by a filter of the provider",
  refusal: "it declined",
  other: "for a reason of the provider",
};

function Facts({ job }: { readonly job: Job }) {
  const { metrics, warnings, progress } = job;
  const facts: FactList = [
    ["Status", <span class={`badge ${job.status}`}>{job.status.replaceAll("_", " ")}</span>],
    ["Id", job.id],
    ["Agent", <Link href={`/agents/${job.agent_id}`}>{job.agent_id}</Link>],
    ["Model", job.runner?.model ?? "–"],
    ["Attempt", String(job.attempt)],
    ["Tokens", tokenWords(useOfJob(metrics))],
    ["Cost", metrics.cost === null ? "no price is set" : <Money amount={metrics.cost} />],
    ["Tool calls", String(metrics.tool_calls)],
    ["First token", msWords(metrics.time_to_first_token_ms)],
    ["Duration", msWords(metrics.duration_ms)],
    ["The model stopped", job.stop_reason === null ? "–" : STOP_WORDS[job.stop_reason]],
    ["Created", <Time at={job.created_at} />],
    ...(progress.label === null ? [] : [["Progress", progress.label] as const]),
    ...(job.mission_id === null
      ? []
      : [["Mission", <Link href={`/missions/${job.mission_id}`}>{job.mission_id}</Link>] as const]),
    ...(job.workspace_id === null
      ? []
      : [["Workspace", <Link href={`/workspaces/${job.workspace_id}`}>{job.workspace_id}</Link>] as const]),
  ];
  return (
    <>
      <ShownFacts facts={facts} />
      {job.waiting === null ? null : (
        <p>
          It waits: {job.waiting.reason.replaceAll("_", " ")}
          <KnownTime words=", next try" at={job.waiting.retry_at} />
        </p>
      )}
      {warnings.map(({ message, at }) => (
        <p key={at + message} class="quiet">
          {message} <Time at={at} />
        </p>
      ))}
    </>
  );
}

const useOfJob = (metrics: Job["metrics"]): StepUse => ({
  input: metrics.input_tokens,
  output: metrics.output_tokens,
  cached: metrics.cached_input_tokens,
  cost: metrics.cost,
});

/** Entries that are shown at first: the newest of a long run. */
const SHOWN_ENTRIES = 300;

function Timeline({ events }: { readonly events: readonly SeenEvent[] }) {
  const entries = useMemo(() => timelineOf(events), [events]);
  const [isWhole, setWhole] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const shown = isWhole ? entries : entries.slice(-SHOWN_ENTRIES);
  return (
    <>
      <h2>What it did</h2>
      <p class="actions">
        <button class="quiet" onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Close the transcript" : "Read the transcript"}
        </button>
        {shown.length === entries.length ? null : (
          <button class="quiet" onClick={() => setWhole(true)}>
            Show all {entries.length.toLocaleString()} entries
          </button>
        )}
      </p>
      <ol class="rows" aria-label="What it did">
        {shown.map((entry) => (
          <TimelineRow key={`${entry.event.data.seq} ${isOpen}`} entry={entry} isWholeOpen={isOpen} />
        ))}
      </ol>
    </>
  );
}

/** Characters of an entry's text in its line. */
const ENTRY_LINE_CHARACTERS = 120;

function TimelineRow({ entry, isWholeOpen }: { readonly entry: TimelineEntry; readonly isWholeOpen: boolean }) {
  const { event, words, input, isBad, tookMs, used } = entry;
  const text = useMemo(() => (input === null ? entry.text : JSON.stringify(input, null, 2)), [event]);
  const [isOpen, setOpen] = useState(isWholeOpen && text !== null);
  const { seq, at, type, ...details } = event.data;
  return (
    <li>
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary class={isBad ? "bad" : undefined}>
          <strong>{words}</strong> <Time at={at} />
          {tookMs === 0 ? null : <span class="quiet"> after {msWords(tookMs)}</span>}
          {used === null ? null : (
            <span class="badge">
              {tokenWords(used)}
              {used.cost === null ? null : (
                <>
                  , <Money amount={used.cost} />
                </>
              )}
            </span>
          )}
          {text === null || isOpen ? null : <span class="quiet line"> {text.slice(0, ENTRY_LINE_CHARACTERS)}</span>}
        </summary>
        {isOpen ? (
          <pre tabIndex={0} data-type={type} data-seq={seq}>
            {text ?? JSON.stringify(details, null, 2)}
          </pre>
        ) : null}
      </details>
    </li>
  );
}

const tokenWords = ({ input, output, cached }: StepUse): string =>
  `${input.toLocaleString()} tokens in${cached === 0 ? "" : ` (${cached.toLocaleString()} cached)`}, ${output.toLocaleString()} out`;
