/** A service that is killed, or whose database dies: what the next start finds, and that nothing acknowledged is lost. */
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRunning, isZombie, readPidFile } from "../../db/postmaster.ts";
import { firstRunOfFile } from "../support/first-run-copy.ts";
import { eventually, processesIn, rowsOf, startTroupe, type TroupeProcess } from "../support/troupe-process.ts";

const { folder, first, dataDir } = firstRunOfFile();

const postgresOf = (): number => readPidFile(join(dataDir, "postgres"))?.pid ?? 0;

async function call<T>(service: TroupeProcess, path: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${first.personal}`, "content-type": "application/json" };
  const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
  const answer = await fetch(`${service.url}/api/v1${path}`, init);
  expect(answer.status).toBe(200);
  return (await answer.json()) as T;
}

const execute = <T>(service: TroupeProcess, body: object): Promise<T> =>
  call<T>(service, `/agents/${first.agentId}/execute`, body);

async function titles(service: TroupeProcess): Promise<readonly string[]> {
  return (await call<{ tasks: { title: string }[] }>(service, "/tasks?limit=100")).tasks.map((task) => task.title);
}

/** Begins a slow execution and resolves when its first words have come. */
async function beginSlow(service: TroupeProcess, message: string): Promise<{ readonly chatId: string }> {
  const answer = await fetch(`${service.url}/api/v1/agents/${first.agentId}/execute`, {
    method: "POST",
    headers: { authorization: `Bearer ${first.personal}`, "content-type": "application/json" },
    body: JSON.stringify({ message, stream: true }),
  });
  let text = "";
  const reader = answer.body!.getReader();
  while (!text.includes("text_delta")) text += new TextDecoder().decode((await reader.read()).value);
  reader.cancel().catch(() => {});
  return { chatId: /"chatId":"(cht_[\w-]+)"/.exec(text)?.[1] ?? "" };
}

const jobOf = (chatId: string, status: string): Promise<number> =>
  rowsOf(dataDir, `select from job where chat_id = '${chatId}' and status = '${status}'`);

test("[START-41] after kill -9 the next start adopts PostgreSQL at once, and nothing acknowledged is lost", async () => {
  const killed = await startTroupe(folder);
  const spoken = await execute<{ chatId: string }>(killed, { message: "/say remembered" });
  // Writes that come all the time: the kill falls between two of them.
  const acknowledged: string[] = [];
  const many = Promise.withResolvers<void>();
  const writing = (async () => {
    for (let i = 0; ; i++) {
      const title = `task ${i}`;
      await call(killed, "/tasks", { title });
      acknowledged.push(title);
      if (i === 40) many.resolve();
    }
  })().catch(many.reject);
  await many.promise;
  // Only now: on a busy machine it could end before the kill.
  const slow = await beginSlow(killed, "/say one two three four five six seven eight\n/slow 300");
  killed.child.kill("SIGKILL");
  await Promise.all([writing, killed.ended()]);
  const orphan = postgresOf();
  expect(isRunning(orphan)).toBe(true);

  const service = await startTroupe(folder);
  expect(postgresOf()).toBe(orphan);
  expect(service.log.map(({ msg }) => msg).join("\n")).toContain("adopted the running PostgreSQL");
  expect(service.log.map(({ msg }) => msg).join("\n")).not.toContain("waiting");
  expect(await titles(service)).toEqual(expect.arrayContaining(acknowledged));
  expect(acknowledged.length).toBeGreaterThan(40);
  expect(await execute<object>(service, { message: "/say again", chatId: spoken.chatId })).toMatchObject({
    success: true,
    result: "again",
    chatId: spoken.chatId,
  });
  await eventually(
    "the execution that was under way has completed",
    async () => (await jobOf(slow.chatId, "completed")) === 1,
  );
  expect(
    await rowsOf(
      dataDir,
      `select from event where stream = (select id from job where chat_id = '${slow.chatId}') and type = 'job.restarted'`,
    ),
  ).toBe(1);
  expect(await service.end()).toBe(0);
  await eventually("nothing is left", () => processesIn(dataDir).length === 0);
});

test("[START-41] after a crash of the machine, PostgreSQL included, nothing acknowledged is lost", async () => {
  const killed = await startTroupe(folder);
  await call(killed, "/tasks", { title: "before the crash" });
  process.kill(postgresOf(), "SIGKILL");
  await killed.end("SIGKILL");
  const service = await startTroupe(folder);
  expect(await titles(service)).toContain("before the crash");
  expect(await service.end()).toBe(0);
});

test.skipIf(process.platform !== "linux")(
  "[START-44] a killed PostgreSQL that is still a zombie does not stop the start",
  async () => {
    const path = join(dataDir, "postgres/postmaster.pid");
    const former = await startTroupe(folder);
    const [, ...rest] = readFileSync(path, "utf8").split("\n");
    await former.end();
    // A parent that never asks for its child's end, as the first process of many containers.
    const parent = Bun.spawn({
      cmd: ["/bin/sh", "-c", "sleep 600 & echo $!; exec sleep 600"],
      stdio: ["ignore", "pipe", "ignore"],
    });
    folder.guard(parent);
    const { value } = await parent.stdout.getReader().read();
    const zombie = Number(new TextDecoder().decode(value));
    // While it is the shell, it may ask.
    await eventually("it is no shell", () => readFileSync(`/proc/${parent.pid}/comm`, "utf8") === "sleep\n");
    process.kill(zombie, "SIGKILL");
    await eventually("it is a zombie", () => isZombie(zombie));
    writeFileSync(path, [zombie, ...rest].join("\n"));
    const service = await startTroupe(folder);
    expect(await service.end()).toBe(0);
    parent.kill();
  },
);

test("[START-42] a run that a drain has stopped is taken up by the next start", async () => {
  const stopped = await startTroupe(folder);
  const { chatId } = await beginSlow(stopped, "/say one two three four five six seven eight\n/slow 300");
  expect(await stopped.end()).toBe(0);
  const service = await startTroupe(folder);
  await eventually("it has completed", async () => (await jobOf(chatId, "completed")) === 1);
  expect(await service.end()).toBe(0);
});

test.each(["SIGKILL", "SIGINT"] as const)(
  "[START-43] when PostgreSQL ends by %s under the service, it ends with a clear line",
  async (signal) => {
    const service = await startTroupe(folder);
    await beginSlow(service, "/say one two three\n/repeat 20\n/slow 100");
    process.kill(postgresOf(), signal);
    expect(await service.ended()).toBe(69);
    const fatal = service.log.filter(({ level }) => level === 60);
    expect(fatal).toHaveLength(1);
    expect(fatal[0]!.msg).toMatch(/^PostgreSQL \(process \d+\) ended: /);
    expect(service.log.at(-1)!.msg).toBe("stopped");
    await eventually("nothing is left", () => processesIn(dataDir).length === 0);
  },
);
