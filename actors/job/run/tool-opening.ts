/**
 * Opens the tools of a run. Every unavailable server leaves a warning in the job. While a required server is
 * unavailable, the run waits and retries. It fails with `tools_unavailable` when its retries are used up or its
 * deadline is nearer than the pause. If a required server needs a connection, the run ends, and the job waits for a
 * person (ACC-9).
 */
import { isAskedTooOften } from "../authorizations.ts";
import { pauseMs } from "../../runtime/backoff.ts";
import { toolContextOf, type RunServices } from "./services.ts";
import type { Job, RunError } from "../schema.ts";
import type { ConnectionNeed } from "../terms.ts";
import { NO_TOOLBOX, type Toolbox } from "../ports.ts";
import type { Reporter } from "./reporter.ts";
import { MODEL_PAUSES } from "./retry-policy.ts";
import type { RunWait } from "./run-wait.ts";

interface OpeningParts {
  readonly reporter: Reporter;
  readonly wait: RunWait;
}

export type OpenedTools =
  | { readonly kind: "open"; readonly toolbox: Toolbox }
  /** A person must give these connections first. */
  | { readonly kind: "lacking"; readonly needs: readonly ConnectionNeed[] }
  | { readonly kind: "unavailable"; readonly error: RunError }
  | { readonly kind: "aborted" };

/** For a run that calls no tools. */
export const NOTHING_OPEN: OpenedTools = { kind: "open", toolbox: NO_TOOLBOX };

/** Rejects only with `RunOver`. What was opened is closed when `signal` aborts. */
export async function openTools(services: RunServices, run: OpeningParts, signal: AbortSignal): Promise<OpenedTools> {
  const { waiting = null } = run.reporter.job;
  let retries = 0;
  if (waiting?.reason === "tools_unavailable") {
    retries = waiting.retries;
    if (!(await run.wait.rest(waiting, signal))) return { kind: "aborted" };
  }
  for (;;) {
    const toolbox = await openOnce(services, run.reporter, signal);
    if (signal.aborted) return { kind: "aborted" };
    const { required, optional } = toolbox.missing;
    await warn(run.reporter, [...required, ...optional]);
    const { lacking = [] } = toolbox;
    const denied = denialOf(run.reporter.job, lacking);
    if (denied !== null) return { kind: "unavailable", error: denied };
    if (lacking.length > 0) {
      toolbox.close();
      return { kind: "lacking", needs: lacking };
    }
    if (required.length === 0) return { kind: "open", toolbox };
    const message = required.join(" ");
    const ms = pauseMs(MODEL_PAUSES, retries, services.chance);
    const isTooLate = services.clock.now() + ms >= Date.parse(run.reporter.job.deadlineAt ?? "");
    if (isTooLate || retries >= services.retry.retries) {
      return { kind: "unavailable", error: { code: "tools_unavailable", message } };
    }
    retries++;
    toolbox.close();
    if (!(await run.wait.pause(ms, { reason: "tools_unavailable", retries, error: null }, signal)))
      return { kind: "aborted" };
  }
}

/** The error that ends a run if it has waited for a connection without success; null if it may still wait. */
function denialOf({ authorizations = [] }: Job, lacking: readonly ConnectionNeed[]): RunError | null {
  const ids = lacking.map(({ connectionId }) => connectionId);
  const waits = authorizations.filter(({ connectionId }) => ids.includes(connectionId));
  const inVain = waits.find(isAskedTooOften);
  if (inVain !== undefined) {
    const message = `The run needs a connection to ${inVain.name}, which does not accept the one that was just made.`;
    return { code: "authorization_required", message };
  }
  const denied = waits.find(({ outcome }) => outcome === "denied" || outcome === "expired");
  if (denied === undefined) return null;
  const message = `The run needs a connection to ${denied.name}. ${denied.message ?? "It was denied"}.`;
  return { code: "authorization_required", message };
}

/** The tools, and a way to close them before the run ends. */
async function openOnce(
  { tools }: RunServices,
  { job }: Reporter,
  signal: AbortSignal,
): Promise<Toolbox & { readonly close: () => void }> {
  const closing = new AbortController();
  const close = (): void => closing.abort();
  signal.addEventListener("abort", close, { once: true });
  if (signal.aborted) close();
  const toolbox = await tools.open(job.agent, toolContextOf(job), closing.signal);
  return {
    ...toolbox,
    close: () => {
      signal.removeEventListener("abort", close);
      close();
    },
  };
}

/** Adds each message at most once in the life of the job. */
async function warn(reporter: Reporter, messages: readonly string[]): Promise<void> {
  const known = new Set((reporter.job.warnings ?? []).map(({ message }) => message));
  const warnings = messages
    .filter((message) => !known.has(message))
    .map((message) => ({ code: "tools_unavailable" as const, message }));
  if (warnings.length === 0) return;
  await reporter.report({ kind: "run_warned", attempt: reporter.attempt, warnings, runner: null }, () => []);
}
