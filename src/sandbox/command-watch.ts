/** Watches what commands use, in a thread that begins with the first command. */
import { statSync } from "node:fs";
import type { CommandLimits, ExceededLimit, WatchOrder, WatchReport } from "./command-watch-thread.ts";

const watched = new Map<number, (exceeded: ExceededLimit) => void>();
let thread: Worker | null = null;

/**
 * Calls back once when the bubble of this leader exceeds a limit. `folder`: the folder that it writes to. Answers a
 * function that ends the watch; call it before another process can have the leader's pid.
 */
export function watchCommand(
  leader: number,
  { folder, limits }: { readonly folder: string; readonly limits: CommandLimits },
  onExceeded: (exceeded: ExceededLimit) => void,
): () => void {
  watched.set(leader, onExceeded);
  const { dev: device } = statSync(folder, { bigint: true });
  tell({ leader, limits, device });
  return () => {
    watched.delete(leader);
    tell({ leader });
  };
}

function tell(order: WatchOrder): void {
  thread ??= started();
  thread.postMessage(order);
}

function started(): Worker {
  const worker = new Worker(new URL("command-watch-thread.ts", import.meta.url));
  worker.addEventListener("message", ({ data: { leader, exceeded } }: MessageEvent<WatchReport>) =>
    watched.get(leader)?.(exceeded),
  );
  // It does not keep an otherwise finished process alive.
  worker.unref();
  return worker;
}
