/** Every administration command once, however it is brought. */
import { expect } from "bun:test";

/** The answer of a command that works. */
export type Ask = (...args: string[]) => Promise<string>;

export const idIn = (text: string): string => /\b(?:org|usr|tok)_[\w-]{21}/.exec(text)?.[0] ?? "";
export const secretIn = (text: string): string => text.split("\n").at(-1)!;
export const rows = (text: string): readonly string[] => text.split("\n").slice(1);

/** Every command once, in an organization of its own. */
export async function everyCommand(name: string, ask: Ask): Promise<void> {
  const org = idIn(
    await ask("org", "create", "--name", name, "--owner-email", `ada@${name}.test`, "--owner-name", "Ada"),
  );
  expect(org).toStartWith("org_");
  expect(rows(await ask("org", "list")).filter((row) => row.startsWith(org) && row.includes(name))).toHaveLength(1);

  expect(rows(await ask("invariants")).map((row) => row.split(/ +/))).toEqual(
    ["running_jobs_without_owner", "work_without_job", "ended_jobs_with_work", "parked_messages"].map((check) => [
      check,
      "0",
    ]),
  );
  const load = await ask("load");
  expect(load).toMatch(/^The event loop has worked [\d.]+ s for organizations in [\d.]+ s/);
  expect(load).toMatch(/\nWaiting for their turn: 0 requests\. Bodies on their way: 0, 0\.0 MiB\. Open streams: 0\./);
  const used = "It has used 0, at a cost of 0; the month ends at";
  expect(await ask("org", "budget", "--org", org)).toStartWith(
    `${name} may use any number of model tokens a month, at a cost of any amount. ${used}`,
  );
  const budget = await ask("org", "budget", "--org", org, "--tokens", "5000");
  expect(budget).toStartWith(`${name} may use 5000 model tokens a month, at a cost of any amount. ${used}`);
  expect(await ask("org", "budget", "--org", org)).toBe(budget);
  for (const lifted of ["unlimited", "default"]) {
    expect(await ask("org", "budget", "--org", org, "--tokens", lifted)).toContain("any number of");
  }
  const costing = await ask("org", "budget", "--org", org, "--cost", "250.00");
  expect(costing).toStartWith(`${name} may use any number of model tokens a month, at a cost of 250. ${used}`);
  for (const lifted of ["unlimited", "default"]) {
    expect(await ask("org", "budget", "--org", org, "--cost", lifted)).toContain("at a cost of any amount");
  }

  expect(await ask("user", "add", "--org", org, "--email", `bob@${name}.test`, "--name", "Bob B")).toEndWith(
    `is a member of ${name}.`,
  );
  const users = rows(await ask("user", "list", "--org", org));
  expect(users.map((row) => row.split(/ {2,}/).slice(1))).toEqual([
    [`ada@${name}.test`, "Ada", "owner"],
    [`bob@${name}.test`, "Bob B", "member"],
  ]);

  const options = ["--email", `BOB@${name}.test`, "--name", "CI", "--scopes", "tasks:read, agents:read", "--days", "7"];
  const made = await ask("token", "create", "--org", org, ...options);
  expect(made).toContain("scopes tasks:read agents:read. Shown once:\npat_");
  const service = await ask("token", "create", "--org", org, "--email", `ada@${name}.test`, "--service");
  expect(secretIn(service)).toMatch(/^svc_[\w-]{49}$/);
  const tokens = rows(await ask("token", "list", "--org", org));
  expect(tokens).toHaveLength(2);
  expect(tokens[0]).toContain(`…${secretIn(made).slice(-4)}`);
  const daysLeft = (Date.parse(/\d{4}-\S+Z/.exec(tokens[0]!)![0]) - Date.now()) / 86_400_000;
  expect(daysLeft).toBeCloseTo(7, 1);

  expect(await ask("token", "revoke", "--org", org, "--id", idIn(made))).toBe(`Token ${idIn(made)} (CI) is revoked.`);
  expect((await ask("token", "list", "--org", org)).split("\n").find((row) => row.startsWith(idIn(made)))).toContain(
    "revoked",
  );
  expect(await ask("user", "remove", "--org", org, "--email", `bob@${name}.test`)).toContain(
    "their tokens are no longer valid",
  );
  expect(rows(await ask("user", "list", "--org", org))).toHaveLength(1);
}
