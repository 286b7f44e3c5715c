/**
 * Attacks on a service as an operator starts it, while another organization works: all of its requests succeed. Each
 * attack goes on until the other one has done its work, whatever the speed of this machine; `bun run bench floods` has
 * the times.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { FLOOD_NAMES, type FloodWorld, planned, startHostile } from "../../benchmarks/support/floods.ts";
import type { FloodAnswer, FloodQuestion } from "../../benchmarks/support/flood-worker.ts";
import { Lifetime } from "../../benchmarks/support/lifetime.ts";
import { administer, asked, newOrganization, type Organization } from "../../benchmarks/support/organization.ts";
import { type RunningService, startService } from "../../benchmarks/support/service.ts";
import { startWorker, type Worker } from "../../benchmarks/support/worker.ts";
import { findShell } from "../../src/sandbox/shell.ts";
import { until } from "../support/condition.ts";

/** Of the organization beside the attack; each one is a write and a read. */
const ROUNDS = 40;
const CLIENTS = 4;
const LIMIT_MS = 300_000;
const UPLOADS = 64;

const { shell } = await findShell();
const lifetime = new Lifetime();
let service: RunningService;
let world: FloodWorld;
let other: Organization;
let flood: Worker<FloodQuestion, FloodAnswer>;

beforeAll(async () => {
  service = await startService(lifetime, null, { RATE_BUDGETS: "*=999999999", EGRESS_ALLOW: "127.0.0.1" });
  world = { service, lifetime, hostileUrl: await startHostile(lifetime) };
  other = await newOrganization(service, "other");
  flood = startWorker(lifetime, "flood-worker.ts");
}, LIMIT_MS);
afterAll(() => lifetime.end(), LIMIT_MS);

/** The work of the other organization; throws at the first request that fails. */
async function works(): Promise<void> {
  const client = async (): Promise<void> => {
    for (let round = 0; round < ROUNDS; round++) {
      const { id } = await asked(service, other, ["POST", "/api/tasks"], { title: "A small task" });
      expect(await asked(service, other, ["GET", `/api/tasks/${id}`])).toMatchObject({ id });
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

/** A token of a member who is no owner. */
async function memberOf(organization: Organization): Promise<string> {
  const of = { org: organization.id, email: "member@greedy.test" };
  await administer(service, "user add", of);
  return /\bpat_\S+/.exec(await administer(service, "token create", of))?.[0] ?? "";
}

/** Keeps the attack up, each loop with its next step when the last one is answered, until `done` resolves. */
async function beside(step: (count: number) => Promise<unknown>, loops: number): Promise<number> {
  let steps = 0;
  let isOver = false;
  const attack = async (): Promise<void> => {
    while (!isOver) await step(steps++);
  };
  const attacks = Promise.all(Array.from({ length: loops }, attack));
  await until("the attack has begun", () => steps >= loops * 2);
  try {
    await works();
  } finally {
    isOver = true;
    await attacks;
  }
  return steps;
}

const FLOODED = ["MCP batches", "public documents", "bad tokens", "executes", "bodies held open"] as const;

test.each(FLOODED)(
  "[FAIR-2] beside a flood of %s every request of another organization succeeds",
  async (name) => {
    expect(FLOOD_NAMES).toContain(name);
    await flood.ask({ kind: "start", port: service.port, flood: (await planned(world, name)).flood });
    try {
      await works();
    } finally {
      const { answers, sent } = await flood.ask({ kind: "stop" });
      console.log(`${name}: ${sent} requests, ${JSON.stringify(answers)}`);
      expect(Object.keys(answers)).not.toBeEmpty();
      // Whatever it was answered, it is no error of the service.
      for (const status of Object.keys(answers)) expect(["0", "200", "401", "429", "503"]).toContain(status);
    }
  },
  LIMIT_MS,
);

test(
  "[WSP-18] an upload is accepted while another member begins uploads in parts without an end",
  async () => {
    const greedy = await newOrganization(service, "greedy");
    const { id } = await asked(service, greedy, ["POST", "/api/workspaces"], { name: "Uploads" });
    const member = await memberOf(greedy);
    const part = (token: string, path: string) => {
      const sha256 = new Bun.CryptoHasher("sha256").update(path).digest("base64");
      return fetch(`${service.url}/api/workspaces/${id}/files/content?path=${path}`, {
        method: "PUT",
        headers: {
          authorization: `Bearer ${token}`,
          "content-range": "bytes 0-0/1000000",
          "repr-digest": `sha-256=:${sha256}:`,
        },
        body: "x",
      });
    };
    const statuses: Record<number, number> = {};
    const steps = await beside(async (count) => {
      const answer = await part(member, `endless-${count % UPLOADS}.bin`);
      await answer.arrayBuffer();
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    }, 8);
    console.log(`uploads: ${steps} parts, ${JSON.stringify(statuses)}`);
    expect(statuses[503]).toBeGreaterThan(0);
    expect((await part(greedy.token, "small.bin")).status).toBe(202);
  },
  LIMIT_MS,
);

const COMMANDS = [
  ["make processes", "while :; do sleep 100 & done"],
  ["fill the memory", "head -c 8000000000 /dev/zero | tail -c 8000000000 | wc -c"],
  ["never end", "while :; do :; done"],
] as const;

test.skipIf(shell === null).each(COMMANDS)(
  "[WSP-16] beside commands of agents that %s every request of another organization succeeds",
  async (name, command) => {
    const attacker = await newOrganization(service, `shell-${name.replaceAll(" ", "-")}`);
    const settings = { name: "Ada", system_prompt: "Be brief.", allowed_tools: ["shell"] };
    const agent = await asked(service, attacker, ["POST", "/api/agents"], settings);
    const message = `/call shell ${JSON.stringify({ command, timeout_seconds: 2 })}`;
    const steps = await beside(async () => {
      await asked(service, attacker, ["POST", `/api/v1/agents/${agent.id}/execute`], { message });
    }, 2);
    console.log(`${name}: ${steps} commands`);
  },
  LIMIT_MS,
);
