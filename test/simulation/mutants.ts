/**
 * Mutants: the runtime with one of its rules taken out. Each is a source patch in `mutants/`, whose
 * first lines say what it takes out and which invariants may find it. It is applied to a copy of the
 * sources, and the simulation runs there as a process of its own; it must break an invariant.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applyPatch } from "./patch.ts";
import { REPLICAS_FROM } from "./simulation.ts";
import { INVARIANTS, type Invariant } from "./violation.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
const PATCHES = join(ROOT, "test/simulation/mutants");
/** Where the simulation begins, in the copy. */
const REPLAY = "test/simulation/replay.ts";

/** Those that take so few seeds that the fast tests catch them. */
export const QUICK_MUTANTS: ReadonlySet<string> = new Set(["read-before-commit"]);

export interface Mutant {
  readonly name: string;
  readonly patch: string;
  /** The invariants that may find it. */
  readonly caughtBy: readonly Invariant[];
  /** Whether it takes hundreds of seeds: the long tests look for it. */
  readonly isRare: boolean;
  /** Whether it shows among replicas that divide the organizations between them, and is looked for there. */
  readonly isAmongReplicas: boolean;
}

export interface Verdict {
  /** Null: it has survived. */
  readonly invariant: string | null;
  /** Seeds that it took, and how long. */
  readonly seeds: number;
  readonly ms: number;
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
      const [isRare, isAmongReplicas] = [/^# Rare:/m.test(patch), /^# Among replicas\./m.test(patch)];
      return { name: file.replace(/\.patch$/, ""), patch, caughtBy: known, isRare, isAmongReplicas };
    });

/** Runs the simulation with the mutant, from the first seed up to the one that breaks an invariant. */
export async function trial(
  { patch, isAmongReplicas = false }: Pick<Mutant, "patch"> & Partial<Mutant>,
  seeds: number,
): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-mutant-"));
  try {
    for (const part of ["actors", "test/simulation", "test/support"])
      cpSync(join(ROOT, part), join(folder, part), { recursive: true });
    mkdirSync(join(folder, "src"));
    // How work begins goes with the actors; the calendar is given to them as it is.
    for (const part of ["src/work", "src/log", "src/peers"])
      cpSync(join(ROOT, part), join(folder, part), { recursive: true });
    for (const part of ["node_modules", "package.json", "src/schedule", "src/http"])
      symlinkSync(join(ROOT, part), join(folder, part));
    const patched = applyPatch(patch, (path) => readFileSync(join(folder, path), "utf8"));
    for (const [path, text] of patched) writeFileSync(join(folder, path), text);
    const began = performance.now();
    const first = isAmongReplicas ? REPLICAS_FROM + 1 : 1;
    const run = Bun.spawn([process.execPath, REPLAY, String(first), String(seeds)], {
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
    return { invariant, seeds: ran, ms: Math.round(performance.now() - began), output };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Looks for the mutant from seed 1 on; throws when it survives, or breaks what it should not. The answer is
 * the record of what it took: a mutant that becomes harder to find is a simulation that has become weaker.
 */
export async function caught(mutant: Mutant, seeds: number): Promise<string> {
  const { invariant, seeds: taken, ms } = await trial(mutant, seeds);
  if (invariant === null) throw new Error(`${mutant.name} has survived ${seeds} seeds`);
  if (!mutant.caughtBy.some((name) => name === invariant)) throw new Error(`${mutant.name} breaks ${invariant}`);
  return `${mutant.name}: ${invariant} after ${taken} seeds, ${ms} ms`;
}
