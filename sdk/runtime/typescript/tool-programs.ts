/** Programs whose functions are an agent's tools: for one message, or for all jobs of an agent. */
import { type ClientTools, runTools, type RunToolsOptions, type ToolClient, type ToolJob } from "./client-tools.ts";
import { ApiError, ConnectionFailedError } from "./errors.ts";

/** What is needed of `Troupe`. */
interface MessageClient<B, J extends ToolJob> extends ToolClient<J> {
  sendMessage(
    chatId: string,
    body: B,
    options?: { signal?: AbortSignal; idempotencyKey?: string },
  ): Promise<{ job: J }>;
}
interface JobsClient<J extends ToolJob> extends ToolClient<J> {
  listAllJobs(
    query?: { agent_id?: string; status?: "blocked"[] },
    options?: { signal?: AbortSignal },
  ): AsyncIterable<J & { readonly allowed_actions: readonly string[] }>;
}

export interface SendWithToolsOptions extends RunToolsOptions {
  /**
   * Names the message: a program that is started again with the same key goes on with the job that it began, and sends
   * nothing twice. Without it each call sends a message.
   */
  readonly idempotencyKey?: string;
}

/** Between two tries to send a message, and for how long they go on, in milliseconds. */
const SEND_RETRY_MS = 500;
const SEND_OUTAGE_MS = 300_000;

/** Sends a message, runs the tools that its job calls, and answers the job when it is over. */
export async function sendWithTools<B, J extends ToolJob>(
  troupe: MessageClient<B, J>,
  chatId: string,
  message: B & { readonly tools: ClientTools },
  { idempotencyKey = crypto.randomUUID(), ...options }: SendWithToolsOptions = {},
): Promise<J> {
  const { tools, ...body } = message;
  const { signal, outageMs = SEND_OUTAGE_MS } = options;
  const http = { idempotencyKey, ...(signal === undefined ? {} : { signal }) };
  const since = Date.now();
  let jobId: string | null = null;
  while (jobId === null) {
    try {
      jobId = (await troupe.sendMessage(chatId, body as unknown as B, http)).job.id;
    } catch (error) {
      const isAway = error instanceof ConnectionFailedError || (error instanceof ApiError && error.status >= 500);
      if (!isAway || signal?.aborted === true || Date.now() - since > outageMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, SEND_RETRY_MS));
    }
  }
  return runTools(troupe, jobId, tools, options);
}

export interface ServeToolsOptions {
  /** Ends the serving; jobs go on waiting, for a day. */
  readonly signal: AbortSignal;
  /** Milliseconds between two looks for jobs that wait. Default 1,000. */
  readonly pollMs?: number;
  /** Jobs that are served side by side. Default 8. */
  readonly jobs?: number;
  /** Hears of what fails; the serving goes on. */
  readonly onError?: (error: unknown, jobId: string | null) => void;
}

/**
 * Runs the tools of all jobs of an agent that act for this token's user, also for messages of others, until the signal
 * aborts. Start it again after a crash: jobs wait for it.
 */
export async function serveTools<J extends ToolJob>(
  troupe: JobsClient<J>,
  agentId: string,
  tools: ClientTools,
  { signal, pollMs = 1_000, jobs: most = 8, onError = () => {} }: ServeToolsOptions,
): Promise<void> {
  const served = new Map<string, Promise<void>>();
  const serve = async (id: string): Promise<void> => {
    try {
      await runTools(troupe, id, tools, { signal });
    } catch (error) {
      if (!signal.aborted) onError(error, id);
    } finally {
      served.delete(id);
    }
  };
  while (!signal.aborted) {
    try {
      for await (const job of troupe.listAllJobs({ agent_id: agentId, status: ["blocked"] }, { signal })) {
        const isOurs = job.requested_tool_calls.some(({ name }) => Object.hasOwn(tools, name));
        if (!isOurs || !job.allowed_actions.includes("tool_results") || served.has(job.id)) continue;
        if (served.size >= most) break;
        served.set(job.id, serve(job.id));
      }
    } catch (error) {
      if (!signal.aborted) onError(error, null);
    }
    await pause(pollMs, signal);
  }
  await Promise.all(served.values());
}

/** Waits, or until the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}
