/** What the organization has used and paid, by day, agent or model; the address has what is shown. */
import { useMemo } from "preact/hooks";
import type { UsageReport, UsageRow } from "../../../sdk/typescript/troupe.ts";
import { useLoaded, useRepeat, WhenLoaded } from "../loading.tsx";
import { CopyAsCurl, NothingYet } from "../pieces/curl.tsx";
import { FilterChoice, FilterBar, FilterDay } from "../pieces/filter.tsx";
import { givenParameters, useSearchState } from "../pieces/search-state.ts";
import { readAgents } from "../pieces/read-pages.ts";
import { service } from "../service.ts";
import { TitledPage } from "../title.tsx";
import { BudgetSection } from "./budget.tsx";
import { CostlyJobs } from "./costly-jobs.tsx";
import { DayChart } from "./day-chart.tsx";
import { measureOf, MEASURES, MEASURE_NAMES } from "./measures.ts";
import { UsageTable } from "./usage-table.tsx";

const REFRESH_SECONDS_OF_USAGE = 15;
const GROUP_CHOICES = ["day", "agent", "model"] as const;

export const utcDay = (): string => new Date().toISOString().slice(0, 10);

export function UsagePage() {
  const [state, change] = useSearchState({
    group_by: "day",
    measure: "",
    since: "",
    until: "",
    day: "",
    agent_id: "",
    model: "",
  });
  const group = GROUP_CHOICES.find((one) => one === state.group_by) ?? "day";
  const { since, until, agent_id, model } = state;
  const query = givenParameters({ group_by: group, since, until, agent_id, model });
  const found = useLoaded((signal) => service.getUsage(query, { signal }), [group, since, until, agent_id, model]);
  useRepeat(found.reload, REFRESH_SECONDS_OF_USAGE);
  const agents = useLoaded(readAgents, []);
  const agentNames = useMemo(
    () => new Map(agents.value?.items.map(({ id, name }) => [id, name]) ?? []),
    [agents.value],
  );
  const day = state.day === "" ? utcDay() : state.day;
  const nameOf = (row: UsageRow) => {
    const [name, words, next] =
      group === "day"
        ? ["day", row.day, { day: row.day ?? "" }]
        : group === "model"
          ? ["model", row.model, { model: row.model ?? "", group_by: "day" }]
          : [
              "agent",
              agentNames.get(row.agent_id ?? "") ?? row.agent_id,
              { agent_id: row.agent_id ?? "", group_by: "day" },
            ];
    if (group === "agent" && row.agent_id === null) return "Private agents of others";
    return (
      <button class="link" aria-label={`Show the ${name} ${words}`} onClick={() => change(next)}>
        <bdi>{words}</bdi>
      </button>
    );
  };
  return (
    <TitledPage title="Usage">
      <CostlyJobs day={day} />
      <FilterBar label="What is shown">
        <FilterChoice
          label="By"
          value={group}
          choices={GROUP_CHOICES.map((one) => [one, one] as const)}
          change={(value) => change({ group_by: value })}
        />
        <FilterDay
          label="From"
          value={since || (found.value?.since ?? "")}
          change={(value) => change({ since: value })}
        />
        <FilterDay
          label="To"
          value={until || (found.value?.until ?? "")}
          change={(value) => change({ until: value })}
        />
      </FilterBar>
      <Narrowed
        agent={agent_id === "" ? null : (agentNames.get(agent_id) ?? agent_id)}
        model={model || null}
        clear={change}
      />
      <WhenLoaded of={found}>
        {(report) => {
          const measure = measureOf(state.measure, report.totals.cost !== null);
          return (
            <>
              {isEmpty(report) ? (
                <NothingUsed />
              ) : (
                <>
                  <div class="filters">
                    <FilterChoice
                      label="Bars show"
                      value={measure}
                      choices={MEASURE_NAMES.map((one) => [one, MEASURES[one].name] as const)}
                      change={(value) => change({ measure: value })}
                    />
                  </div>
                  {group === "day" ? (
                    <DayChart
                      rows={report.usage}
                      since={report.since}
                      until={report.until}
                      currency={report.currency}
                      measure={measure}
                      chosen={day}
                      choose={(chosen) => change({ day: chosen })}
                    />
                  ) : null}
                  <UsageTable
                    report={report}
                    measure={measure}
                    nameOf={nameOf}
                    isChosen={(row) => group === "day" && row.day === day}
                  />
                </>
              )}
              <CopyAsCurl path="/api/usage" query={query} />
              <BudgetSection usage={report} />
            </>
          );
        }}
      </WhenLoaded>
    </TitledPage>
  );
}

const isEmpty = ({ totals }: UsageReport): boolean => totals.jobs === 0 && totals.input_tokens === 0;

function NothingUsed() {
  return (
    <NothingYet request={{ method: "POST", path: "/api/chats", body: { agent_id: "agt_…", workspace_id: "wsp_…" } }}>
      Nothing was used in this time. Each answer of an agent counts here; write to one in Chats, or from a terminal:
    </NothingYet>
  );
}

interface NarrowedProps {
  readonly agent: string | null;
  readonly model: string | null;
  readonly clear: (changes: { readonly agent_id: string } | { readonly model: string }) => void;
}

function Narrowed({ agent, model, clear }: NarrowedProps) {
  return (
    <p class="actions">
      {agent === null ? null : (
        <button class="quiet" onClick={() => clear({ agent_id: "" })}>
          Only the agent <bdi>{agent}</bdi> ✕
        </button>
      )}
      {model === null ? null : (
        <button class="quiet" onClick={() => clear({ model: "" })}>
          Only the model {model} ✕
        </button>
      )}
    </p>
  );
}
