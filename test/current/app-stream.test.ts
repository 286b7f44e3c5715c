/** The signed stream of a job for embedded pages (SSE-9). */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { systemClock } from "../../src/wiring/clock.ts";
import { Client, type Json, refused } from "../support/current.ts";
import { StreamReader } from "../support/event-streams.ts";
import { gate } from "../support/fake-model.ts";
import { type Founded, type Service, startService } from "../support/service.ts";
import { createAgent } from "../support/v1.ts";

let service: Service;
let owner: Founded;
let client: Client;
let agent: string;
let laterMs = 0;
beforeAll(async () => {
  const clock = { ...systemClock, now: () => Date.now() + laterMs, monotonic: () => performance.now() + laterMs };
  service = await startService({ clock });
  owner = await service.found();
  client = new Client(service, owner);
  agent = await createAgent(service, owner);
});
afterAll(() => service.stop());

async function newJob(): Promise<string> {
  const chat = await client.chat(agent, owner.workspaceId);
  return (await client.send(chat, "hello")).job.id;
}
const linkOf = async (job: string, by: Client = client): Promise<string> =>
  ((await by.job(job))["links"] as Json)["app_stream"] as string;
const visit = (path: string, method = "GET") => fetch(`${service.url}${path}`, { method });

test("[SSE-9] a job's links have a fresh signed address for callers with jobs:read; it opens the stream without a token", async () => {
  const job = await newJob();
  await client.reached(job, "completed");
  const link = await linkOf(job);
  expect(link).toMatch(new RegExp(`^/mcp-app/jobs/${job}/events\\?sub=[^&]+&exp=\\d+&sig=[0-9a-f]{64}$`));
  const reader = await StreamReader.open(`${service.url}${link}`, {});
  await reader.ended;
  expect(reader.frames.map(({ event }) => event).slice(-1)).toEqual(["stream.end"]);
  const snapshot = await reader.saw("snapshot");
  expect([snapshot.data["id"], snapshot.data["allowed_actions"]]).toEqual([job, []]);
  expect((snapshot.data["links"] as Json)["app_stream"]).toBeUndefined();
  expect(Object.fromEntries(reader.response.headers)).toMatchObject({
    "access-control-allow-origin": "*",
    "referrer-policy": "no-referrer",
    "cache-control": expect.stringContaining("no-store") as string,
  });
  expect(reader.response.headers.get("access-control-allow-credentials")).toBeNull();
  const { jobs } = await client.get<{ jobs: Json[] }>("/api/jobs");
  expect((jobs[0]!["links"] as Json)["app_stream"]).toBeString();
  const chatsOnly = await service.tokenFor(owner, { scopes: ["chats:write"] });
  const chat = await client.chat(agent, owner.workspaceId);
  const sent = await new Client(service, chatsOnly).send(chat, "x");
  expect((sent.job["links"] as Json)["app_stream"]).toBeUndefined();
});

test("[SSE-9] any failure is the same 403 invalid_signature, and no log line shows a query", async () => {
  const [job, other] = [await newJob(), await newJob()];
  const link = await linkOf(job);
  const [path, query] = link.split("?");
  const params = new URLSearchParams(query);
  const changed = (name: string, value: string): string => {
    const copy = new URLSearchParams(params);
    copy.set(name, value);
    return `${path}?${copy.toString()}`;
  };
  const stranger = await service.found("Stranger");
  const sig = params.get("sig") ?? "";
  for (const wrong of [
    path!,
    link.replace(job, other),
    link.replace(job, "job_x"),
    changed("exp", String(Number(params.get("exp")) + 1)),
    changed("exp", ""),
    changed("sub", (params.get("sub") ?? "").replace(owner.organizationId, stranger.organizationId)),
    changed("sub", "x"),
    changed(
      "sig",
      sig.replace(/.$/, (last) => (last === "0" ? "1" : "0")),
    ),
    changed("sig", ""),
  ]) {
    const answer = await visit(wrong);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("cache-control")).toContain("no-store");
    await refused(answer, 403, "invalid_signature");
  }
  expect((await visit(link, "HEAD")).status).toBe(403);
  expect(JSON.stringify(service.log)).not.toContain("sig=");
  expect(JSON.stringify(service.log)).not.toContain(sig);
});

test("[SSE-9] it is valid for five minutes, and a stream lasts at most an hour; revoking the token closes it", async () => {
  const hold = gate();
  service.model.script = () => [{ say: "x" }, hold];
  const job = await newJob();
  const link = await linkOf(job);
  const long = await StreamReader.open(`${service.url}${link}`, {});
  const revoked = await service.tokenFor(owner, {});
  const other = await StreamReader.open(`${service.url}${await linkOf(job, new Client(service, revoked))}`, {});
  await other.saw("snapshot");
  service.app.streams.closeOf(revoked.tokenId);
  await other.ended;
  expect(other.frames.at(-1)?.data["reason"]).toBe("revoked");
  laterMs += 5 * 60_000;
  await refused(visit(link), 403, "invalid_signature");
  await long.saw("snapshot");
  laterMs += 55 * 60_000;
  await long.ended;
  expect(long.frames.at(-1)).toMatchObject({ event: "stream.closing", data: { reason: "expired" } });
  hold.open();
});
