/** The folder of a child: names of users on a disk, which never leave it (WSP-3, WSP-4). */
import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { parsePath } from "../../actors/workspace/path.ts";
import { empty, fillFolder, makeFolder, type SandboxFile } from "../../src/sandbox/child-folder.ts";
import { launches } from "../../src/sandbox/launch.ts";
import { printedBy } from "../support/sandbox.ts";
import { filePool } from "../../src/sandbox/sandbox.ts";

let root: string;
let folder: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "troupe-folder-")));
  folder = makeFolder(join(root, "children"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const file = (name: string): SandboxFile => ({
  name,
  place: async (path) => {
    await writeFile(path, name, { flag: "wx" });
    return true;
  },
});
/** All that is below the root but not in the folder. */
const outside = (): string[] =>
  readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (path) => !join(root, path).startsWith(folder) && path !== "children",
  );

const piece = fc.oneof(
  fc.constantFrom(
    "..",
    ".",
    "",
    "a",
    "A",
    "~",
    "-rf",
    "$HOME",
    "`x`",
    "%2e%2e",
    "\u2025",
    "\uff0e\uff0e",
    "\u2215",
    "CON",
    "a\u0308",
  ),
  fc.string({ unit: "grapheme", maxLength: 8 }),
);

test("[WSP-3] whatever path a workspace accepts, its file is in the folder, under that name", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 6 }), async (parts) => {
      const path = parsePath(parts.join("/"));
      if (!path.ok) return;
      expect(await fillFolder(folder, [file(path.value.text)])).toBe(true);
      const at = realpathSync(join(folder, path.value.text));
      expect(at.startsWith(`${folder}/`)).toBe(true);
      expect(readFileSync(at, "utf8")).toBe(path.value.text);
      expect(outside()).toEqual([]);
      await empty(folder);
      expect(readdirSync(folder)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test("[WSP-3] a name that would leave the folder is a bug of ours, and reaches no disk", async () => {
  for (const name of ["../x", "a/../../x", "..", "a/../../../x", "x\0y"])
    expect(fillFolder(folder, [file(name)])).rejects.toThrow();
  expect(outside()).toEqual([]);
});

test("[WSP-3] links that were planted between two jobs are not followed", async () => {
  const elsewhere = join(root, "elsewhere");
  mkdirSync(elsewhere);
  await writeFile(join(elsewhere, "secret.csv"), "secret");
  symlinkSync(elsewhere, join(folder, "reports"));
  symlinkSync(join(elsewhere, "secret.csv"), join(folder, "sales.csv"));
  expect(await fillFolder(folder, [file("reports/a.csv"), file("sales.csv")])).toBe(true);
  expect(readdirSync(elsewhere)).toEqual(["secret.csv"]);
  expect(readFileSync(join(elsewhere, "secret.csv"), "utf8")).toBe("secret");
  expect(readFileSync(join(folder, "sales.csv"), "utf8")).toBe("sales.csv");
});

// reason: without bubblewrap a child can write what its user can.
test.skipIf(Bun.which("bwrap") === null)(
  "[WSP-4] [GUARD-1] an isolated child sees its own folder, and cannot put anything there",
  async () => {
    await fillFolder(folder, [file("a/b.csv")]);
    makeFolder(join(root, "children"));
    const [launch] = await launches(filePool(root).needs);
    const look = `
    const { readdirSync, readFileSync, symlinkSync, writeFileSync, existsSync } = require("node:fs");
    const tried = (work) => { try { work(); return "done"; } catch (error) { return error.code; } };
    console.log(JSON.stringify({ cwd: process.cwd(), files: readdirSync("."), text: readFileSync("a/b.csv", "utf8"),
      link: tried(() => symlinkSync("/etc", "x")), write: tried(() => writeFileSync("y", "")), others: existsSync(${JSON.stringify(root)}) }));`;
    expect(JSON.parse(await printedBy(launch, look, folder))).toEqual({
      cwd: "/data",
      files: ["a"],
      text: "a/b.csv",
      link: "EROFS",
      write: "EROFS",
      others: false,
    });
    expect(existsSync(join(folder, "x"))).toBe(false);
  },
);
