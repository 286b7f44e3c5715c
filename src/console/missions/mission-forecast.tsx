/** When a mission runs next, with a mark where a clock change shifts, skips or repeats a time. */
import { useEffect, useState } from "preact/hooks";
import type { Mission, MissionForecastTime } from "../../../sdk/typescript/troupe.ts";
import { Time } from "../format/time.tsx";
import { WhenLoaded, useLoaded } from "../loading.tsx";
import { CopyAsCurl } from "../pieces/curl.tsx";
import { service } from "../service.ts";
import type { MissionDraft } from "./mission-draft.ts";

const SHOWN_TIMES = 10;
/** Each letter of an expression would be a request. */
const SETTLED_MS = 400;

interface ForecastProps {
  /** Null for a mission that is not saved yet. */
  readonly mission: Mission | null;
  /** What the form has. */
  readonly schedule: MissionDraft["schedule"];
  /** Whether that is another schedule than the saved one. */
  readonly isChanged: boolean;
}

export function MissionForecast({ mission, schedule, isChanged }: ForecastProps) {
  return (
    <section aria-label="Next runs" class="card">
      <h2>Next runs</h2>
      {mission === null || isChanged ? <DraftedTimes schedule={schedule} /> : <SavedTimes mission={mission} />}
    </section>
  );
}

function SavedTimes({ mission: { id, version, schedule } }: { readonly mission: Mission }) {
  const found = useLoaded(
    (signal) => service.getMissionForecast(id, { count: SHOWN_TIMES }, { signal }),
    [id, version],
  );
  return (
    <>
      <p class="quiet">{schedule.description}</p>
      <WhenLoaded of={found}>{(forecast) => <ForecastTimes {...forecast} />}</WhenLoaded>
      <CopyAsCurl path={`/api/missions/${id}/forecast`} />
    </>
  );
}

/** The service checks the schedule like that of a mission, and its errors are shown here. */
function DraftedTimes({ schedule }: Pick<ForecastProps, "schedule">) {
  const text = useSettled(JSON.stringify(schedule));
  const body = { schedule: JSON.parse(text) as MissionDraft["schedule"], count: SHOWN_TIMES };
  const found = useLoaded((signal) => service.forecastSchedule(body, { signal }), [text]);
  return (
    <>
      <p class="quiet">This schedule is not saved yet.</p>
      <WhenLoaded of={found}>
        {(forecast) => (
          <>
            <p class="quiet">{forecast.description}</p>
            <ForecastTimes {...forecast} />
          </>
        )}
      </WhenLoaded>
      <CopyAsCurl method="POST" path="/api/missions/forecast" body={body} />
    </>
  );
}

/** The value, once it has stayed the same for a moment. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

interface ForecastTimesProps {
  readonly times: readonly MissionForecastTime[];
  readonly timezone: string;
}

function ForecastTimes({ times, timezone }: ForecastTimesProps) {
  if (times.length === 0) return <p class="quiet">No run is planned.</p>;
  return (
    <ol class="rows" aria-label={`Next runs in ${timezone}`}>
      {times.map(({ at, local_time, note }) => (
        <li key={`${at} ${local_time}`}>
          {local_time.replace("T", " ")} <span class="quiet">{timezone}</span>{" "}
          <span class="quiet">
            <Time at={at} />
          </span>
          {note === null ? null : (
            <p>
              <span class="badge bad">clock change</span> {note.message}
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}
