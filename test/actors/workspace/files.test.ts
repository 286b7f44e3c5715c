/** Files of a workspace: what is written, moved and deleted, and that what directories count is always true. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { MAX_VERSIONS, VERSION_MS } from "../../../actors/workspace/limits.ts";
import type { DeletedDirectory, Version } from "../../../actors/workspace/schema.ts";
import { World } from "../../support/replica.ts";
import { contentOf, Workspace } from "../../support/workspace-replica.ts";

const open = (): Promise<Workspace> => Workspace.open(new World());

test("[WSP-8] a file is written with its missing parent directories, and counts in each of them", async () => {
  const workspace = await open();
  expect(await workspace.write("a/b/one.txt")).toMatchObject({
    ok: true,
    value: { path: "a/b/one.txt", isNew: true, place: { node: { number: 1, size: 10, by: { id: "usr_1" } } } },
  });
  await workspace.write("a/two.txt", contentOf("b", 5));
  expect([...workspace.listing().keys()].toSorted()).toEqual(["a", "a/b", "a/b/one.txt", "a/two.txt"]);
  expect(await workspace.totals()).toEqual({ bytes: 15, files: 2, directories: 2 });
  expect(await workspace.read("a")).toMatchObject({
    value: { place: { node: { bytes: 15, files: 2, directories: 1 } } },
  });
  expect(await workspace.read("a/b")).toMatchObject({ value: { place: { node: { bytes: 10, files: 1 } } } });
});

test("[WSP-3] every spelling of a path is the same file, which keeps the name that it was created with", async () => {
  const workspace = await open();
  await workspace.write("Straße/Café.md");
  expect(await workspace.write("STRASSE/cafe\u0301.MD", contentOf("b"))).toMatchObject({
    value: { path: "Straße/Café.md", isNew: false, place: { node: { number: 2 } } },
  });
  expect(await workspace.totals()).toEqual({ bytes: 10, files: 1, directories: 1 });
});

test("[WSP-8] nothing is created at a path that something else has", async () => {
  const workspace = await open();
  await workspace.write("a/file");
  expect(await workspace.write("a/file/below")).toMatchObject({ fault: { kind: "path_exists", path: "a/file" } });
  expect(await workspace.write("A")).toMatchObject({ fault: { kind: "path_exists", path: "a" } });
  expect(await workspace.mkdir("a/file")).toMatchObject({ fault: { kind: "path_exists", path: "a/file" } });
  expect(await workspace.mkdir("a")).toMatchObject({ value: { isNew: false } });
  expect(await workspace.mkdir("a/c/d")).toMatchObject({ value: { isNew: true, path: "a/c/d" } });
  expect(await workspace.read("a/file/below")).toMatchObject({ fault: { kind: "not_found", noun: "file" } });
  expect(await workspace.totals()).toEqual({ bytes: 10, files: 1, directories: 3 });
});

test("[WSP-9] a write can require the version that the caller has seen, and is refused if that has changed", async () => {
  const workspace = await open();
  const present = (letter: string) => ({ kind: "present", sha256: [letter.repeat(64)] }) as const;
  expect(await workspace.write("f", contentOf("a"), { kind: "present", sha256: null })).toMatchObject({
    fault: { kind: "version_conflict", version: 0 },
  });
  await workspace.write("f", contentOf("a"), { kind: "absent" });
  expect(await workspace.write("f", contentOf("b"), { kind: "absent" })).toMatchObject({
    fault: { kind: "path_exists" },
  });
  expect((await workspace.write("f", contentOf("b"), present("a"))).ok).toBe(true);
  expect(await workspace.write("f", contentOf("c"), present("a"))).toMatchObject({
    fault: { kind: "version_conflict", version: 2 },
  });
  expect(await workspace.remove("f", false, present("a"))).toMatchObject({ fault: { kind: "version_conflict" } });
  expect((await workspace.remove("f", false, present("b"))).ok).toBe(true);
});

test("[WSP-9] of two writers who have seen the same version, one is refused", async () => {
  const workspace = await open();
  await workspace.write("f");
  const seen = { kind: "present", sha256: ["a".repeat(64)] } as const;
  const outcomes = await Promise.all(["b", "c", "d"].map((letter) => workspace.write("f", contentOf(letter), seen)));
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
});

test("[WSP-9] the same content again is not a change", async () => {
  const workspace = await open();
  await workspace.write("f");
  expect(await workspace.write("f")).toMatchObject({ value: { isNew: false, place: { node: { number: 1 } } } });
  expect(workspace.stored("workspace_version")).toEqual([]);
});

test("[WSP-10] overwritten and deleted content is kept for 30 days, and a file continues where it was deleted", async () => {
  const workspace = await open();
  await workspace.write("f", contentOf("a"));
  await workspace.write("f", contentOf("b"));
  await workspace.remove("f");
  const now = workspace.replica.world.clock.now();
  expect(await workspace.history("f")).toMatchObject({ value: { number: 2, current: null } });
  expect(await workspace.write("f", contentOf("c"))).toMatchObject({
    value: { isNew: true, place: { node: { number: 3 } } },
  });
  const versions = workspace.stored<Version>("workspace_version");
  expect(versions.map(({ number, sha256, keptUntil }) => [number, sha256[0], Date.parse(keptUntil) - now])).toEqual([
    [1, "a", VERSION_MS],
    [2, "b", VERSION_MS],
  ]);
});

test("[WSP-10] of one file no more versions are kept than the limit", async () => {
  const workspace = await open();
  for (let i = 0; i < MAX_VERSIONS + 3; i++) await workspace.write("f", contentOf("ab"[i % 2]!));
  const now = workspace.replica.world.clock.now();
  const kept = workspace.stored<Version>("workspace_version").filter(({ keptUntil }) => Date.parse(keptUntil) > now);
  expect(kept).toHaveLength(MAX_VERSIONS);
});

test("[WSP-8] a directory is moved with its contents, by changing only its two places", async () => {
  const workspace = await open();
  for (let i = 0; i < 20; i++) await workspace.write(`from/deep/${i}`, contentOf("a", 1));
  const { flushed } = workspace.replica.store;
  const before = flushed.length;
  expect(await workspace.move("from/deep", "to/there")).toMatchObject({ value: { path: "to/there" } });
  const records = flushed.slice(before).flatMap((batch) => batch.flatMap(({ writes }) => writes.records));
  expect(records.filter(({ table }) => table === "workspace_place")).toHaveLength(5);
  expect(workspace.listing().get("to/there/7")).toBe("a");
  expect(await workspace.totals()).toEqual({ bytes: 20, files: 20, directories: 3 });
  expect(await workspace.read("from")).toMatchObject({
    value: { place: { node: { bytes: 0, files: 0, directories: 0 } } },
  });
});

test("[WSP-2] a move overwrites only on request, and never a directory that is not empty", async () => {
  const workspace = await open();
  await workspace.write("a", contentOf("a", 3));
  await workspace.write("b", contentOf("b", 4));
  await workspace.write("d/x");
  expect(await workspace.move("a", "b")).toMatchObject({ fault: { kind: "path_exists", path: "b" } });
  expect(await workspace.move("a", "d", true)).toMatchObject({ fault: { kind: "path_exists", path: "d" } });
  expect(await workspace.move("a", "b", true)).toMatchObject({ value: { place: { node: { number: 2, size: 3 } } } });
  expect([...workspace.listing()]).toEqual(expect.arrayContaining([["b", "a"]]));
  expect(workspace.listing().has("a")).toBe(false);
  await workspace.mkdir("e");
  expect(await workspace.move("e", "d", true)).toMatchObject({ fault: { kind: "path_exists" } });
  expect(await workspace.move("d", "e", true)).toMatchObject({ ok: true });
  expect(await workspace.totals()).toEqual({ bytes: 13, files: 2, directories: 1 });
});

test("[WSP-8] a directory is not moved into itself, and a change of case renames", async () => {
  const workspace = await open();
  await workspace.write("Dir/x");
  expect(await workspace.move("Dir", "dir/inner")).toMatchObject({ fault: { kind: "invalid_path", field: "to" } });
  expect(await workspace.move("Dir", "dIR")).toMatchObject({ value: { path: "dIR" } });
  expect([...workspace.listing().keys()]).toEqual(["dIR", "dIR/x"]);
});

test("[WSP-8] a directory that has changed since its caller read its contents is not moved", async () => {
  const workspace = await open();
  await workspace.write("d/x");
  const looked = await workspace.read("d");
  const seen = looked.ok ? looked.value.place.version : 0;
  await workspace.write("d/y/z");
  expect(await workspace.move("d", "e", false, seen)).toMatchObject({ fault: { kind: "unavailable" } });
  expect(await workspace.move("d", "e", false, seen + 1)).toMatchObject({ ok: true });
});

test("[WSP-8] a directory that is not empty is deleted only together with its contents", async () => {
  const workspace = await open();
  await workspace.write("d/e/x");
  expect(await workspace.remove("d")).toMatchObject({ fault: { kind: "path_exists", path: "d" } });
  expect((await workspace.remove("d", true)).ok).toBe(true);
  expect(await workspace.totals()).toEqual({ bytes: 0, files: 0, directories: 0 });
  expect(await workspace.read("d/e/x")).toMatchObject({ fault: { kind: "not_found" } });
  expect(workspace.stored<DeletedDirectory>("workspace_deleted_directory")).toHaveLength(1);
  await workspace.write("d/new");
  expect([...workspace.listing().keys()]).toEqual(["d", "d/new"]);
});

test("[WSP-6] a file and a workspace hold as much as their limits allow, and not a byte more", async () => {
  const workspace = await Workspace.open(new World(), { fileBytes: 100, workspaceBytes: 150 });
  expect((await workspace.write("a", contentOf("a", 100))).ok).toBe(true);
  expect(await workspace.write("b", contentOf("a", 101))).toMatchObject({
    fault: { kind: "payload_too_large", limitBytes: 100 },
  });
  expect(await workspace.write("b", contentOf("b", 51))).toMatchObject({
    fault: { kind: "payload_too_large", limitBytes: 150 },
  });
  expect((await workspace.write("b", contentOf("b", 50))).ok).toBe(true);
  expect((await workspace.write("a", contentOf("c", 90))).ok).toBe(true);
  expect(await workspace.totals()).toEqual({ bytes: 140, files: 2, directories: 0 });
});

test("[WSP-1] a deleted workspace is gone for every command", async () => {
  const workspace = await open();
  await workspace.write("a");
  expect((await workspace.ask({ kind: "delete_workspace" })).ok).toBe(true);
  for (const outcome of [
    await workspace.read("a"),
    await workspace.write("b"),
    await workspace.ask({ kind: "read_workspace" }),
  ])
    expect(outcome).toMatchObject({ fault: { kind: "not_found", noun: "workspace" } });
});

/** What a workspace should do, in the simplest way: a map of paths. */
class Model {
  readonly files = new Map<string, string>();
  readonly directories = new Set<string>();

  has(path: string): "file" | "directory" | null {
    return this.files.has(path) ? "file" : this.directories.has(path) ? "directory" : null;
  }
  private parents(path: string): string[] {
    const names = path.split("/").slice(0, -1);
    return names.map((_, i) => names.slice(0, i + 1).join("/"));
  }
  private canMake(path: string): boolean {
    return this.parents(path).every((parent) => this.has(parent) !== "file");
  }
  private below(path: string): string[] {
    return [...this.files.keys(), ...this.directories].filter((one) => one.startsWith(`${path}/`));
  }
  private make(path: string): void {
    for (const parent of this.parents(path)) this.directories.add(parent);
  }
  private drop(path: string): void {
    for (const one of [path, ...this.below(path)]) {
      this.files.delete(one);
      this.directories.delete(one);
    }
  }

  write(path: string, letter: string): boolean {
    if (!this.canMake(path) || this.has(path) === "directory") return false;
    this.make(path);
    this.files.set(path, letter);
    return true;
  }
  mkdir(path: string): boolean {
    if (!this.canMake(path) || this.has(path) === "file") return false;
    this.make(path);
    this.directories.add(path);
    return true;
  }
  remove(path: string, isRecursive: boolean): boolean {
    if (this.has(path) === null || (!isRecursive && this.below(path).length > 0)) return false;
    this.drop(path);
    return true;
  }
  move(from: string, to: string, overwrite: boolean): boolean {
    const kind = this.has(from);
    if (kind === null || to.startsWith(`${from}/`) || !this.canMake(to)) return false;
    if (from === to) return true;
    const there = this.has(to);
    if (there !== null && (!overwrite || there !== kind || this.below(to).length > 0)) return false;
    const moved = [from, ...this.below(from)].map((path) => [path, this.files.get(path) ?? null] as const);
    this.drop(from);
    this.drop(to);
    this.make(to);
    for (const [path, letter] of moved) {
      const target = `${to}${path.slice(from.length)}`;
      if (letter === null) this.directories.add(target);
      else this.files.set(target, letter);
    }
    return true;
  }
}

const path = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("write" as const), path, letter: fc.constantFrom("1", "2", "3") }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("mkdir" as const), path }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("remove" as const), path, isRecursive: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("move" as const), path, to: path, overwrite: fc.boolean() }) },
);
const SIZES: Readonly<Record<string, number>> = { "1": 1, "2": 20, "3": 300 };

test("[WSP-8] after any changes a workspace has the same files as a map of paths, and counts them", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
      const workspace = await Workspace.open(new World(), { fileBytes: 1_000, workspaceBytes: 1_000_000 });
      const model = new Model();
      for (const one of steps) {
        const [expected, actual] =
          one.do === "write"
            ? [
                model.write(one.path, one.letter),
                await workspace.write(one.path, contentOf(one.letter, SIZES[one.letter])),
              ]
            : one.do === "mkdir"
              ? [model.mkdir(one.path), await workspace.mkdir(one.path)]
              : one.do === "remove"
                ? [model.remove(one.path, one.isRecursive), await workspace.remove(one.path, one.isRecursive)]
                : [model.move(one.path, one.to, one.overwrite), await workspace.move(one.path, one.to, one.overwrite)];
        expect([one, actual.ok]).toEqual([one, expected]);
        const listing = workspace.listing();
        const files = [...listing].filter(([, letter]) => letter !== null);
        expect(Object.fromEntries(files)).toEqual(Object.fromEntries(model.files));
        expect(listing.size - files.length).toBe(model.directories.size);
        expect(await workspace.totals()).toEqual({
          bytes: [...model.files.values()].reduce((sum, letter) => sum + SIZES[letter]!, 0),
          files: model.files.size,
          directories: model.directories.size,
        });
      }
      await workspace.replica.system.stop();
    }),
    { numRuns: 60 },
  );
});
