/** The service itself: its version and models, whether its records agree, and where operators look further. */
import { useLoaded, WhenLoaded } from "../loading.tsx";
import { Command, CopyAsCurl } from "../pieces/curl.tsx";
import { OwnersOnly } from "../pieces/owners-only.tsx";
import { ShownFacts } from "../pieces/table.tsx";
import { service } from "../service.ts";
import { TitledPage } from "../title.tsx";
import { ModelTable } from "./model-table.tsx";
import { OwnLoad } from "./own-load.tsx";
import { StateMachines } from "./state-machines.tsx";

export function SystemPage() {
  return (
    <TitledPage title="System">
      <VersionFacts />
      <ModelTable />
      <section aria-labelledby="load">
        <h2 id="load">Load</h2>
        <OwnersOnly what="the load of the organization">
          <OwnLoad />
        </OwnersOnly>
      </section>
      <section aria-labelledby="invariants">
        <h2 id="invariants">Invariants</h2>
        <OwnersOnly what="the invariants of the organization">
          <Invariants />
        </OwnersOnly>
      </section>
      <StateMachines />
      <ForOperators />
    </TitledPage>
  );
}

function VersionFacts() {
  const found = useLoaded((signal) => service.getVersion({ signal }), []);
  return (
    <WhenLoaded of={found}>
      {({ version, api_version: api, commit, built_at: built }) => (
        <ShownFacts
          facts={[
            ["Version", version],
            ["Contract", api],
            ["Commit", commit ?? "unknown"],
            ["Built", built ?? "runs from its source"],
          ]}
        />
      )}
    </WhenLoaded>
  );
}

function Invariants() {
  const found = useLoaded((signal) => service.checkInvariants({ signal }), []);
  return (
    <>
      <WhenLoaded of={found}>
        {({ ok, checks }) => (
          <>
            <p role="status">
              <span class={ok ? "badge" : "badge bad"}>{ok ? "all hold" : "violated"}</span> {checks.length} checks
            </p>
            <details open={!ok}>
              <summary>Violations of each</summary>
              <ul class="rows" aria-label="Violations">
                {checks.map(({ name, count }) => (
                  <li key={name}>
                    {name.replaceAll("_", " ")}: <span class={count === 0 ? undefined : "bad"}>{count}</span>
                  </li>
                ))}
              </ul>
            </details>
          </>
        )}
      </WhenLoaded>
      <p class="actions">
        <button class="quiet" onClick={found.reload}>
          Check again
        </button>
        <CopyAsCurl path="/api/invariants" />
      </p>
    </>
  );
}

/** What concerns all organizations is the operator's: no session of a browser has that right. */
function ForOperators() {
  return (
    <section aria-labelledby="operators">
      <h2 id="operators">For operators</h2>
      <p>What concerns all organizations is read on the machine of the service, by the person who runs it.</p>
      <p class="quiet">Who uses the event loop, open streams, memory, and requests that wait:</p>
      <Command text="bun run admin load" />
      <p class="quiet">Invariants of all organizations:</p>
      <Command text="bun run admin invariants" />
      <p class="quiet">Settings, database, clocks, disk and models, and what to do about each finding:</p>
      <Command text="bun run admin doctor" />
      <p class="quiet">
        Live actors, shards, commits, leases, streams and their lag, for Prometheus and Grafana, if the service has{" "}
        <code>ADMIN_PORT=9400</code>:
      </p>
      <Command text="curl http://127.0.0.1:9400/metrics" />
    </section>
  );
}
