/**
 * Each call to a provider repeats the one before it (RUN-34), in each format, also when the replica that runs the job is
 * killed in the middle of a call, and another one goes on. Counted in bytes.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { FailoverService } from "../support/failover-service.ts";
import type { FakeProvider } from "../support/fake-provider.ts";
import { type GuardedFolder, guardedFolder } from "../support/guarded-folder.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import {
  conversationAnswers,
  longWords,
  PREFIX_FORMATS,
  type PrefixFormat,
  repeatedParts,
  startFakeOf,
} from "../support/repeated-prefix.ts";
import { eventually } from "../support/troupe-process.ts";

const TURNS = 20;
const REPEATED = 0.98;
const STEERED = 5;
/** In the first call of this turn the replicas are killed, one after the other: one of them runs the job. */
const KILLED = 9;
const BACK_MS = 120_000;

let folder: GuardedFolder;
let database: TestDatabase;
let service: FailoverService;
let token: string;
const fakes = new Map<PrefixFormat, FakeProvider>();
/** What the newest call waits for. */
let held: Promise<void> = Promise.resolve();

beforeAll(async () => {
  folder = guardedFolder();
  database = await createTestDatabase();
  for (const format of PREFIX_FORMATS) {
    const fake = await startFakeOf[format]();
    fake.answerBy(
      conversationAnswers(
        (turn) => {
          if (turn === 0) return [];
          if (turn % 4 === 0) return [["create_task", { description: "Two loaves.", title: "Buy bread" }]];
          return [["list_tasks", { status: "open", limit: 20 }]];
        },
        (turn) => (turn === 0 ? Promise.resolve() : held),
      ),
    );
    fakes.set(format, fake);
  }
  const path = join(folder.path, "providers.json");
  const providers = PREFIX_FORMATS.map((format) => [
    format,
    { format, base_url: fakes.get(format)!.baseUrl, key: "none", models: { m: {} } },
  ]);
  await Bun.write(path, JSON.stringify({ providers: Object.fromEntries(providers) as object }));
  const env = { MODEL_PROVIDERS: path, MODEL: "messages:m", JOB_ATTEMPTS: "9" };
  service = await FailoverService.start(folder, database.url, 2, env);
  token = await service.firstToken();
});

afterAll(async () => {
  await service.close();
  for (const fake of fakes.values()) await fake.stop();
  await database.drop();
  await folder.remove();
});

/** Until a replica answers; a request that is sent again has its key. */
async function ask<T>(method: string, path: string, body?: object): Promise<T> {
  const key = crypto.randomUUID();
  let json: unknown = null;
  await eventually(
    `${method} ${path} is answered`,
    async () => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": key };
      const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      const answer = await fetch(`${service.urls[0] ?? "http://127.0.0.1:1"}${path}`, init).catch(() => null);
      json = await answer?.json().catch(() => null);
      if (answer !== null && answer.status < 500 && answer.status !== 409 && !answer.ok)
        throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(json)}`);
      return answer?.ok === true;
    },
    BACK_MS,
  );
  return json as T;
}
const reached = (jobId: string, status: string): Promise<void> =>
  eventually(
    `job ${jobId} is ${status}`,
    async () => (await ask<{ status: string }>("GET", `/api/jobs/${jobId}`)).status === status,
    BACK_MS,
  );

async function take(format: PrefixFormat, chat: string, turn: number): Promise<void> {
  const fake = fakes.get(format)!;
  const isHeld = turn === STEERED || turn === KILLED;
  const release = Promise.withResolvers<void>();
  held = isHeld ? release.promise : Promise.resolve();
  const asked = fake.requests.length;
  const path = `/api/chats/${chat}/messages`;
  const { job } = await ask<{ job: { id: string } }>("POST", path, { content: longWords(`turn ${turn}`, 300) });
  if (isHeld) await eventually("the model is asked", () => fake.requests.length > asked);
  if (turn === STEERED) await ask("POST", path, { content: longWords("By the way", 300), on_busy: "steer" });
  for (const slot of turn === KILLED ? service.slots : []) {
    slot.process?.child.kill("SIGKILL");
    await eventually("it is gone", () => slot.url === null);
    await service.serve();
  }
  release.resolve();
  if (turn % 4 === 0) {
    await reached(job.id, "blocked");
    await ask("POST", `/api/jobs/${job.id}/approve`);
  }
  await reached(job.id, "completed");
  await service.serve();
}

test("[RUN-34] each call repeats at least 98 % of the call before it, over replicas that are killed", async () => {
  const { workspaces } = await ask<{ workspaces: { id: string }[] }>("GET", "/api/workspaces");
  for (const format of PREFIX_FORMATS) {
    const agent = await ask<{ id: string }>("POST", "/api/agents", {
      name: format,
      system_prompt: longWords("You keep lists", 2_000),
      model: `${format}:m`,
      allowed_tools: ["create_task"],
      approval_tools: ["create_task"],
    });
    const chat = await ask<{ id: string }>("POST", "/api/chats", {
      agent_id: agent.id,
      workspace_id: workspaces[0]?.id,
    });
    for (let turn = 1; turn <= TURNS; turn++) await take(format, chat.id, turn);
    const bodies = fakes.get(format)!.requests.map(({ body }) => body);
    const parts = repeatedParts(bodies);
    expect({ format, low: parts.filter((part) => part < REPEATED) }).toEqual({ format, low: [] });
    // A call that a kill has lost is made again.
    expect(bodies.length).toBeGreaterThan(2 * TURNS);
  }
});
