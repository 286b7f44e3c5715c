/** Lists and searches of a workspace's files, on PostgreSQL. */
import { beforeAll, beforeEach, expect, test } from "bun:test";
import { PATH_DEPTH } from "../../actors/workspace/path.ts";
import { PostgresFileDirectory } from "../../db/stores/file-directory.ts";
import { serviceOfFile } from "../support/scene.ts";
import type { Founded } from "../support/service.ts";
import { WorkspaceFiles } from "../support/workspace-files.ts";

let founded: Founded;
let files: WorkspaceFiles;
let directory: PostgresFileDirectory;

const service = serviceOfFile();
beforeAll(() => void (directory = new PostgresFileDirectory(service.database)));
beforeEach(async () => {
  founded = await service.found();
  files = new WorkspaceFiles(service.system, founded);
});

const list = async (of: { path?: string; isRecursive?: boolean; after?: string | null; limit?: number } = {}) => {
  const { path = "", isRecursive = false, after = null, limit = 100 } = of;
  await files.settled();
  const { organizationId, workspaceId } = founded;
  const directoryId = path === "" ? workspaceId : await files.idOf(path);
  const query = { organizationId, directoryId, directory: path, isRecursive, after, limit };
  return (await directory.listPlaces(query)).map((listed) => listed.path);
};
const search = async (text: string) => {
  await files.settled();
  return directory.search(founded, text, 100);
};

test("[WSP-11] a directory lists its entries, or everything below it on request, in byte order", async () => {
  for (const path of ["b/2.txt", "b/1.txt", "b.txt", "a/x/y.txt", "Z.txt"]) await files.write(path, path);
  expect(await list()).toEqual(["Z.txt", "a", "b", "b.txt"]);
  expect(await list({ isRecursive: true })).toEqual([
    "Z.txt",
    "a",
    "a/x",
    "a/x/y.txt",
    "b",
    "b.txt",
    "b/1.txt",
    "b/2.txt",
  ]);
  expect(await list({ path: "b" })).toEqual(["b/1.txt", "b/2.txt"]);
});

test("[WSP-11] pages continue where they ended, regardless of writes in between", async () => {
  for (let i = 0; i < 7; i++) await files.write(`d/${i}`, "x");
  const first = await list({ isRecursive: true, limit: 3 });
  expect(first).toEqual(["d", "d/0", "d/1"]);
  await files.write("a", "x");
  await files.remove("d/2");
  expect(await list({ isRecursive: true, after: first.at(-1)!, limit: 3 })).toEqual(["d/3", "d/4", "d/5"]);
});

test("[WSP-11] pages of any size are parts of one list, even if names end before, at and after a slash", async () => {
  // A space, a point and a hyphen come before the slash, digits after it; an emoji after all of the first plane.
  const names = ["b", "b c", "b.c", "b-", "b0", "\u{fa0e}", "\u{1f600}"];
  const paths = names.flatMap((name) => [`${name}/x`, `${name}/b/1`, `${name}/b.c/2`]).concat("b!", "a");
  await Promise.all(paths.map((path) => files.write(path, path)));
  const all = new Set(paths.flatMap((path) => path.split("/").map((_, i, parts) => parts.slice(0, i + 1).join("/"))));
  const sorted = [...all].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  for (const limit of [1, 2, 5, 100]) {
    const listed: string[] = [];
    for (let page = await list({ isRecursive: true, limit }); page.length > 0;) {
      listed.push(...page);
      page = await list({ isRecursive: true, limit, after: page.at(-1)! });
    }
    expect(listed).toEqual(sorted);
  }
  const inB = sorted.filter((path) => path.startsWith("b/"));
  expect(await list({ path: "b", isRecursive: true })).toEqual(inB);
  expect(await list({ path: "b", isRecursive: true, after: inB[1]! })).toEqual(inB.slice(2));
});

test("[WSP-11] nothing of another workspace or organization is listed, and nothing deleted", async () => {
  await files.write("mine", "x");
  await files.write("gone/deep/file", "needle");
  await files.remove("gone");
  await new WorkspaceFiles(service.system, await service.found()).write("theirs", "needle");
  expect(await list({ isRecursive: true })).toEqual(["mine"]);
  expect(await search("needle")).toEqual([]);
});

test("[WSP-11] the deepest path is listed, and can be moved", async () => {
  const deepest = Array.from({ length: PATH_DEPTH }, (_, i) => `${i}`).join("/");
  await files.write(deepest, "x");
  expect(await list({ isRecursive: true })).toHaveLength(PATH_DEPTH);
  const other = Array.from({ length: PATH_DEPTH }, (_, i) => `o${i}`).join("/");
  await files.move(deepest, other);
  expect((await list({ isRecursive: true })).at(-1)).toBe(other);
});

test("[WSP-11] a search finds names, then words of texts with their context", async () => {
  await files.write("notes/needle.md", "nothing");
  await files.write("notes/todo.md", "first line\nbuy a Needle and thread\nlast line");
  await files.write("notes/other.md", "nothing at all");
  await files.move("notes", "moved");
  const found = await search("needle");
  expect(found.map(({ path, excerpt }) => [path, excerpt !== null])).toEqual([
    ["moved/needle.md", false],
    ["moved/todo.md", true],
  ]);
  expect(found[1]!.excerpt).toContain("buy a Needle and thread");
  await files.write("moved/todo.md", "done");
  expect((await search("thread")).map(({ path }) => path)).toEqual([]);
});

test("[WSP-11] a search treats its text literally: it is no pattern, and cannot be an invalid query", async () => {
  await files.write("100%_sure.txt", "x");
  await files.write("100xxsure.txt", "x");
  expect((await search("100%_")).map(({ path }) => path)).toEqual(["100%_sure.txt"]);
  for (const text of ["'", "\\", "a & | ! (", '"', "*", "%", "--", "\u0001"]) await search(text);
});
