/** Jobs with their states, filtered by the address of the page. */
import { Link, useSearchParams } from "wouter-preact";
import type { Job, JobStatus } from "../../../sdk/typescript/troupe.ts";
import { Money } from "../format/amount.tsx";
import { Time } from "../format/time.tsx";
import { useLoaded, useRepeat } from "../loading.tsx";
import { ListAndOne } from "../routes.tsx";
import { NOT_ALL_LISTED, readAgents } from "../pieces/read-pages.ts";
import { service } from "../service.ts";
import { Command, CopyAsCurl, curlOf } from "../pieces/curl.tsx";
import { ItemPages, usePaged } from "../pieces/paged.tsx";
import { ScrolledTable } from "../pieces/table.tsx";
import { useTitle } from "../title.ts";
import { BulkActions, type JobsFilter } from "./bulk.tsx";
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
/** Conditions that the address may have beside the status; each is a field of the list's filter. */
const OTHER_CONDITIONS = ["agent_id", "chat_id", "workspace_id", "mission_id", "parent_job_id"] as const;
const CONDITION_WORDS: Readonly<Record<(typeof OTHER_CONDITIONS)[number], string>> = {
  agent_id: "of the agent",
  chat_id: "of the chat",
  workspace_id: "in the workspace",
  mission_id: "of the mission",
  parent_job_id: "created from",
};
const PAGE_JOBS = 50;
const REFRESH_SECONDS_OF_JOBS = 5;

export const JobsPages = () => <ListAndOne path="/jobs" list={JobsPage} one={JobPage} />;

/** The filter in the address of the page. */
function filterIn(search: URLSearchParams): JobsFilter {
  const status = STATUS_CHOICES.find((one) => one === search.get("status"));
  const others = OTHER_CONDITIONS.flatMap((name) => {
    const value = search.get(name);
    return value === null || value === "" ? [] : [[name, value] as const];
  });
  return { ...(status === undefined ? {} : { status: [status] }), ...Object.fromEntries(others) };
}

function JobsPage() {
  useTitle("Jobs");
  const [search, setSearch] = useSearchParams();
  const filter = filterIn(search);
  const key = JSON.stringify(filter);
  const setCondition = (name: keyof JobsFilter, value: string): void =>
    setSearch((before) => {
      const after = new URLSearchParams(before);
      if (value === "") after.delete(name);
      else after.set(name, value);
      return after;
    });
  return (
    <>
      <h1>Jobs</h1>
      <div class="filters">
        <label class="search">
          Status
          <select
            value={filter.status?.[0] ?? ""}
            onChange={({ currentTarget: { value } }) => setCondition("status", value)}
          >
            <option value="">any</option>
            {STATUS_CHOICES.map((one) => (
              <option key={one} value={one}>
                {one.replaceAll("_", " ")}
              </option>
            ))}
          </select>
        </label>
        <AgentChoice chosen={filter.agent_id ?? ""} choose={(id) => setCondition("agent_id", id)} />
      </div>
      <p class="actions">
        {OTHER_CONDITIONS.map((name) =>
          name === "agent_id" || filter[name] === undefined ? null : (
            <button key={name} class="quiet" onClick={() => setCondition(name, "")}>
              {CONDITION_WORDS[name]} <code>{filter[name]}</code>, remove
            </button>
          ),
        )}
      </p>
      <FilteredJobs key={key} filter={filter} />
    </>
  );
}

function AgentChoice({ chosen, choose }: { readonly chosen: string; readonly choose: (id: string) => void }) {
  const found = useLoaded(readAgents, []);
  const { items: agents, isWhole } = found.value ?? { items: [], isWhole: true };
  const isListed = chosen === "" || agents.some(({ id }) => id === chosen);
  return (
    <label class="search">
      Agent
      <select value={chosen} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        <option value="">any</option>
        {isListed ? null : <option value={chosen}>{chosen}</option>}
        {agents.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
        {isWhole ? null : <option disabled>{NOT_ALL_LISTED}</option>}
      </select>
    </label>
  );
}

function queryOfFilter(filter: JobsFilter): string {
  const conditions = Object.entries(filter).map(([name, value]): [string, string] => [name, String(value)]);
  return conditions.length === 0 ? "" : `?${new URLSearchParams(conditions).toString()}`;
}

function FilteredJobs({ filter }: { readonly filter: JobsFilter }) {
  const found = usePaged<Job>(
    async (after, options) => {
      const page = await service.listJobs({ limit: PAGE_JOBS, ...filter, ...after }, options);
      return { items: page.jobs, next: page.next_cursor };
    },
    ({ id }) => id,
    [],
  );
  useRepeat(found.reload, REFRESH_SECONDS_OF_JOBS);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      {isFiltered ? <BulkActions filter={filter} changed={found.reload} /> : null}
      <ItemPages of={found} empty={isFiltered ? <p class="quiet">No job meets these conditions.</p> : <NoJobs />}>
        {(jobs) => <JobTable jobs={jobs} />}
      </ItemPages>
      <CopyAsCurl path={`/api/jobs${queryOfFilter(filter)}`} />
    </>
  );
}

const NoJobs = () => (
  <>
    <p>
      There is no job yet. Each message begins one: <Link href="/chats">say something to an agent</Link>, or use a
      shell:
    </p>
    <Command
      text={curlOf({ method: "POST", path: "/api/chats/cht_…/messages", body: { content: "What is left to do?" } })}
    />
  </>
);

function JobTable({ jobs }: { readonly jobs: readonly Job[] }) {
  return (
    <ScrolledTable label="Jobs" columns={["Job", "Status", "Tokens", "Cost", "Changed"]}>
      {jobs.map(({ id, title, status, metrics, updated_at }) => (
        <tr key={id}>
          <td>
            <Link href={`/jobs/${id}`}>{title}</Link>
          </td>
          <td>
            <span class={`badge ${status}`}>{status.replaceAll("_", " ")}</span>
          </td>
          <td>{(metrics.input_tokens + metrics.output_tokens).toLocaleString()}</td>
          <td>
            <Money amount={metrics.cost} />
          </td>
          <td>
            <Time at={updated_at} />
          </td>
        </tr>
      ))}
    </ScrolledTable>
  );
}
