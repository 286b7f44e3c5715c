/**
 * `bun run admin`, beside a running service and without one: the same commands, answers and
 * refusals; and what it takes away counts from the next request on.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { bring } from "../support/admin-door.ts";
import { copyFirstRun } from "../support/first-run-copy.ts";
import { type Ask, everyCommand, idIn, rows, secretIn } from "../support/every-command.ts";
import { type GuardedFolder, guardedFolder } from "../support/guarded-folder.ts";
import {
  admin,
  eventually,
  type FirstRunText,
  processesIn,
  startTroupe,
  TroupeProcess,
} from "../support/troupe-process.ts";

let folder: GuardedFolder;
let service: TroupeProcess;
let first: FirstRunText;

beforeAll(async () => {
  folder = guardedFolder();
  first = await copyFirstRun(folder);
  service = await startTroupe(folder);
});
afterAll(() => folder.remove());

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

type Refusal = readonly [args: readonly string[], words: string | RegExp];

/** Every refusal in an organization that has an owner, ada, and a member, carl. */
function refusalsIn(org: string, name: string): readonly Refusal[] {
  const there = ["--org", org];
  return [
    [["user", "list"], "There is more than one organization: say which with --org"],
    [["user", "list", "--org", "org_nobody"], "There is no organization org_nobody"],
    [["user", "add", ...there], "--email is missing"],
    [["user", "add", ...there, "--email", "no address"], '"no address" is not an e-mail address'],
    [
      ["user", "add", ...there, "--email", "a@b.test", "--name", "x".repeat(101)],
      /^--name must have 1 to 100 characters/,
    ],
    [["user", "add", ...there, "--email", "a@b.test", "--name", "\x1b[2J"], /none that controls a terminal$/],
    [["user", "remove", ...there, "--email", "eve@nowhere.test"], `eve@nowhere.test is no member of ${name}`],
    [
      ["user", "remove", ...there, "--email", "ada@first.test"],
      "An organization needs an owner: make another one first",
    ],
    [["user", "add", ...there, "--email", "ada@first.test"], "An organization needs an owner: make another one first"],
    [["org", "create", "--name", " ", "--owner-email", "a@b.test"], "--name is missing"],
    [["org", "create", "--name", "X"], "--owner-email is missing"],
    [["token", "create", ...there, "--email", "eve@nowhere.test"], `eve@nowhere.test is no member of ${name}`],
    [
      ["token", "create", ...there, "--email", "carl@first.test", "--service"],
      "Only an owner's service token is possible: make the user an owner first",
    ],
    [
      ["token", "create", ...there, "--email", "carl@first.test", "--scopes", "tasks:read,fly"],
      /^Unknown scope fly\. There are: agents:read /,
    ],
    [["token", "create", ...there, "--email", "carl@first.test", "--scopes", ","], /^Unknown scope \(none\)/],
    [
      ["token", "create", ...there, "--email", "carl@first.test", "--days", "6"],
      "--days must be a whole number from 7 to 365",
    ],
    [
      ["token", "create", ...there, "--email", "carl@first.test", "--days", "366"],
      "--days must be a whole number from 7 to 365",
    ],
    [
      ["org", "budget", ...there, "--cost", "250,00"],
      "--cost must be an amount above 0 such as 250.00, unlimited or default",
    ],
    [
      ["org", "quota", ...there, "--quota", "agents", "--limit", "-3"],
      "--limit must be a whole number from 0, unlimited or default",
    ],
    [["org", "budget", ...there, "--tokens", "0"], /^--tokens must be a whole number from 1 to /],
    [["token", "revoke", ...there], "--id is missing"],
    [["token", "revoke", ...there, "--id", "tok_unknown"], "There is no such token"],
    [["token", "create", "--scope", "*"], "Unknown option --scope; did you mean `--scopes`?"],
    [["org", "lst"], 'Unknown command "org lst"; did you mean `org list`?'],
    [["constructor"], 'Unknown command "constructor"; `bun run admin --help` lists all'],
    [["org"], /^Unknown command "org"; /],
    [[], /^Usage: bun run admin <command>/],
  ];
}

async function expectRefusals(refusals: readonly Refusal[], refusal: Ask): Promise<void> {
  for (const [args, words] of refusals) {
    const said = await refusal(...args);
    if (typeof words === "string") expect(said).toBe(words);
    else expect(said).toMatch(words);
  }
}

async function makeFirst(): Promise<string> {
  const org = idIn(await ask("org", "create", "--name", "First", "--owner-email", "ada@first.test"));
  await ask("user", "add", "--org", org, "--email", "carl@first.test");
  return org;
}

describe("beside the running service", () => {
  test("[FAIR-1] the load names the organizations that the service has worked for", async () => {
    const org = idIn(await ask("org", "create", "--name", "busy", "--owner-email", "ada@busy.test"));
    expect(rows(await ask("load")).some((row) => row.startsWith(org))).toBe(true);
  });

  test("[START-51] every command works", () => everyCommand("running", askAtDoor));

  test("[START-52] every refusal says why", async () =>
    expectRefusals(refusalsIn(await makeFirst(), "First"), refusalAtDoor));

  test("[START-53] a revoked token and a removed user's tokens count no more from the next request on", async () => {
    const org = idIn(await ask("org", "create", "--name", "Gone", "--owner-email", "ann@gone.test"));
    const tokens = ["--org", org, "--email", "ann@gone.test"];
    const revoked = await ask("token", "create", ...tokens);
    const kept = secretIn(await ask("token", "create", ...tokens));
    expect(await statusOf(secretIn(revoked))).toBe(200);
    await ask("token", "revoke", "--org", org, "--id", idIn(revoked));
    expect([await statusOf(secretIn(revoked)), await statusOf(kept)]).toEqual([401, 200]);

    await ask("user", "add", "--org", org, "--email", "bea@gone.test", "--owner");
    await ask("user", "remove", "--org", org, "--email", "ann@gone.test");
    expect(await statusOf(kept)).toBe(401);
    // Who comes back gets new tokens; the old ones stay dead.
    await ask("user", "add", "--org", org, "--email", "ann@gone.test");
    expect(await statusOf(kept)).toBe(401);
    expect(await statusOf(secretIn(await ask("token", "create", ...tokens)))).toBe(200);
    expect(await statusOf(first.personal)).toBe(200);
  });

  test("[START-53] what a new token may do is what it was given", async () => {
    const org = idIn(await ask("org", "list"));
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
    await ask("user", "add", "--org", org, "--email", "bob@stopped.test");
    const made = await ask("token", "create", "--org", org, "--email", "bob@stopped.test");
    await ask("token", "revoke", "--org", org, "--id", idIn(made));
    expect(rows(await ask("token", "list", "--org", org)).map((row) => row.includes("revoked"))).toEqual([true]);
    await eventually("nothing is left", () => processesIn(service.dataDir).length === 0);
  });

  test("[START-52] every refusal says why, with exit code 1", async () => {
    const org = (await ask("org", "list")).split("\n").find((row) => row.includes(" First "))!;
    // Each costs a start of the database, and the code is the same: one of each kind will do.
    await expectRefusals(
      refusalsIn(idIn(org), "First").filter((_, i) => i % 5 === 0),
      refusal,
    );
  });

  test("[START-54] commands at the same time, and one while the service starts, all get their turn", async () => {
    const list = (): Promise<string> => ask("org", "list");
    const alone = await Promise.all([list(), list(), list()]);
    const starting = new TroupeProcess(folder);
    const holder = Bun.file(join(starting.dataDir, "lock.pid"));
    await eventually("it has the folder", async () => Number(await holder.text()) === starting.pid);
    const beside = await Promise.all([list(), list()]);
    service = await starting.serving();
    expect(new Set([...alone, ...beside, await list()]).size).toBe(1);
    // While it drains, too: then the command runs when the service is gone.
    const stopping = service.end();
    await service.says("draining");
    expect(await list()).toBe(alone[0]);
    expect(await stopping).toBe(0);
  });

  test("[START-54] the help needs no database, and an unknown data folder is not made", async () => {
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
