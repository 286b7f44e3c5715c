/** Watches what commands use, in a thread that begins with the first command. */
import { statSync } from "node:fs";
import type { CommandLimits, ExceededLimit, WatchOrder, WatchReport } from "./command-watch-thread.ts";

const exceededCallbacks = new Map<number, (exceeded: ExceededLimit) => void>();
let watchThread: Worker | null = null;

/**
 * Calls back once when the bubble of this leader exceeds a limit. `folder`: the folder that it writes to. Answers a
 * function that ends the watch; call it before another process can have the leader's pid.
 */
export function watchCommand(
  leader: number,
  { folder, limits }: { readonly folder: string; readonly limits: CommandLimits },
  onExceeded: (exceeded: ExceededLimit) => void,
): () => void {
  exceededCallbacks.set(leader, onExceeded);
  const { dev: device } = statSync(folder, { bigint: true });
  tellWatch({ leader, limits, device });
  return () => {
    exceededCallbacks.delete(leader);
    tellWatch({ leader });
  };
}

function tellWatch(order: WatchOrder): void {
  watchThread ??= startWatchThread();
  watchThread.postMessage(order);
}

function startWatchThread(): Worker {
  const worker = new Worker(new URL("command-watch-thread.ts", import.meta.url));
  worker.addEventListener("message", ({ data: { leader, exceeded } }: MessageEvent<WatchReport>) =>
    exceededCallbacks.get(leader)?.(exceeded),
  );
  // It does not keep an otherwise finished process alive.
  worker.unref();
  return worker;
}
