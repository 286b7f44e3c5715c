/** The jobs of a day that cost most. */
import { Link } from "wouter-preact";
import { CostAmount, msWords, percent } from "../format/amount.tsx";
import { WhenLoaded, useLoaded, useRepeat } from "../loading.tsx";
import { CopyAsCurl, NothingYet } from "../pieces/curl.tsx";
import { ScrolledTable } from "../pieces/table.tsx";
import { service } from "../service.ts";

const SHOWN_JOBS = 10;
const REFRESH_SECONDS_OF_COSTLY_JOBS = 15;

export function CostlyJobs({ day }: { readonly day: string }) {
  const found = useLoaded((signal) => service.getCostliestJobs({ day, limit: SHOWN_JOBS }, { signal }), [day]);
  useRepeat(found.reload, REFRESH_SECONDS_OF_COSTLY_JOBS);
  return (
    <section aria-labelledby="costliest">
      <h2 id="costliest">
        Costliest jobs of <time dateTime={day}>{day}</time>
      </h2>
      <WhenLoaded of={found}>
        {({ jobs, currency }) =>
          jobs.length === 0 ? (
            <NothingYet request={{ path: "/api/usage?group_by=day" }}>
              No job was created on this day. Days with jobs are in the chart below, or use a shell:
            </NothingYet>
          ) : (
            <ScrolledTable label="Costliest jobs" columns={["Job", "Cost", "Tokens", "Cached", "First token", "Model"]}>
              {jobs.map(({ id, title, metrics, model }) => (
                <tr key={id}>
                  <td>
                    <Link href={`/jobs/${id}`}>
                      <bdi>{title}</bdi>
                    </Link>
                  </td>
                  <td>
                    <CostAmount amount={metrics.cost} currency={currency} />
                  </td>
                  <td>{(metrics.input_tokens + metrics.output_tokens).toLocaleString()}</td>
                  <td>{percent(metrics.cached_input_tokens, metrics.input_tokens)}</td>
                  <td>{msWords(metrics.time_to_first_token_ms)}</td>
                  <td>{model ?? "–"}</td>
                </tr>
              ))}
            </ScrolledTable>
          )
        }
      </WhenLoaded>
      <CopyAsCurl path={`/api/usage/jobs?day=${day}`} />
    </section>
  );
}
