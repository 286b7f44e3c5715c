/**
 * Backends of PostgreSQL that read pages go behind those that commit, where the server runs on this machine: a page of
 * a megabyte takes a core for milliseconds, and each backend is a session of its own, to which Linux gives as much as
 * to the whole service. Which processes they are, the server tells; that they run here is seen in their command line,
 * which names the port of our end of the connection.
 */
import { readFileSync } from "node:fs";
import type { Sql } from "./client.ts";

/** Between two looks for new backends, while there may be some. */
export const LOOK_MS = 1_000;

interface Backend {
  readonly pid: number;
  readonly port: number | null;
}

export interface PageBackendsOptions {
  /** `application_name` of the connections. */
  readonly name: string;
  /** So many connections there are at most. */
  readonly most: number;
  /** Puts a process behind the others. Must not throw. */
  readonly lower: (pid: number) => void;
  /** Monotonic ms. */
  readonly now?: () => number;
}

export class PageBackends {
  private readonly options: PageBackendsOptions;
  private readonly lowered = new Set<number>();
  private isElsewhere = false;
  private nextLookAt = Number.NEGATIVE_INFINITY;

  constructor(options: PageBackendsOptions) {
    this.options = options;
  }

  /** Lowers those that are new since the last look, at most once a second. Rejects where the server cannot be asked. */
  async look(ask: <T>(question: (sql: Sql) => PromiseLike<T>) => Promise<T>): Promise<void> {
    const { name, most, lower, now = () => performance.now() } = this.options;
    if (this.isElsewhere || this.lowered.size >= most || now() < this.nextLookAt) return;
    this.nextLookAt = now() + LOOK_MS;
    const all = await ask(
      (sql) => sql<Backend[]>`select pid, client_port as port from pg_stat_activity where application_name = ${name}`,
    );
    const here = all.filter(isHere);
    this.isElsewhere = all.length > 0 && here.length === 0;
    for (const { pid } of here) {
      if (this.lowered.has(pid)) continue;
      this.lowered.add(pid);
      lower(pid);
    }
  }

  /** A connection has ended: another one may come in its place. */
  ended(): void {
    this.lowered.clear();
  }
}

/** `postgres: troupe postgres 127.0.0.1(37814) idle` */
function isHere({ pid, port }: Backend): boolean {
  if (port === null) return false;
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
    return command.startsWith("postgres:") && command.includes(`(${port})`);
  } catch {
    return false;
  }
}
