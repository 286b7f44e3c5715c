/** What a report of a run adds to the organization's usage (RUN-4), which equals what it adds to the job's metrics. */
import { type Counts, NO_COUNTS } from "../usage/schema.ts";
import type { UsageCommand } from "../usage/protocol.ts";
import type { ModelInfo } from "./ports.ts";
import type { JobCommand } from "./protocol.ts";
import type { Job, Usage } from "./schema.ts";

/** The command that counts the usage; null if nothing was used. `job` is the record before the report. */
export function jobUsage({ agent, runner }: Job, report: JobCommand): UsageCommand | null {
  switch (report.kind) {
    case "run_started":
      return countUsage(agent.id, report.runner, { jobs: 1 });
    case "step_finished":
      return isNothing(report.usage)
        ? null
        : countUsage(agent.id, runner, { ...report.usage, ...firstTokenOf(report.timeToFirstTokenMs) });
    case "run_waiting":
    case "run_compacted":
    case "run_failed":
    case "run_stopped":
      return isNothing(report.usage) ? null : countUsage(agent.id, runner, report.usage);
    case "tool_finished":
      return countUsage(agent.id, runner, { toolCalls: 1 });
    case "tool_results":
      return countUsage(agent.id, runner, { toolCalls: report.results.length });
    default:
      return null;
  }
}

const isNothing = ({ inputTokens, outputTokens }: Usage): boolean => inputTokens + outputTokens === 0;

const firstTokenOf = (ms: number | null): Partial<Counts> => (ms === null ? {} : { firstTokens: 1, firstTokenMs: ms });

/** A job that has not begun has no model and no usage. */
const countUsage = (agentId: string, runner: ModelInfo | null, counts: Partial<Counts>): UsageCommand | null =>
  runner === null
    ? null
    : {
        kind: "count_usage",
        agentId,
        model: `${runner.provider}:${runner.name}`,
        counts: { ...NO_COUNTS, ...counts },
      };
