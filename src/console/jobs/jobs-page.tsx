/** Jobs with their states, filtered by the address of the page. */
import { Link } from "wouter-preact";
import type { Job, JobStatus } from "../../../sdk/typescript/troupe.ts";
import { Money } from "../format/amount.tsx";
import { Time } from "../format/time.tsx";
import { useLoaded, useRepeat } from "../loading.tsx";
import { ListAndOne } from "../routes.tsx";
import { NOT_ALL_LISTED, readAgents } from "../pieces/read-pages.ts";
import { service } from "../service.ts";
import { CopyAsCurl, NothingYet } from "../pieces/curl.tsx";
import { anyOf, FilterBar, FilterChoice } from "../pieces/filter.tsx";
import { ItemPages, usePaged } from "../pieces/paged.tsx";
import { givenParameters, useSearchState } from "../pieces/search-state.ts";
import { ScrolledTable } from "../pieces/table.tsx";
import { TitledPage } from "../title.tsx";
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
/** Conditions that the address may have; each is a field of the list's filter. */
const UNFILTERED_JOBS = { status: "", agent_id: "", chat_id: "", workspace_id: "", mission_id: "", parent_job_id: "" };
/** Those that only links set. */
const CONDITION_WORDS = {
  chat_id: "of the chat",
  workspace_id: "in the workspace",
  mission_id: "of the mission",
  parent_job_id: "created from",
};
const LINKED_CONDITIONS = Object.keys(CONDITION_WORDS) as (keyof typeof CONDITION_WORDS)[];
const REFRESH_SECONDS_OF_JOBS = 5;

export const JobsPages = () => <ListAndOne path="/jobs" list={JobsPage} one={JobPage} />;

/** The filter in the address of the page. */
function filterIn({ status: given, ...others }: typeof UNFILTERED_JOBS): JobsFilter {
  const status = STATUS_CHOICES.find((one) => one === given);
  return { ...(status === undefined ? {} : { status: [status] }), ...givenParameters(others) };
}

function JobsPage() {
  const [search, change] = useSearchState(UNFILTERED_JOBS);
  const filter = filterIn(search);
  const key = JSON.stringify(filter);
  return (
    <TitledPage title="Jobs">
      <FilterBar label="Filters of jobs">
        <FilterChoice
          label="Status"
          value={filter.status?.[0] ?? ""}
          choices={anyOf(STATUS_CHOICES)}
          change={(status) => change({ status })}
        />
        <AgentChoice chosen={search.agent_id} choose={(id) => change({ agent_id: id })} />
      </FilterBar>
      <p class="actions">
        {LINKED_CONDITIONS.map((name) =>
          search[name] === "" ? null : (
            <button key={name} class="quiet" onClick={() => change({ [name]: "" })}>
              {CONDITION_WORDS[name]} <code>{search[name]}</code>, remove
            </button>
          ),
        )}
      </p>
      <FilteredJobs key={key} filter={filter} />
    </TitledPage>
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

function FilteredJobs({ filter }: { readonly filter: JobsFilter }) {
  const found = usePaged(
    (query, options) => service.listJobs({ ...filter, ...query }, options),
    (page) => page.jobs,
  );
  useRepeat(found.reload, REFRESH_SECONDS_OF_JOBS);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      {isFiltered ? <BulkActions filter={filter} changed={found.reload} /> : null}
      <ItemPages of={found} empty={isFiltered ? <p class="quiet">No job meets these conditions.</p> : <NoJobs />}>
        {(jobs) => <JobTable jobs={jobs} />}
      </ItemPages>
      <CopyAsCurl path="/api/jobs" query={{ ...filter }} />
    </>
  );
}

const NoJobs = () => (
  <NothingYet request={{ method: "POST", path: "/api/chats/cht_…/messages", body: { content: "What is left to do?" } }}>
    There is no job yet. Each message begins one: <Link href="/chats">say something to an agent</Link>, or use a shell:
  </NothingYet>
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
