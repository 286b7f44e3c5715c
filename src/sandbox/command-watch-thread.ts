/**
 * The thread that measures what commands use: reading many processes takes longer than the event loop may be blocked.
 */
import { bubbleUse } from "./bubble-use.ts";

export type CommandLimits = {
  readonly memoryBytes: number;
  readonly tasks: number;
  readonly namelessBytes: number;
};
export type ExceededLimit = "memory" | "processes" | "files";

/** Without `limits`: the command has ended. */
export interface WatchOrder {
  readonly leader: number;
  readonly limits?: CommandLimits;
  /** The device of its folder. */
  readonly device?: bigint;
}
export interface WatchReport {
  readonly leader: number;
  readonly exceeded: ExceededLimit;
}

/** Between two looks. */
const COMMAND_LOOK_MS = 100;
/** The most of one core that looking may take, as a part. */
const LOOK_PART = 0.2;

const watchedCommands = new Map<number, WatchOrder>();
let timer: NodeJS.Timeout | null = null;

function lookAtCommands(): void {
  const from = performance.now();
  timer = null;
  for (const order of watchedCommands.values()) {
    const exceeded = exceededBy(order);
    if (exceeded === null) continue;
    watchedCommands.delete(order.leader);
    postMessage({ leader: order.leader, exceeded } satisfies WatchReport);
  }
  if (watchedCommands.size > 0)
    timer = setTimeout(lookAtCommands, Math.max(COMMAND_LOOK_MS, (performance.now() - from) / LOOK_PART));
}

function exceededBy({ leader, limits, device }: WatchOrder): ExceededLimit | null {
  if (limits === undefined || device === undefined) return null;
  const { tasks, memoryBytes, namelessBytes } = bubbleUse(leader, device, limits);
  if (tasks > limits.tasks) return "processes";
  if (memoryBytes > limits.memoryBytes) return "memory";
  return namelessBytes > limits.namelessBytes ? "files" : null;
}

// The main thread imports this file too, for its types.
if (!Bun.isMainThread)
  globalThis.addEventListener("message", ({ data }: MessageEvent<WatchOrder>) => {
    if (data.limits === undefined) watchedCommands.delete(data.leader);
    else watchedCommands.set(data.leader, data);
    timer ??= setTimeout(lookAtCommands, COMMAND_LOOK_MS);
  });
