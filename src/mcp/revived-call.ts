/**
 * The rest of a stream whose process has ended, or has dropped it (MCP-1). The id of the last event says which job its
 * call waits for. The job has continued meanwhile; the client gets progress as before, and the answer to its request.
 */
import { notFound, type Outcome } from "../../actors/fault.ts";
import { type Caller, detachCaller } from "../http/request/caller.ts";
import type { WaitingCall } from "./event-cursor.ts";
import { type WaitedJob, waitForJob } from "./job-wait.ts";
import type { CallParts } from "./call-parts.ts";
import { KEEP_ALIVE_MS, repeated } from "./watched-stream.ts";

const LOST_JOB = notFound("job");
/** The process ended between the message and the commit of its job: nothing has happened. */
const LOST_CALL = {
  code: -32_603,
  message:
    "The service stopped before the call had started its job; call again, with the same idempotency_key if it had one",
};

export interface RevivedParts extends CallParts {
  /** The id of an event at this place. */
  readonly idAt: (call: WaitingCall) => string;
  /** The result of the call, from its job, or from the reason why the job cannot be read. */
  readonly resultOf: (job: Outcome<WaitedJob>) => object;
}

export interface RevivedCall {
  readonly stream: ReadableStream<Uint8Array>;
  /** The client has cancelled its request. */
  cancel(): void;
}

export function revivedCall(parts: RevivedParts, caller: Caller, from: WaitingCall): RevivedCall {
  const { clock } = parts.services;
  const call = { ...from };
  const leaving = new AbortController();
  const encoder = new TextEncoder();
  let isCancelled = false;
  let stopKeepAlive = (): void => {};
  const follow = async (send: (message: object) => void): Promise<void> => {
    const tell = ({ id, status }: WaitedJob): void => {
      if (call.progressToken === null) return;
      call.progress++;
      const params = { progressToken: call.progressToken, progress: call.progress, message: `${id} is ${status}` };
      send({ jsonrpc: "2.0", method: "notifications/progress", params });
    };
    const { signal } = leaving;
    const waiting = { onChange: tell, signal, isCancelled: () => isCancelled, isTold: call.progressToken !== null };
    const seconds = Math.max(0, Math.ceil((call.endsAt - clock.now()) / 1_000));
    const { jobId } = call;
    const job = jobId === null ? LOST_JOB : await waitForJob(parts, caller, { jobId, seconds, waiting });
    const isLost = !job.ok && job.fault.kind === "not_found" && call.isOwn;
    const answer = isLost ? { error: LOST_CALL } : { result: parts.resultOf(job) };
    if (isCancelled && call.isOwn && call.jobId !== null)
      await parts.invoke("cancelJob", detachCaller(caller), { params: { id: call.jobId } });
    if (!leaving.signal.aborted) send({ jsonrpc: "2.0", id: call.id, ...answer });
  };
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string): void => {
        if (!leaving.signal.aborted) controller.enqueue(encoder.encode(text));
      };
      stopKeepAlive = repeated(clock, KEEP_ALIVE_MS, () => write(": keepalive\n\n"));
      follow((message) => write(`event: message\nid: ${parts.idAt(call)}\ndata: ${JSON.stringify(message)}\n\n`))
        .then(() => controller.close())
        .catch((cause: unknown) => controller.error(cause))
        .finally(() => stopKeepAlive());
    },
    cancel() {
      stopKeepAlive();
      leaving.abort();
    },
  });
  return {
    stream,
    cancel() {
      isCancelled = true;
      leaving.abort();
    },
  };
}
