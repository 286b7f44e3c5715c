/** The names of branches are those that git takes: compared with git itself. */
import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { sampleOf } from "../support/long.ts";
import { BRANCH } from "../../src/current/workspaces/repository-schema.ts";

const PARTS = [
  "a",
  "-",
  ".",
  "..",
  "/",
  "//",
  "@",
  "@{",
  "{",
  "}",
  "HEAD",
  ".lock",
  "lock",
  "ü",
  "日本",
  "🚀",
] as const;
const ODD = "\u0001\t\n \u007f~^:?*[]\\|<>\"'`$&;(),=+!#%\u00a0\u2028".split("");

/** Names of one to three parts, and each odd character at each place; a git starts for each. */
const NAMES: readonly string[] = [
  ...PARTS,
  // Each part is the first one and the second one in the sample too.
  ...PARTS.flatMap((first, i) =>
    sampleOf(
      PARTS.map((second) => first + second),
      4,
      i,
    ),
  ),
  ...ODD.flatMap((one, i) => sampleOf([one, `${one}a`, `a${one}b`, `a${one}`, `a/${one}b`], 5, i)),
  ..."main feature/x a/-b a/b.lock/c a.lockb .a a/.b a./b a. a/ /a a.b a@b a@{b @/a a/@ head refs/heads/a a/HEAD HEAD/a release-1.2+x #12 dependabot/npm/@types/node-1.0".split(
    " ",
  ),
  "a\u2028..b",
  "a\n..b",
  "x".repeat(255),
];

test("[WSP-5] a branch name is accepted exactly if git accepts it", async () => {
  const ours = new RegExp(BRANCH, "u");
  const taken = NAMES.map((name) => ours.test(name));
  const byGit: boolean[] = [];
  for (const name of NAMES) {
    const git = Bun.spawn(["git", "check-ref-format", "--branch", name], {
      cwd: tmpdir(),
      stdio: ["ignore", "ignore", "ignore"],
    });
    byGit.push((await git.exited) === 0);
  }
  const named = (all: readonly boolean[]): object =>
    Object.fromEntries(NAMES.map((name, i) => [JSON.stringify(name), all[i]]));
  expect(named(taken)).toEqual(named(byGit));
  expect(new Set(byGit).size).toBe(2);
  // One that git takes and that is longer than we store.
  expect(ours.test("x".repeat(256))).toBe(false);
});
