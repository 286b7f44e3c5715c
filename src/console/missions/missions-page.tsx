/** Missions: what comes next, and how the last run ended. */
import { Link } from "wouter-preact";
import type { Mission, MissionStatus } from "../../../sdk/typescript/troupe.ts";
import { Time } from "../format/time.tsx";
import { useRepeat } from "../loading.tsx";
import { CopyAsCurl, NothingYet } from "../pieces/curl.tsx";
import { anyOf, FilterBar, FilterChoice } from "../pieces/filter.tsx";
import { ItemPages, usePaged } from "../pieces/paged.tsx";
import { useSearchState } from "../pieces/search-state.ts";
import { ScrolledTable } from "../pieces/table.tsx";
import { ListAndOne } from "../routes.tsx";
import { service } from "../service.ts";
import { TitledPage } from "../title.tsx";
import { MissionPage } from "./mission-page.tsx";

export const MissionPages = () => <ListAndOne path="/missions" list={MissionsPage} one={MissionPage} />;

const REFRESH_SECONDS_OF_MISSIONS = 10;
const STATUSES_OF_MISSIONS: readonly MissionStatus[] = ["pending", "running", "paused", "completed", "failed"];

function MissionsPage() {
  const [search, change] = useSearchState({ status: "" });
  const status = STATUSES_OF_MISSIONS.find((one) => one === search.status);
  const missions = usePaged(
    (query, options) =>
      service.listMissions({ ...(status === undefined ? {} : { status: [status] }), ...query }, options),
    (page) => page.missions,
    [status],
  );
  useRepeat(missions.reload, REFRESH_SECONDS_OF_MISSIONS);
  return (
    <TitledPage title="Missions">
      <p class="actions">
        <Link href="/missions/new">New mission</Link>
        <CopyAsCurl path="/api/missions" query={status === undefined ? {} : { status }} />
      </p>
      <FilterBar label="Filters of missions">
        <FilterChoice
          label="Status"
          value={status ?? ""}
          choices={anyOf(STATUSES_OF_MISSIONS)}
          change={(next) => change({ status: next })}
        />
      </FilterBar>
      <ItemPages of={missions} empty={<NoMissions isFiltered={status !== undefined} />}>
        {(shown) => <MissionTable missions={shown} />}
      </ItemPages>
    </TitledPage>
  );
}

function MissionTable({ missions }: { readonly missions: readonly Mission[] }) {
  return (
    <ScrolledTable label="Missions" columns={["Mission", "Status", "Next run", "Last run"]}>
      {missions.map(({ id, title, status, schedule, last_run }) => (
        <tr key={id}>
          <td>
            <Link href={`/missions/${id}`}>{title}</Link>
            <p class="quiet">{schedule.description}</p>
          </td>
          <td>
            <span class={`badge ${status}`}>{status}</span>
          </td>
          <td>{schedule.next_run_at === null ? "–" : <Time at={schedule.next_run_at} />}</td>
          <td>
            {last_run === null ? (
              "–"
            ) : (
              <>
                <span class={`badge ${last_run.outcome}`}>{last_run.outcome.replaceAll("_", " ")}</span>{" "}
                <Time at={last_run.fired_at} />
              </>
            )}
          </td>
        </tr>
      ))}
    </ScrolledTable>
  );
}

const FIRST_MISSION = {
  title: "Morning report",
  goal: "Summarize what has changed since yesterday.",
  agent_id: "agt_…",
  schedule: { type: "cron", value: "0 9 * * 1-5", timezone: "Europe/London" },
};

function NoMissions({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <p class="quiet">No mission has this status.</p>;
  return (
    <NothingYet request={{ method: "POST", path: "/api/missions", body: FIRST_MISSION }}>
      There is no mission yet. A mission gives an agent a goal, on a schedule or when you start it.{" "}
      <Link href="/missions/new">Make one</Link>, or use a shell:
    </NothingYet>
  );
}
