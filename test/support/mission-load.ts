/**
 * Missions in a service that is killed again and again: some fire once, about the time of a kill, some go on by
 * themselves. In the end each time of a mission is in its ledger once, and each of its runs has one job.
 */
import type { ServiceVerdict } from "./service-history.ts";
import type { ServiceAddress } from "./service-load.ts";
import { withTables } from "./service-tables.ts";
import { eventually } from "./troupe-process.ts";

/** Runs of a mission that goes on by itself. */
const RUNS = 5;
const SETTLED_MS = 60_000;

interface Made {
  readonly id: string;
  readonly runs: number;
}

interface Row {
  readonly id: string;
  readonly status: string;
  readonly runs: number;
  readonly times: number;
  readonly entries: number;
  readonly begun: number;
  readonly jobs: number;
  readonly succeeded: number;
}

export class MissionLoad {
  private readonly made: Made[] = [];
  private address: ServiceAddress;

  constructor(address: ServiceAddress) {
    this.address = address;
  }

  /** Where the service is from now on. */
  turnTo(url: string): void {
    this.address = { ...this.address, url };
  }

  /** Missions that go on by themselves. */
  async addContinuous(count: number): Promise<void> {
    const schedule = { type: "continuous", value: "PT1S", max_runs: RUNS };
    for (let i = 0; i < count; i++) await this.add(schedule, RUNS);
  }

  /** Missions that are due one after the other within this time. */
  async addOnce(count: number, withinMs: number): Promise<void> {
    for (let i = 1; i <= count; i++) {
      const value = new Date(Date.now() + (withinMs * i) / count).toISOString();
      await this.add({ type: "once", value }, 1);
    }
  }

  /** What the tables say of them, once each has come to its end. */
  judge(url: string): Promise<ServiceVerdict> {
    return withTables(url, async (sql) => {
      const ids = this.made.map(({ id }) => id);
      const read = (): Promise<Row[]> => sql<Row[]>`
        select m.id, m.status, (m.body ->> 'runCount')::int as runs,
          (select count(distinct body ->> 'scheduledAt')::int from mission_run r where r.mission_id = m.id) as times,
          (select count(*)::int from mission_run r where r.mission_id = m.id) as entries,
          (select count(body ->> 'jobId')::int from mission_run r where r.mission_id = m.id) as begun,
          (select count(*)::int from job j where j.mission_id = m.id) as jobs,
          (select count(*)::int from mission_run r where r.mission_id = m.id and r.outcome = 'succeeded') as succeeded
        from mission m where m.id = any(${ids})`;
      await eventually("every mission has ended", async () => (await read()).every(isOver), SETTLED_MS).catch(() => {});
      const rows = new Map((await read()).map((row) => [row.id, row]));
      const verdict = { lost: [] as string[], twice: [] as string[], wrong: [] as string[] };
      for (const { id, runs } of this.made) {
        const row = rows.get(id);
        if (row === undefined) verdict.lost.push(`mission ${id} was acknowledged and is not stored`);
        else judgeOne(row, runs, verdict);
      }
      return verdict;
    });
  }

  /** A mission counts when its creation was acknowledged; its key makes it once. */
  private async add(schedule: object, runs: number): Promise<void> {
    const { url, token, agentId } = this.address;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const body = { title: "Due", goal: "/say It is time.", agent_id: agentId, schedule };
    const answer = await fetch(`${url}/api/missions`, { method: "POST", headers, body: JSON.stringify(body) });
    if (answer.status !== 201) throw new Error(`a mission is answered with ${answer.status}: ${await answer.text()}`);
    this.made.push({ id: ((await answer.json()) as { id: string }).id, runs });
  }
}

const isOver = ({ status }: Row): boolean => status === "completed" || status === "failed";

function judgeOne(
  row: Row,
  runs: number,
  { lost, twice, wrong }: { lost: string[]; twice: string[]; wrong: string[] },
) {
  const { id, status, times, entries, begun, jobs, succeeded } = row;
  if (times < entries) twice.push(`mission ${id} has ${entries} entries for ${times} times`);
  if (jobs > begun) twice.push(`mission ${id} has ${jobs} jobs for ${begun} runs`);
  if (jobs < begun) lost.push(`mission ${id} has ${jobs} jobs for ${begun} runs`);
  if (row.runs > runs) twice.push(`mission ${id} has run ${row.runs} times, and not ${runs}`);
  if (row.runs < runs || succeeded < runs) lost.push(`mission ${id}: ${succeeded} of ${runs} runs have succeeded`);
  if (status !== "completed") wrong.push(`mission ${id} is ${status}`);
}
