/** The ledger of a mission: every scheduled time with its outcome, and every run that somebody started. */
import { Link } from "wouter-preact";
import type { MissionRun } from "../../../sdk/typescript/troupe.ts";
import { KnownTime, Time } from "../format/time.tsx";
import { useRepeat } from "../loading.tsx";
import { CopyAsCurl, NothingYet } from "../pieces/curl.tsx";
import { ItemPages, usePaged } from "../pieces/paged.tsx";
import { ScrolledTable } from "../pieces/table.tsx";
import { service } from "../service.ts";

const PAGE_RUNS = 20;
const REFRESH_SECONDS_OF_RUNS = 5;

interface MissionRunsProps {
  readonly missionId: string;
  /** Rises with each change of the mission. */
  readonly version: number;
}

export function MissionRuns({ missionId, version }: MissionRunsProps) {
  const runs = usePaged(
    (query, options) => service.listMissionRuns(missionId, { ...query, limit: PAGE_RUNS }, options),
    (page) => page.runs,
    [missionId, version],
  );
  useRepeat(runs.reload, REFRESH_SECONDS_OF_RUNS);
  return (
    <section aria-label="Runs">
      <h2>Runs</h2>
      <ItemPages
        of={runs}
        empty={
          <NothingYet request={{ method: "POST", path: `/api/missions/${missionId}/run` }}>
            It has not run yet. Run it above, or use a shell:
          </NothingYet>
        }
      >
        {(shown) => (
          <ScrolledTable label="Ledger of runs" columns={["Run", "Outcome", "Planned", "Ended", "Result"]}>
            {shown.map((run) => (
              <RunRow key={run.id} run={run} />
            ))}
          </ScrolledTable>
        )}
      </ItemPages>
      <CopyAsCurl path={`/api/missions/${missionId}/runs`} />
    </section>
  );
}

function RunRow({ run }: { readonly run: MissionRun }) {
  const { run_number, trigger, outcome, scheduled_at, ended_at, count, until, job_id, chat_id, result, error } = run;
  return (
    <tr>
      <td>
        {run_number === null ? "" : `${run_number}, `}
        {trigger}
      </td>
      <td>
        <span class={`badge ${outcome}`}>{outcome.replaceAll("_", " ")}</span>
        {count > 1 ? <span class="quiet"> {count.toLocaleString()} times</span> : null}
      </td>
      <td>
        {scheduled_at === null ? "–" : <Time at={scheduled_at} />}
        {count > 1 ? <KnownTime words=" to" at={until} /> : null}
      </td>
      <td>{ended_at === null ? "–" : <Time at={ended_at} />}</td>
      <td>
        {error === null ? null : <p class="bad">{error.message}</p>}
        {result === null ? null : <p class="quiet preview">{result}</p>}
        {job_id === null ? null : <Link href={`/jobs/${job_id}`}>Job</Link>}{" "}
        {chat_id === null ? null : <Link href={`/chats/${chat_id}`}>Chat</Link>}
      </td>
    </tr>
  );
}
