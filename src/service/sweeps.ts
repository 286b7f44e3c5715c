/** Everything that the service deletes when it expires: rows of the tables, and files on this disk. */
import type { Database } from "../../db/client.ts";
import { type Retention, sweepOnce, sweepsOf, type Taken } from "../../db/sweeps.ts";
import { workspaceSweeps } from "../../db/workspace-sweeps.ts";
import type { Files } from "../files/files.ts";

export interface ServiceSweep {
  readonly name: string;
  /** Runs one batch; `now` is wall clock in ms. */
  readonly take: (at: { readonly now: number; readonly limit: number }) => Promise<Taken>;
}

export const serviceSweeps = (
  { database, files }: { readonly database: Database; readonly files: Files },
  retention: Retention,
): readonly ServiceSweep[] => [
  ...[...sweepsOf(retention), ...workspaceSweeps(files.blobs)].map((sweep) => ({
    name: sweep.name,
    take: (at: { readonly now: number; readonly limit: number }) => sweepOnce(database, sweep, at),
  })),
  // Last: it concerns only this machine, and no transaction is open meanwhile.
  { name: "received_files", take: async ({ now }) => ({ deleted: await files.sweep(now), isDone: true }) },
];
