/** Shared by the parts of the benchmark of files: the service, its load, and the result of a part. */
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Aim, BenchmarkContext } from "./benchmark.ts";
import type { FilesTask } from "./files-worker.ts";
import type { RunningService } from "./service.ts";
import { times } from "./statistics.ts";
import type { Worker } from "./worker.ts";

export const MIB = 1024 * 1024;

type Load = Worker<FilesTask, readonly number[]>;

export interface World {
  readonly context: BenchmarkContext;
  readonly service: RunningService;
  readonly load: Load;
  /** The bare server, or DuckDB. */
  readonly other: Load;
  /** Uploads in the background, with the lowest priority: their own cost is not the service's. */
  readonly uploaders: Load;
  readonly workspace: string;
}

export interface Part {
  /** Explains the figures. */
  readonly note?: string;
  readonly rows: readonly (readonly string[])[];
  readonly aims: readonly Aim[];
}

/**
 * Uses this much memory for a file, and frees it. A virtual machine may return free memory to its host, and the first
 * use of such memory costs ten times as much as the write. After this, the next measurement finds memory that the
 * machine still has.
 */
export function warmMemory({ context }: Pick<World, "context">, bytes: number): void {
  const path = join(context.lifetime.folder(), "warm");
  const piece = new Uint8Array(MIB).fill(1);
  const file = openSync(path, "w");
  for (let at = 0; at < bytes; at += MIB) writeSync(file, piece);
  closeSync(file);
  rmSync(path);
}

export const contentOf = ({ service, workspace }: World, path: string): string =>
  `${service.url}/api/workspaces/${workspace}/files/content?path=${path}`;

export const aim = (words: string, shown: string, holds: boolean, unit: string): Aim => ({
  aim: words,
  figure: `${shown}${unit}`,
  holds,
});
export const ratioAim = (words: string, ratio: number, holds: (ratio: number) => boolean): Aim => ({
  aim: words,
  figure: times(ratio),
  holds: holds(ratio),
});

export async function json(
  { url, token }: RunningService,
  path: string,
  body?: object,
  method = "POST",
): Promise<unknown> {
  const answer = await fetch(`${url}${path}`, {
    method: body === undefined ? "GET" : method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

export const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);
