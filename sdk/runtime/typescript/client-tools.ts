/** Tools that this program runs for a job: the functions behind an agent's tools of the kind `client`. */
import { ApiError, ConnectionFailedError } from "./errors.ts";

/** What a function gets besides its input. */
export interface ToolContext {
  readonly jobId: string;
  readonly callId: string;
  /** The same each time that this call is run: for what must not happen twice. */
  readonly idempotencyKey: string;
  readonly signal?: AbortSignal;
}

/** By name. An answer that is no string is sent as JSON; of an exception the model sees the message. */
// oxlint-disable-next-line typescript/no-explicit-any -- reason: the input has the shape of the tool's own schema
export type ClientTools = Readonly<Record<string, (input: any, context: ToolContext) => unknown>>;

export interface RunToolsOptions {
  /** Ends the waiting; the job goes on. */
  readonly signal?: AbortSignal;
  /** Milliseconds for which the service may be away, one time. Default 300,000. */
  readonly outageMs?: number;
}

/** What is needed of a job. */
export interface ToolJob {
  readonly id: string;
  readonly version: number;
  readonly status: string;
  readonly requested_tool_calls: readonly { readonly id: string; readonly name: string; readonly arguments: object }[];
}

/** What is needed of `Troupe`. */
export interface ToolClient<J extends ToolJob> {
  getJob(id: string, options?: { signal?: AbortSignal }): Promise<J>;
  waitForJob(
    id: string,
    query?: { wait?: number; since_version?: number },
    options?: { signal?: AbortSignal },
  ): Promise<J | null>;
  sendToolResults(
    id: string,
    body: { results: { tool_call_id: string; content?: string; error?: string }[] },
    options?: { signal?: AbortSignal; idempotencyKey?: string },
  ): Promise<J>;
}

const OVER: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);
/** Seconds for which the service keeps an answer that has nothing new. */
const WAIT_SECONDS = 20;
const DEFAULT_OUTAGE_MS = 300_000;
const RETRY_MS = 500;

/**
 * Runs the tools of a job until it is over, and returns the job. After a crash, call this again with the same job:
 * calls whose results are stored are not run again. Calls of tools that are not given are left to other programs.
 */
export async function runTools<J extends ToolJob>(
  troupe: ToolClient<J>,
  jobId: string,
  tools: ClientTools,
  { signal, outageMs = DEFAULT_OUTAGE_MS }: RunToolsOptions = {},
): Promise<J> {
  const http = signal === undefined ? {} : { signal };
  const results = new Map<string, { content?: string; error?: string }>();
  let job: J | null = null;
  let awaySince: number | null = null;
  for (;;) {
    try {
      job ??= await troupe.getJob(jobId, http);
      if (OVER.has(job.status)) return job;
      const call = job.requested_tool_calls.find(
        ({ id, name }) => Object.hasOwn(tools, name) && results.get(id) !== SENT,
      );
      if (call === undefined) {
        job = (await troupe.waitForJob(jobId, { since_version: job.version, wait: WAIT_SECONDS }, http)) ?? job;
      } else {
        const idempotencyKey = `${jobId}:${call.id}`;
        // A result that could not be sent is sent again, and not made again.
        const result =
          results.get(call.id) ?? (await resultOf(tools, call, { jobId, callId: call.id, idempotencyKey, ...http }));
        results.set(call.id, result);
        const body = { results: [{ tool_call_id: call.id, ...result }] };
        job = await troupe.sendToolResults(jobId, body, { ...http, idempotencyKey });
        results.set(call.id, SENT);
      }
      awaySince = null;
    } catch (error) {
      if (signal?.aborted === true) throw error;
      // Somebody else has sent the result of this call, or it is too late: the job says how it goes on.
      if (error instanceof ApiError && error.status === 409) {
        for (const id of results.keys()) results.set(id, SENT);
      } else {
        const isAway = error instanceof ConnectionFailedError || (error instanceof ApiError && error.status >= 500);
        awaySince ??= Date.now();
        if (!isAway || Date.now() - awaySince > outageMs) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
      job = null;
    }
  }
}

/** In the place of a result that the service has. */
const SENT: { content?: string; error?: string } = {};

async function resultOf(
  tools: ClientTools,
  call: ToolJob["requested_tool_calls"][number],
  context: ToolContext,
): Promise<{ content: string } | { error: string }> {
  try {
    const answer: unknown = await tools[call.name]?.(call.arguments, context);
    return { content: typeof answer === "string" ? answer : (JSON.stringify(answer) ?? "null") };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
