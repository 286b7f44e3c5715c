/** The door of a running service for the administration command: who has not the key finds nothing there. */
import { beforeAll, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { knock } from "../../src/admin/door.ts";
import type { ServiceNote } from "../../src/service/service-note.ts";
import { copyFirstRun, firstRunOfFile } from "../support/first-run-copy.ts";
import { admin, startTroupe, type TroupeProcess } from "../support/troupe-process.ts";

let service: TroupeProcess;
let note: ServiceNote;

const { folder, first } = firstRunOfFile();
beforeAll(async () => {
  service = await startTroupe(folder);
  note = JSON.parse(readFileSync(join(service.dataDir, "service.json"), "utf8")) as ServiceNote;
});

const LIST = JSON.stringify({ command: "org list", options: {}, flags: [] });

async function send(
  body: string,
  headers: Record<string, string> = { authorization: `Bearer ${note.key}` },
  method = "POST",
) {
  const answer = await fetch(`${service.url}/internal/admin`, {
    method,
    headers,
    ...(method === "GET" ? {} : { body }),
  });
  return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() };
}

test("[START-55] the note with the key is readable only for its owner, and is deleted with the service", async () => {
  expect(statSync(join(service.dataDir, "service.json")).mode & 0o777).toBe(0o600);
  expect(note).toEqual({ address: service.url, key: expect.stringMatching(/^[\w-]{43}$/), pid: service.pid });
  const dataDir = join(folder.path, "other");
  await copyFirstRun(folder, "other");
  const other = await startTroupe(folder, { dataDir });
  expect(JSON.parse(readFileSync(join(dataDir, "service.json"), "utf8")).key).not.toBe(note.key);
  await other.end();
  expect(existsSync(join(dataDir, "service.json"))).toBe(false);
});

test("[START-55] without the key the endpoint looks like any unknown path", async () => {
  const nothing = await fetch(`${service.url}/internal/nothing`, { method: "POST" });
  const expected = { status: 404, type: nothing.headers.get("content-type"), text: await nothing.text() };
  const key = note.key;
  const wrongs = [
    {},
    { authorization: "" },
    { authorization: "Bearer " },
    { authorization: `Bearer ${key}x` },
    { authorization: `bearer ${key}` },
    { authorization: `Bearer ${"A".repeat(key.length)}` },
    { authorization: `Basic ${key}` },
    { authorization: `Bearer ${first.personal}` },
  ];
  for (const headers of wrongs) expect(await send(LIST, headers)).toEqual(expected);
  expect(await send(LIST, undefined, "GET")).toEqual(expected);
  expect((await send(LIST)).status).toBe(200);
});

test("[START-56] with the key, an invalid command is refused clearly and nothing is done", async () => {
  const bodies = [
    "",
    "{broken",
    "[]",
    "null",
    "7",
    '"org list"',
    "{}",
    '{"command": "org list"}',
    '{"command": 1, "options": {}, "flags": []}',
    '{"command": "org list", "options": {"org": 1}, "flags": []}',
    '{"command": "org list", "options": {}, "flags": [1]}',
    '{"command": "org list", "options": null, "flags": []}',
  ];
  for (const body of bodies) {
    expect([body, await send(body)]).toEqual([
      body,
      {
        status: 400,
        type: "application/json;charset=utf-8",
        text: '{"ok":false,"text":"A command is a JSON object with command, options and flags"}',
      },
    ]);
  }
  const long = await send(JSON.stringify({ command: "org list", options: { org: "x".repeat(20_000) }, flags: [] }));
  expect([long.status, JSON.parse(long.text).ok]).toEqual([413, false]);
  expect(JSON.parse((await send('{"command": "__proto__", "options": {}, "flags": []}')).text).text).toStartWith(
    'Unknown command "__proto__";',
  );
  expect(service.log.filter(({ level }) => level >= 50)).toEqual([]);
});

test("[START-55] the key does not go through a proxy", async () => {
  const asked: string[] = [];
  const proxy = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => (asked.push(request.url), new Response("")),
  });
  const env = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, http_proxy: `http://127.0.0.1:${proxy.port}` };
  expect(await admin(folder, ["org", "list"], { env })).toMatchObject({
    code: 0,
    out: expect.stringContaining("My organization"),
  });
  expect(asked).toEqual([]);
  await proxy.stop(true);
});

test("[START-56] an endpoint without a service says so; a broken connection is not an answer", async () => {
  const asked = { command: "org list", given: { options: {}, flags: new Set<string>() } };
  const deaf = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: (socket) => void socket.end() } });
  await expect(knock({ ...note, address: `http://127.0.0.1:${deaf.port}` }, asked)).rejects.toThrow(
    "whether the command was carried out is not known",
  );
  deaf.stop(true);
  expect(await knock({ ...note, address: `http://127.0.0.1:${deaf.port}` }, asked)).toBeNull();
  const draining = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("", { status: 503 }) });
  expect(await knock({ ...note, address: `http://127.0.0.1:${draining.port}` }, asked)).toBeNull();
  await draining.stop(true);
  expect(await knock({ ...note, key: "other" }, asked)).toEqual({
    ok: false,
    text: "The running service refused the command (404)",
  });
});
