/** What the organization uses of the process that serves it now. */
import { useLoaded, useRepeat, WhenLoaded } from "../loading.tsx";
import { CopyAsCurl } from "../pieces/curl.tsx";
import { ShownFacts } from "../pieces/table.tsx";
import { service } from "../service.ts";

const REFRESH_SECONDS_OF_LOAD = 3;

export function OwnLoad() {
  const found = useLoaded((signal) => service.getLoad({ signal }), []);
  useRepeat(found.reload, REFRESH_SECONDS_OF_LOAD);
  return (
    <>
      <WhenLoaded of={found}>
        {({ event_loop: loop, streams }) => (
          <>
            <ShownFacts
              facts={[
                ["Event loop, last second", `${Math.round(loop.recent_ms).toLocaleString()} ms`],
                ["Waits for others", loop.throttled ? "yes" : "no"],
                ["Open streams", `${streams.open}${streams.limit === null ? "" : ` of ${streams.limit}`}`],
                ["Readers that lag", String(streams.behind)],
              ]}
            />
            <details>
              <summary>Work of the event loop since the start</summary>
              <ul class="rows" aria-label="Work of the event loop">
                {loop.work.map(({ kind, total_ms: ms }) => (
                  <li key={kind}>
                    {kind}: {Math.round(ms).toLocaleString()} ms
                  </li>
                ))}
              </ul>
            </details>
          </>
        )}
      </WhenLoaded>
      <CopyAsCurl path="/api/load" />
    </>
  );
}
