/** Jobs with their states, filtered by the address of the page. */
import { useState } from "preact/hooks";
import { Link, useSearchParams } from "wouter-preact";
import type { Job, JobStatus } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { Time } from "../format/time.tsx";
import { WhenLoaded, useLoaded, useRepeat } from "../loading.tsx";
import { ListAndOne } from "../routes.tsx";
import { service } from "../service.ts";
import { useTitle } from "../title.ts";
import { JobPage } from "./job-page.tsx";

const STATUS_CHOICES: readonly JobStatus[] = [
  "queued",
  "running",
  "blocked",
  "needs_review",
  "cancelling",
  "completed",
  "failed",
  "cancelled",
];
const PAGE_JOBS = 50;
const REFRESH_SECONDS_OF_JOBS = 5;

export const JobsPages = () => <ListAndOne path="/jobs" list={JobsPage} one={JobPage} />;

function JobsPage() {
  useTitle("Jobs");
  const [search, setSearch] = useSearchParams();
  const status = STATUS_CHOICES.find((one) => one === search.get("status")) ?? null;
  const filter = status === null ? {} : { status: [status] };
  const found = useLoaded((signal) => service.listJobs({ limit: PAGE_JOBS, ...filter }, { signal }), [status]);
  useRepeat(found.reload, REFRESH_SECONDS_OF_JOBS);
  const [more, setMore] = useState<{ readonly jobs: readonly Job[]; readonly cursor: string | undefined } | null>(null);
  return (
    <>
      <h1>Jobs</h1>
      <label class="search">
        Status
        <select
          value={status ?? ""}
          onChange={({ currentTarget: { value } }) => {
            setMore(null);
            setSearch(value === "" ? {} : { status: value });
          }}
        >
          <option value="">any</option>
          {STATUS_CHOICES.map((one) => (
            <option key={one} value={one}>
              {one.replaceAll("_", " ")}
            </option>
          ))}
        </select>
      </label>
      <WhenLoaded of={found}>
        {({ jobs, next_cursor }) => {
          const next = more === null ? next_cursor : more.cursor;
          const shown = [...jobs, ...(more?.jobs ?? []).filter(({ id }) => !jobs.some((job) => job.id === id))];
          const showMore = async (cursor: string): Promise<void> => {
            const page = await service.listJobs({ limit: PAGE_JOBS, cursor, ...filter });
            setMore({ jobs: [...(more?.jobs ?? []), ...page.jobs], cursor: page.next_cursor });
          };
          return shown.length === 0 ? (
            <p class="quiet">No jobs.</p>
          ) : (
            <>
              <JobTable jobs={shown} />
              {next === undefined ? null : <ActionButton act={() => showMore(next)}>Show more</ActionButton>}
            </>
          );
        }}
      </WhenLoaded>
    </>
  );
}

function JobTable({ jobs }: { readonly jobs: readonly Job[] }) {
  return (
    <div class="scrolls" tabIndex={0} role="region" aria-label="Jobs">
      <table>
        <thead>
          <tr>
            <th>Job</th>
            <th>Status</th>
            <th>Tokens</th>
            <th>Cost</th>
            <th>Changed</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map(({ id, title, status, metrics, updated_at }) => (
            <tr key={id}>
              <td>
                <Link href={`/jobs/${id}`}>{title}</Link>
              </td>
              <td>
                <span class={`badge ${status}`}>{status.replaceAll("_", " ")}</span>
              </td>
              <td>{(metrics.input_tokens + metrics.output_tokens).toLocaleString()}</td>
              <td>{metrics.cost ?? "–"}</td>
              <td>
                <Time at={updated_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
