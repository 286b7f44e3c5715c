/**
 * Mutants: the runtime with one of its rules taken out. Each is a source patch in `mutants/`, whose
 * first lines say what it takes out and which invariants may find it. It is applied to a copy of the
 * sources, and the simulation runs there as a process of its own; it must break an invariant.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applyPatch } from "./patch.ts";
import { INVARIANTS, type Invariant } from "./violation.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
const PATCHES = join(ROOT, "test/simulation/mutants");
/** Where the simulation begins, in the copy. */
const REPLAY = "test/simulation/replay.ts";

export interface Mutant {
  readonly name: string;
  readonly patch: string;
  /** The invariants that may find it. */
  readonly caughtBy: readonly Invariant[];
  /** A seed that caught it when it was last looked for: the search begins there. */
  readonly from: number;
}

export interface Verdict {
  /** Null: it has survived. */
  readonly invariant: string | null;
  readonly seeds: number;
  readonly output: string;
}

export const mutants = (): readonly Mutant[] =>
  readdirSync(PATCHES)
    .filter((file) => file.endsWith(".patch"))
    .sort()
    .map((file) => {
      const patch = readFileSync(join(PATCHES, file), "utf8");
      const caughtBy = (/^# Caught by: (.*)$/m.exec(patch)?.[1] ?? "").split(", ");
      const known = caughtBy.filter((name): name is Invariant => name in INVARIANTS);
      const from = Number(/^# Seed: (\d+)$/m.exec(patch)?.[1] ?? 1);
      return { name: file.replace(/\.patch$/, ""), patch, caughtBy: known, from };
    });

/** Runs the simulation with the mutant, up to the first seed that breaks an invariant. */
export async function trial({ patch, from }: Pick<Mutant, "patch" | "from">, seeds: number): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-mutant-"));
  try {
    for (const part of ["actors", "test/simulation", "test/support"])
      cpSync(join(ROOT, part), join(folder, part), { recursive: true });
    for (const part of ["node_modules", "package.json"]) symlinkSync(join(ROOT, part), join(folder, part));
    const patched = applyPatch(patch, (path) => readFileSync(join(folder, path), "utf8"));
    for (const [path, text] of patched) writeFileSync(join(folder, path), text);
    const run = Bun.spawn([process.execPath, REPLAY, String(from), String(seeds)], {
      cwd: folder,
      stdout: "pipe",
      stderr: "pipe",
    });
    const [output, errors] = await Promise.all([
      new Response(run.stdout).text(),
      new Response(run.stderr).text(),
      run.exited,
    ]);
    const total = output.trim().split("\n").at(-1) ?? "";
    if (!total.startsWith("{")) throw new Error(`the simulation did not run: ${errors}`);
    const { invariant, seeds: ran } = JSON.parse(total) as { invariant: string | null; seeds: number };
    return { invariant, seeds: ran, output };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
