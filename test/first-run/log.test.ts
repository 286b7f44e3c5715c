/** The log of a whole session: one line for each request, and no secret in any. */
import { beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { firstRunOfFile } from "../support/first-run-copy.ts";
import { admin, type LogLine, startTroupe, type TroupeProcess } from "../support/troupe-process.ts";

let service: TroupeProcess;
/** The token that an operator makes in the session. */
let made: string;

const { folder, first } = firstRunOfFile();
beforeAll(async () => {
  service = await startTroupe(folder, { env: { LOG_LEVEL: "trace", OPENAI_API_KEY: "sk-hidden-key-of-a-provider" } });
  made = (await admin(folder, ["token", "create", "--email", "owner@localhost"])).out.split("\n").at(-1)!;
});

const requests = (): readonly LogLine[] => service.log.filter(({ msg }) => msg === "request");

test("[START-50] each request is one line with its id, organization, status and duration", async () => {
  const { agentId, personal } = first;
  const headers = { authorization: `Bearer ${personal}`, "content-type": "application/json" };
  const ask = async (
    method: string,
    path: string,
    body: string | null,
    token: string | null = personal,
  ): Promise<string | null> => {
    const answer = await fetch(`${service.url}${path}`, {
      method,
      body,
      headers: token === null ? {} : { ...headers, authorization: `Bearer ${token}` },
    });
    await answer.text();
    return answer.headers.get("x-request-id");
  };
  const organizationId = (await admin(folder, ["org", "list"])).out.match(/org_[\w-]+/)?.[0];
  const wrong = `${personal.slice(0, -1)}${personal.endsWith("0") ? "1" : "0"}`;
  const ids = [
    await ask("GET", `/api/v1/agents/${agentId}?key=${personal}`, null),
    await ask("POST", `/api/v1/agents/${agentId}/execute`, '{"message": "/say private words", "stream": true}'),
    await ask("POST", "/api/v1/tasks", "{broken"),
    await ask("GET", "/api/v1/agents", null, wrong),
    await ask("GET", "/api/nothing", null, null),
    await ask("GET", "/healthz", null, null),
  ];
  // The id of a caller is in the line too, but no secret that somebody sends as one.
  await fetch(`${service.url}/api/nothing`, { headers: { "x-request-id": personal } });
  expect(await service.end()).toBe(0);
  const told = requests()
    .filter(({ path }) => path !== "/internal/admin")
    .map(({ requestId, organizationId: of, method, path, status }) => [requestId, of, method, path, status]);
  expect(requests().filter(({ path, status }) => path === "/internal/admin" && status === 200)).toHaveLength(2);
  expect(told).toEqual([
    [ids[0], organizationId, "GET", `/api/v1/agents/${agentId}`, 200],
    [ids[1], organizationId, "POST", `/api/v1/agents/${agentId}/execute`, 200],
    [ids[2], organizationId, "POST", "/api/v1/tasks", 400],
    [ids[3], null, "GET", "/api/v1/agents", 401],
    [ids[4], null, "GET", "/api/nothing", 404],
    ["pat_[redacted]", null, "GET", "/api/nothing", 404],
  ]);
  for (const line of requests()) {
    expect(line["requestId"]).toMatch(/^(req_[\w-]{21}|pat_\[redacted\])$/);
    expect(line["durationMs"]).toBeNumber();
    expect(Date.parse(String(line["time"]))).toBeNumber();
  }
});

test("[START-8] nothing that was said in that session has a token, a key, a password or a message in it", async () => {
  const secrets = [first.personal, first.service, made, "sk-hidden-key-of-a-provider", "private words"];
  const { password } = JSON.parse(readFileSync(join(service.dataDir, "postgres.json"), "utf8")) as { password: string };
  const log = service.output + service.complaint + readFileSync(join(service.dataDir, "postgres.log"), "utf8");
  for (const secret of [...secrets, password, readFileSync(join(service.dataDir, "secret"), "utf8").trim()]) {
    expect(secret.length).toBeGreaterThan(10);
    expect(log).not.toContain(secret);
    // Not even the part that tells two tokens apart.
    expect(log).not.toContain(secret.slice(4, 24));
  }
});
