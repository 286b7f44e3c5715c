/** The end of a service that serves: what is answered meanwhile, with which code it ends, and that nothing is left. */
import { expect, test } from "bun:test";
import { connect } from "node:net";
import { join } from "node:path";
import { readService } from "../../src/service/service-note.ts";
import { bunFolder } from "../support/bun-program.ts";
import { firstRunOfFile } from "../support/first-run-copy.ts";
import { CLONE } from "../support/service-process.ts";
import {
  eventually,
  MAIN,
  processesIn,
  rowsOf,
  startTroupe,
  TroupeProcess,
  type TroupeOptions,
} from "../support/troupe-process.ts";

const { folder, first, dataDir } = firstRunOfFile();

const nothingIsLeft = (): Promise<void> => eventually("nothing is left", () => processesIn(dataDir).length === 0);

function execute(service: TroupeProcess, message: string, stream: boolean): Promise<Response> {
  return fetch(`${service.url}/api/v1/agents/${first.agentId}/execute`, {
    method: "POST",
    headers: { authorization: `Bearer ${first.personal}`, "content-type": "application/json" },
    body: JSON.stringify({ message, stream }),
  });
}

/** A long answer, of which the first piece comes at once. */
const SLOW = "/say one two three four five six\n/repeat 50\n/slow 200";

/** An execution under way: `rest` is what still comes. */
async function openStream(service: TroupeProcess): Promise<{ rest: Promise<string> }> {
  const answer = await execute(service, SLOW, true);
  const reader = answer.body!.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!text.includes("text_delta")) text += decoder.decode((await reader.read()).value, { stream: true });
  const drain = async (): Promise<string> => {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read())
      text += decoder.decode(piece.value, { stream: true });
    return text;
  };
  return { rest: drain() };
}

/** A connection that stays open, as a load balancer keeps one. */
function keepAlive(service: TroupeProcess): { ask(path: string): Promise<string>; close(): void } {
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  let text = "";
  socket.on("data", (bytes) => (text += bytes.toString())).on("error", () => {});
  return {
    async ask(path) {
      text = "";
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      await eventually(`an answer to ${path}`, () => text.includes("\r\n\r\n"));
      return text;
    },
    close: () => socket.destroy(),
  };
}

/** `bun start` in a shell with Bun in its PATH, and a home folder for the cache of packages. */
function bunStart(): TroupeOptions {
  const env = { PATH: `${bunFolder(folder.path)}:/usr/local/bin:/usr/bin:/bin`, HOME: folder.path };
  return { cmd: [process.execPath, "run", "--silent", "start"], cwd: CLONE, env };
}

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "[START-32] %s ends it with code 0 and leaves no process",
  async (signal) => {
    const service = await startTroupe(folder);
    const stream = await openStream(service);
    expect(await service.end(signal)).toBe(0);
    expect(await stream.rest).toMatch(
      /event: error\ndata: {"message":"The service is restarting\. The execution continues[^\n]*\n\n$/,
    );
    expect(service.log.map(({ msg }) => msg).slice(-2)).toContain("stopped");
    await nothingIsLeft();
  },
);

test("[START-33] Ctrl-C in a terminal reaches the whole group, twice, through `bun start`; nothing is left", async () => {
  const service = new TroupeProcess(folder, { ...bunStart(), hasTerminal: true });
  await service.serving();
  service.child.terminal?.write("\x03");
  service.child.terminal?.write("\x03");
  expect(await service.ended()).toBe(0);
  await service.says(/INFO: stopped/);
  await nothingIsLeft();
});

test("[START-33] a signal to the group and another to the process end it once", async () => {
  const service = await startTroupe(folder);
  const stream = await openStream(service);
  process.kill(-service.pid, "SIGINT");
  expect(await service.end("SIGTERM")).toBe(0);
  await stream.rest;
  expect(service.log.filter(({ msg }) => msg === "draining")).toHaveLength(1);
  expect(service.log.filter(({ level }) => level >= 50)).toEqual([]);
  await nothingIsLeft();
});

test("[START-33] arguments and signals go through `bun start`", async () => {
  const options = bunStart();
  const printed = new TroupeProcess(folder, { ...options, args: ["--print-config"] });
  expect(await printed.ended()).toBe(0);
  expect(printed.output).toContain(`DATA_DIR=${dataDir}\n`);
  const service = await new TroupeProcess(folder, options).serving();
  expect(service.log.find(({ msg }) => msg.includes("few outgoing requests"))).toBeUndefined();
  expect(await service.end("SIGTERM")).toBe(0);
  await nothingIsLeft();
});

test("[START-34] a terminal that is closed ends it, and nothing is left", async () => {
  const service = await startTroupe(folder, { hasTerminal: true });
  service.child.terminal?.close();
  await service.ended();
  await nothingIsLeft();
});

test("[START-34] a log that nobody reads any more does not end it", async () => {
  const pipe = join(folder.path, "pipe");
  const script = `mkfifo '${pipe}'; head -n 1 '${pipe}' >/dev/null & exec "$0" "$@" > '${pipe}'`;
  const service = new TroupeProcess(folder, { cmd: ["/bin/sh", "-c", script, ...MAIN] });
  await eventually("it serves", () => readService(dataDir) !== null);
  const { address } = readService(dataDir)!;
  for (const status of [404, 404]) expect((await fetch(`${address}/nothing`)).status).toBe(status);
  expect(await service.end()).toBe(0);
  await nothingIsLeft();
});

test("[START-35] while it drains, what is in progress is answered and what is new is turned away", async () => {
  const service = await startTroupe(folder);
  const jobs = await rowsOf(dataDir, "select from job");
  const probe = keepAlive(service);
  expect(await probe.ask("/readyz")).toContain("200 OK");
  // The body of this one is still on its way when the drain begins, so the drain waits for it.
  const body = JSON.stringify({ title: "Written during the drain" });
  const slow = connect(Number(new URL(service.url).port), "127.0.0.1");
  let answer = "";
  slow.on("data", (bytes) => (answer += bytes.toString()));
  const head = [
    "POST /api/v1/tasks HTTP/1.1",
    "Host: localhost",
    `Authorization: Bearer ${first.personal}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  slow.write(`${head.join("\r\n")}\r\n\r\n${body.slice(0, 5)}`);
  const waiting = execute(service, SLOW, false);
  await eventually("both are under way", async () => (await rowsOf(dataDir, "select from job")) === jobs + 1);
  service.child.kill("SIGTERM");
  await service.says("draining");
  await eventually("it is not ready", async () => (await probe.ask("/readyz")).includes("503"));
  expect(await probe.ask("/healthz")).toContain("200 OK");
  expect(await probe.ask("/api/v1/agents")).toMatch(/^HTTP\/1.1 503 .*The service is restarting/s);
  const late = await fetch(`${service.url}/api/v1/tasks`, { headers: { authorization: `Bearer ${first.personal}` } });
  expect([late.status, late.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await (await waiting).json()).toMatchObject({ success: false, chatId: expect.stringMatching(/^cht_/) });
  slow.write(body.slice(5));
  await eventually("the slow one is answered", () => answer.includes("\r\n\r\n"));
  expect(answer).toMatch(/^HTTP\/1.1 200 .*"success":true/s);
  expect(await service.ended()).toBe(0);
  probe.close();
  await nothingIsLeft();
});

test("[START-36] npx that is ended alone takes the service with it", async () => {
  // The shell that npm puts between, and which hands no signal on.
  const line = `/bin/sh -c '"$0" "$1"; exit $?' ${MAIN.join(" ")}; exit $?`;
  const npm = new TroupeProcess(folder, { cmd: ["/bin/sh", "-c", line], argv0: "npm exec bun start" });
  await npm.serving();
  expect(processesIn(dataDir).length).toBeGreaterThan(3);
  await npm.end("SIGKILL");
  await nothingIsLeft();
});
