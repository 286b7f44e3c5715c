/** What the parts of the benchmark of files have in common: the service, its load, and what a part answers. */
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
  readonly workspace: string;
}

export interface Part {
  /** What the figures mean. */
  readonly note?: string;
  readonly rows: readonly (readonly string[])[];
  readonly aims: readonly Aim[];
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
