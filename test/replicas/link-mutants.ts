/**
 * Mutants of the link between two replicas: its code with one of its rules taken out. Each is a source patch in
 * `mutants/`, whose first lines say what it takes out and which test finds it. It is applied to a copy of the sources,
 * and that test runs there as a process of its own; it must fail, and must not where nothing is taken out.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applyPatch } from "../simulation/patch.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
const PATCHES = join(import.meta.dir, "mutants");
/** The tests of the link, of which one must fail. */
export const LINK_TESTS = [
  "./test/replicas/link.test.ts",
  "./test/replicas/link-calls.test.ts",
  "./test/replicas/plain-answers.test.ts",
];
/** With a mutant what never comes true is a failure too; without one a slow machine has its time. */
const MUTANT_LIMIT_MS = 3_000;
const TEST_LIMIT_MS = 60_000;

export interface LinkMutant {
  readonly name: string;
  readonly patch: string;
  /** A part of the name of the test that finds it. */
  readonly caughtBy: string;
}

export const linkMutants = (): readonly LinkMutant[] =>
  readdirSync(PATCHES)
    .filter((file) => file.endsWith(".patch"))
    .sort()
    .map((file) => {
      const patch = readFileSync(join(PATCHES, file), "utf8");
      const caughtBy = /^# Caught by: (.*)$/m.exec(patch)?.[1];
      if (caughtBy === undefined) throw new Error(`${file} does not say which test finds it`);
      return { name: file.replace(/\.patch$/, ""), patch, caughtBy };
    });

/** Runs the test with the mutant, or without one: how many have passed and how many have failed. */
export async function linkTrial(
  caughtBy: string,
  patch: string | null,
): Promise<{ readonly passed: number; readonly failed: number; readonly output: string }> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-link-mutant-"));
  try {
    mkdirSync(join(folder, "src"));
    for (const part of ["src/peers", "test/support", "test/replicas"])
      cpSync(join(ROOT, part), join(folder, part), { recursive: true });
    for (const part of ["node_modules", "package.json", "actors", "src/http", "src/log"])
      symlinkSync(join(ROOT, part), join(folder, part));
    const patched = patch === null ? [] : applyPatch(patch, (path) => readFileSync(join(folder, path), "utf8"));
    for (const [path, text] of patched) writeFileSync(join(folder, path), text);
    const limitMs = patch === null ? TEST_LIMIT_MS : MUTANT_LIMIT_MS;
    const command = [process.execPath, "test", `--timeout=${limitMs}`, "-t", escaped(caughtBy), ...LINK_TESTS];
    const run = Bun.spawn(command, { cwd: folder, stdout: "pipe", stderr: "pipe" });
    const [out, output] = await Promise.all([
      new Response(run.stdout).text(),
      new Response(run.stderr).text(),
      run.exited,
    ]);
    const count = (what: string): number => Number(new RegExp(`^ *(\\d+) ${what}$`, "m").exec(output)?.[1] ?? 0);
    return { passed: count("pass"), failed: count("fail"), output: out + output };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
