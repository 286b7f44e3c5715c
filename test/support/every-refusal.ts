/** Every refusal of the administration's commands, however they are brought. */
import { expect } from "bun:test";
import { type Ask, idIn } from "./every-command.ts";

type Refusal = readonly [args: readonly string[], words: string | RegExp];

/** Every refusal in an organization that `organizationToRefuse` has made. */
export function refusalsIn(org: string, name: string): readonly Refusal[] {
  const there = ["--org", org];
  return [
    [["user", "list"], "There is more than one organization: choose one with --org"],
    [["user", "list", "--org", "org_nobody"], "There is no organization org_nobody"],
    [["user", "add", ...there], "--email is missing"],
    [["user", "add", ...there, "--email", "no address"], '"no address" is not an e-mail address'],
    [
      ["user", "add", ...there, "--email", "a@b.test", "--name", "x".repeat(101)],
      /^--name must have 1 to 100 characters/,
    ],
    [["user", "add", ...there, "--email", "a@b.test", "--name", "\x1b[2J"], /no control characters$/],
    [["user", "remove", ...there, "--email", "eve@nowhere.test"], `eve@nowhere.test is not a member of ${name}`],
    [
      ["user", "remove", ...there, "--email", "ada@first.test"],
      "An organization needs an owner: make another member an owner first",
    ],
    [
      ["user", "add", ...there, "--email", "ada@first.test"],
      "An organization needs an owner: make another member an owner first",
    ],
    [["org", "create", "--name", " ", "--owner-email", "a@b.test"], "--name is missing"],
    [["org", "create", "--name", "X"], "--owner-email is missing"],
    [["token", "create", ...there, "--email", "eve@nowhere.test"], `eve@nowhere.test is not a member of ${name}`],
    [
      ["token", "create", ...there, "--email", "carl@first.test", "--service"],
      "Only owners can have service tokens: make the user an owner first",
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

export async function expectRefusals(refusals: readonly Refusal[], refusal: Ask): Promise<void> {
  for (const [args, words] of refusals) {
    const said = await refusal(...args);
    if (typeof words === "string") expect(said).toBe(words);
    else expect(said).toMatch(words);
  }
}

/** An organization that has an owner, ada, and a member, carl. Another one must be there too. */
export async function organizationToRefuse(ask: Ask): Promise<string> {
  const org = idIn(await ask("org", "create", "--name", "First", "--owner-email", "ada@first.test"));
  await ask("user", "add", "--org", org, "--email", "carl@first.test");
  return org;
}
