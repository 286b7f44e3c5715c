/**
 * `bun run admin`, beside a running service and without one: the same commands, answers and
 * refusals; and what it takes away counts from the next request on.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { bring } from "../support/admin-door.ts";
import { expectRefusals, organizationToRefuse, refusalsIn } from "../support/every-refusal.ts";
import { firstRunOfFile } from "../support/first-run-copy.ts";
import { type Ask, everyCommand, idIn, rows, secretIn } from "../support/every-command.ts";
import { admin, eventually, processesIn, startTroupe, TroupeProcess } from "../support/troupe-process.ts";

let service: TroupeProcess;
let firstOrg: string;

const { folder, first } = firstRunOfFile();
beforeAll(async () => {
  service = await startTroupe(folder);
  firstOrg = await organizationToRefuse(askAtDoor);
});

/** The same by the door of the running service: many commands, of which each would cost a process. */
const askAtDoor: Ask = async (...args) => {
  const { ok, text } = await bring(service.dataDir, args);
  expect([ok, text]).toEqual([true, expect.any(String)]);
  return text.trimEnd();
};
const refusalAtDoor: Ask = async (...args) => {
  const { ok, text } = await bring(service.dataDir, args);
  expect([ok, text]).toEqual([false, expect.any(String)]);
  return text.trimEnd();
};

/** The answer of a command that works. */
async function ask(...args: string[]): Promise<string> {
  const { code, out, err } = await admin(folder, args);
  expect([code, err]).toEqual([0, ""]);
  return out;
}

/** The words of a command that is refused. */
async function refusal(...args: string[]): Promise<string> {
  const { code, out, err } = await admin(folder, args);
  expect([code, out]).toEqual([1, ""]);
  return err;
}

const statusOf = async (token: string): Promise<number> =>
  (await fetch(`${service.url}/api/v1/tasks`, { headers: { authorization: `Bearer ${token}` } })).status;

describe("beside the running service", () => {
  test("[FAIR-1] the load names the organizations that the service has worked for", async () => {
    const org = idIn(await askAtDoor("org", "create", "--name", "busy", "--owner-email", "ada@busy.test"));
    expect(rows(await askAtDoor("load")).some((row) => row.startsWith(org))).toBe(true);
  });

  test("[START-51] every command works", () => everyCommand("running", askAtDoor));

  test("[START-52] every refusal says why", () => expectRefusals(refusalsIn(firstOrg, "First"), refusalAtDoor));

  test("[START-53] a revoked token and a removed user's tokens are invalid from the next request on", async () => {
    const org = idIn(await askAtDoor("org", "create", "--name", "Gone", "--owner-email", "ann@gone.test"));
    const tokens = ["--org", org, "--email", "ann@gone.test"];
    const revoked = await askAtDoor("token", "create", ...tokens);
    const kept = secretIn(await askAtDoor("token", "create", ...tokens));
    expect(await statusOf(secretIn(revoked))).toBe(200);
    await ask("token", "revoke", "--org", org, "--id", idIn(revoked));
    expect([await statusOf(secretIn(revoked)), await statusOf(kept)]).toEqual([401, 200]);

    await askAtDoor("user", "add", "--org", org, "--email", "bea@gone.test", "--owner");
    await ask("user", "remove", "--org", org, "--email", "ann@gone.test");
    expect(await statusOf(kept)).toBe(401);
    // Who comes back gets new tokens; the old ones stay dead.
    await askAtDoor("user", "add", "--org", org, "--email", "ann@gone.test");
    expect(await statusOf(kept)).toBe(401);
    expect(await statusOf(secretIn(await askAtDoor("token", "create", ...tokens)))).toBe(200);
    expect(await statusOf(first.personal)).toBe(200);
  });

  test("[START-53] a new token has exactly the scopes that it was given", async () => {
    const org = idIn(await askAtDoor("org", "list"));
    const reader = secretIn(
      await ask("token", "create", "--org", org, "--email", "owner@localhost", "--scopes", "tasks:read"),
    );
    const write = await fetch(`${service.url}/api/v1/tasks`, {
      method: "POST",
      body: '{"title": "x"}',
      headers: { authorization: `Bearer ${reader}`, "content-type": "application/json" },
    });
    expect([await statusOf(reader), write.status]).toEqual([200, 401]);
  });
});

describe("without a service", () => {
  test("[START-51] commands read and change what is stored, and no process stays", async () => {
    expect(await service.end()).toBe(0);
    const org = idIn(await ask("org", "create", "--name", "stopped", "--owner-email", "ada@stopped.test"));
    const made = await ask("token", "create", "--org", org, "--email", "ada@stopped.test");
    await ask("token", "revoke", "--org", org, "--id", idIn(made));
    expect(rows(await ask("token", "list", "--org", org)).map((row) => row.includes("revoked"))).toEqual([true]);
    await eventually("nothing is left", () => processesIn(service.dataDir).length === 0);
  });

  test("[START-52] every refusal says why, with exit code 1", async () => {
    // Each costs a start of the database, and the code is the same: some will do. All: `alone.long.test.ts`.
    await expectRefusals(
      refusalsIn(firstOrg, "First").filter((_, i) => i % 12 === 0),
      refusal,
    );
  });

  test("[START-54] commands at the same time, and one while the service starts, all get their turn", async () => {
    const list = (): Promise<string> => ask("org", "list");
    const alone = await Promise.all([list(), list()]);
    const starting = new TroupeProcess(folder);
    const holder = Bun.file(join(starting.dataDir, "lock.pid"));
    await eventually("it has the folder", async () => Number(await holder.text()) === starting.pid);
    const beside = [await list()];
    service = await starting.serving();
    expect(new Set([...alone, ...beside, await list()]).size).toBe(1);
    // While it drains, too: then the command runs when the service is gone.
    const stopping = service.end();
    await service.says("draining");
    expect(await list()).toBe(alone[0]);
    expect(await stopping).toBe(0);
  });

  test("[START-54] the help needs no database, and an unknown data folder is not created", async () => {
    const dataDir = join(folder.path, "nowhere");
    expect(await admin(folder, ["--help"], { dataDir })).toMatchObject({
      code: 0,
      // `org export` and `org erase` are refused without it.
      out: expect.stringMatching(/^Usage: bun run admin[^]*except by org export and org erase\./),
    });
    const { code, err } = await admin(folder, ["org", "list"], { dataDir });
    expect([code, err]).toEqual([1, expect.stringContaining(`There is no database in ${dataDir} yet.`)]);
    expect(await Bun.file(dataDir).exists()).toBe(false);
    expect((await admin(folder, ["org", "list"], { dataDir, env: { PORT: "x" } })).code).toBe(78);
  });
});
