/** A whole service that is stopped by SIGSTOP for longer than its lease, and goes on when another has its shards. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { guardedFolder } from "../support/guarded-folder.ts";
import { createEmptyDatabase } from "../support/postgres.ts";
import { judgeService, ServiceHistory } from "../support/service-history.ts";
import { ServiceLoad } from "../support/service-load.ts";
import { grantTasks, storedService } from "../support/service-tables.ts";
import { startTroupe, type TroupeOptions, type TroupeProcess } from "../support/troupe-process.ts";

/** Exit code of a service that has lost its lease. */
const EXIT_UNAVAILABLE = 69;
const PAUSES = 3;

/** What a service answers to writes and reads until it has ended. */
async function answersUntilItsEnd(service: TroupeProcess, token: string): Promise<number[]> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const statuses: number[] = [];
  let isOver = false;
  void service.ended().then(() => (isOver = true));
  while (!isOver) {
    const asked = [
      fetch(`${service.url}/api/v1/tasks`, { method: "POST", headers, body: '{"title": "never"}' }),
      fetch(`${service.url}/api/v1/tasks`, { headers }),
      fetch(`${service.url}/readyz`),
    ];
    for (const answer of await Promise.allSettled(asked))
      if (answer.status === "fulfilled") statuses.push(answer.value.status);
  }
  return statuses;
}

/** Instances of one database share its key. */
const SECRET = Buffer.alloc(32, 7).toString("base64");

test("[RT-5] [RT-12] a service that was paused past its lease serves and stores nothing afterwards", async () => {
  const folder = guardedFolder();
  const database = await createEmptyDatabase();
  const options = (name: string): TroupeOptions => ({
    dataDir: join(folder.path, name),
    env: { DATABASE_URL: database.url, TROUPE_SECRET: SECRET },
  });
  try {
    let service = await startTroupe(folder, options("s0"));
    const { personal: token, agentId } = service.firstRun();
    await grantTasks(database.url);
    expect(await service.end()).toBe(0);
    service = await startTroupe(folder, options("s1"));
    const history = new ServiceHistory();
    const load = new ServiceLoad(history, { url: service.url, token, agentId });
    try {
      for (let pause = 0; pause < PAUSES; pause++) {
        await load.more(300);
        const paused = service;
        paused.child.kill("SIGSTOP");
        service = await startTroupe(folder, options(`next${pause}`));
        load.turnTo(service.url);
        paused.child.kill("SIGCONT");
        const statuses = await answersUntilItsEnd(paused, token);
        expect(statuses.filter((status) => status < 500)).toEqual([]);
        expect(await paused.ended()).toBe(EXIT_UNAVAILABLE);
      }
      await load.more(300);
    } finally {
      await load.stop();
    }
    const verdict = judgeService(history, await storedService(database.url));
    const { lost, twice } = verdict;
    console.log(
      `service paused: ${PAUSES} faults, ${history.acknowledged} acknowledgements, ${lost.length} lost, ${twice.length} twice`,
    );
    expect(verdict).toEqual({ lost: [], twice: [], wrong: [] });
    expect(await service.end()).toBe(0);
  } finally {
    await folder.remove();
    await database.drop();
  }
}, 300_000);
