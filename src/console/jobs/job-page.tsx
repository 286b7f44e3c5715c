/** One job: what it did, in the order of its events, what it cost, and what may be done with it. */
import { signal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import type { Job, JobStreamEvent } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { Decisions, whyNotTo } from "../chat/decisions.tsx";
import { Time } from "../format/time.tsx";
import { followStream } from "../follow-stream.ts";
import { isAbort, service, wordsOfError } from "../service.ts";
import { useTitle } from "../title.ts";

/** An event of the stream that is stored: it has a number. */
type SeenEvent = Extract<JobStreamEvent, { data: { seq: number } }>;

function followJob(jobId: string) {
  const job = signal<Job | null>(null);
  const events = signal<readonly SeenEvent[]>([]);
  const error = signal<string | null>(null);
  const ended = new AbortController();
  const readJob = async (): Promise<void> => {
    job.value = await service.getJob(jobId, { signal: ended.signal });
  };
  let isReading = false;
  let isStale = false;
  /** One read at a time; what changes meanwhile is read after it. */
  const refresh = async (): Promise<void> => {
    isStale = true;
    if (isReading) return;
    isReading = true;
    try {
      while (isStale) {
        isStale = false;
        await readJob();
      }
    } catch (cause) {
      if (!isAbort(cause)) error.value = wordsOfError(cause);
    } finally {
      isReading = false;
    }
  };
  const follow = async (): Promise<void> => {
    await followStream({
      open: (until) => service.streamJobEvents(jobId, { replay: "all" }, { signal: until }),
      take: async (event) => {
        if (event.event === "snapshot") {
          job.value = event.data;
          events.value = [];
        } else if ("seq" in event.data && event.event !== "transcript.delta") {
          events.value = [...events.value, event as SeenEvent];
          if (event.data.seq > (job.value?.last_seq ?? 0) && event.event !== "transcript.event") void refresh();
        }
      },
      error,
      until: ended.signal,
    });
    if (!ended.signal.aborted) await refresh();
  };
  return { job, events, error, readJob, follow, close: () => ended.abort() };
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
  const alert =
    error === null ? null : (
      <p class="bad" role="alert">
        {error}
      </p>
    );
  if (job === null) return alert ?? <p class="quiet">Loading …</p>;
  const again = async (): Promise<void> => navigate(`/jobs/${(await service.resumeJob(jobId)).id}`);
  return (
    <>
      <h1>{job.title}</h1>
      {alert}
      <Facts job={job} />
      <p class="actions">
        <ActionButton
          act={() => service.cancelJob(jobId)}
          whyNot={whyNotTo(job, "cancel")}
          question="Cancel this job? What it has done stays."
        >
          Cancel
        </ActionButton>
        <ActionButton class="quiet" act={again} whyNot={whyNotTo(job, "resume")}>
          Resume
        </ActionButton>
        <Link href={`/chats/${job.chat_id}`}>Open its chat</Link>
      </p>
      <Decisions job={job} decided={followed.readJob} />
      {job.error === null ? null : (
        <p class="bad">
          {job.error.message} <code>{job.error.code}</code>
        </p>
      )}
      <h2>Events</h2>
      <ol class="rows" aria-label="Events">
        {followed.events.value.map((event) => (
          <EventRow key={event.data.seq} event={event} />
        ))}
      </ol>
    </>
  );
}

function Facts({ job }: { readonly job: Job }) {
  const { metrics } = job;
  const facts: readonly (readonly [string, string])[] = [
    ["Id", job.id],
    ["Attempt", String(job.attempt)],
    ["Tokens", `${metrics.input_tokens.toLocaleString()} in, ${metrics.output_tokens.toLocaleString()} out`],
    ["Cost", metrics.cost ?? "no price is set"],
    ["Tool calls", String(metrics.tool_calls)],
    ["First token", milliseconds(metrics.time_to_first_token_ms)],
    ["Duration", milliseconds(metrics.duration_ms)],
  ];
  return (
    <dl class="facts">
      <dt>Status</dt>
      <dd>
        <span class={`badge ${job.status}`}>{job.status.replaceAll("_", " ")}</span>
      </dd>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const milliseconds = (ms: number | null): string => (ms === null ? "–" : `${ms.toLocaleString()} ms`);

function EventRow({ event: { event, data } }: { readonly event: SeenEvent }) {
  const { seq, type, at, ...details } = data;
  const kind = "kind" in details ? String(details.kind).replaceAll("_", " ") : null;
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <span class="quiet">{seq}</span> {kind ?? event} <Time at={at} />
        </summary>
        {isOpen ? (
          <pre tabIndex={0} data-type={type}>
            {JSON.stringify(details, null, 2)}
          </pre>
        ) : null}
      </details>
    </li>
  );
}
