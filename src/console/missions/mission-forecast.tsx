/** When a mission runs next, with a mark where a clock change shifts, skips or repeats a time. */
import type { Mission } from "../../../sdk/typescript/troupe.ts";
import { Time } from "../format/time.tsx";
import { WhenLoaded, useLoaded } from "../loading.tsx";
import { service } from "../service.ts";

const SHOWN_TIMES = 10;

interface ForecastProps {
  readonly mission: Mission;
  /** Whether the form has another schedule: the times are those of the saved one. */
  readonly isChanged: boolean;
}

export function MissionForecast({ mission, isChanged }: ForecastProps) {
  const { id, version, schedule } = mission;
  const found = useLoaded(
    (signal) => service.getMissionForecast(id, { count: SHOWN_TIMES }, { signal }),
    [id, version],
  );
  return (
    <section aria-label="Next runs" class="card">
      <h2>Next runs</h2>
      <p class="quiet">
        {schedule.description}
        {isChanged ? ". The schedule in the form is not saved yet: these are the times of the saved one." : ""}
      </p>
      <WhenLoaded of={found}>
        {({ times, timezone }) =>
          times.length === 0 ? (
            <p class="quiet">No run is planned.</p>
          ) : (
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
          )
        }
      </WhenLoaded>
    </section>
  );
}
