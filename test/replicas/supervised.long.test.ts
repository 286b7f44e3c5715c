/** `bun start --replicas 3` as an operator starts it: one port, one data folder, several processes. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type GuardedFolder, guardedFolder } from "../support/guarded-folder.ts";
import { admin, eventually, processesIn, type TroupeOptions, TroupeProcess } from "../support/troupe-process.ts";

const COUNT = 3;
let folder: GuardedFolder;
let service: TroupeProcess;
let options: TroupeOptions;

/** Resolves when so many replicas have been said to serve. */
const served = (of: TroupeProcess, count: number): Promise<void> =>
  eventually(`${count} replicas have served`, () => pidsOf(of).length === count);
const pidsOf = ({ log }: TroupeProcess): number[] =>
  log.filter(({ msg }) => msg === "a replica serves").map(({ pid }) => Number(pid));

beforeAll(async () => {
  folder = guardedFolder();
  options = { args: ["--replicas", String(COUNT)], dataDir: join(folder.path, "data") };
  service = new TroupeProcess(folder, options);
  await service.says("all replicas serve");
}, 300_000);
afterAll(() => folder.remove());

/** Each request comes by a connection of its own. */
function task(at: TroupeProcess, title: string): Promise<Response> {
  return fetch(`${at.url}/api/tasks`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${at.firstRun().personal}`,
      "content-type": "application/json",
      "idempotency-key": title,
      connection: "close",
    },
    body: JSON.stringify({ title }),
  });
}

interface TaskPage {
  readonly tasks: readonly { readonly title: string }[];
  readonly next_cursor?: string;
}

async function read(at: TroupeProcess, path: string): Promise<TaskPage> {
  const answer = await fetch(at.url + path, { headers: { authorization: `Bearer ${at.firstRun().personal}` } });
  if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as TaskPage;
}

test("[REP-9] all replicas answer at one port, each names itself in its log, and the data folder is like that of one process", async () => {
  await Promise.all(
    Array.from({ length: 60 }, async (_, i) => expect((await task(service, `even ${i}`)).status).toBe(201)),
  );
  // A request of an organization is in the log of its owner; one of nobody is in that of the replica that took it.
  await Promise.all(
    Array.from({ length: 60 }, async () => {
      const refused = await fetch(`${service.url}/api/tasks`, { headers: { connection: "close" } });
      expect(refused.status).toBe(401);
    }),
  );
  const from = (): Set<unknown> =>
    new Set(service.log.filter(({ msg }) => msg === "request").map((line) => line["process"]));
  await eventually("each has answered", () => from().size === COUNT);
  expect(from()).toEqual(new Set([1, 2, 3]));
  const listed = await admin(folder, ["org", "list"]);
  expect([listed.code, listed.out]).toEqual([0, expect.stringContaining("My organization")]);
});

test("[REP-9] a killed replica is started again, a signal restarts all, and no keyed request is lost", async () => {
  let isOver = false;
  const titles: string[] = [];
  const load = (async () => {
    for (let i = 0; !isOver; i++) {
      const title = `load ${i}`;
      await eventually(`${title} is taken`, async () => (await task(service, title).catch(() => null))?.status === 201);
      titles.push(title);
      // Within the rate budget.
      await Bun.sleep(20);
    }
  })();
  process.kill(pidsOf(service)[1]!, "SIGKILL");
  await served(service, COUNT + 1);
  service.child.kill("SIGUSR2");
  await service.says("all replicas have been started anew");
  expect(pidsOf(service).length).toBe(2 * COUNT + 1);
  isOver = true;
  await load;
  const found = new Map<string, number>();
  for (let cursor: string | null = ""; cursor !== null;) {
    const more: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await read(service, `/api/tasks?limit=100${more}`);
    for (const { title } of page.tasks) found.set(title, (found.get(title) ?? 0) + 1);
    cursor = page.next_cursor ?? null;
  }
  expect(titles.filter((title) => found.get(title) !== 1)).toEqual([]);
}, 300_000);

test("[REP-9] after a kill of the supervisor its replicas drain, and the next start waits for them", async () => {
  expect(await service.end("SIGKILL")).toBe("SIGKILL");
  const next = new TroupeProcess(folder, options);
  await next.says("all replicas serve");
  expect((await read(next, "/api/tasks?limit=1")).tasks).toHaveLength(1);
  expect(await next.end("SIGTERM")).toBe(0);
  expect(processesIn(folder.path)).toEqual([]);
}, 300_000);

test("[REP-9] a replica that cannot start says why and ends the others", async () => {
  const broken = join(folder.path, "data", "replicas", "2");
  await rm(broken, { recursive: true, force: true });
  await Bun.write(broken, "no folder");
  const failing = new TroupeProcess(folder, options);
  expect(await failing.ended()).toBe(69);
  expect(failing.complaint).toContain(`The data folder ${broken} (DATA_DIR) cannot be used: `);
  expect(processesIn(folder.path)).toEqual([]);
}, 300_000);
