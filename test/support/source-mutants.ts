/**
 * Mutants of the sources: one rule is taken out of a copy, and the test that holds it must fail there. A test that fails
 * for no mutant proves nothing.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const ROOT = new URL("../..", import.meta.url).pathname;

/** A run may take so many times the limit of one of its tests. */
const RUN_LIMITS = 6;

/** The file, what is taken out of it, what stands there instead, the file of the tests, a part of the name of one. */
export type SourceMutant = readonly [file: string, from: string, to: string, tests: string, caughtBy: string];

/** A copy of the sources, in which tests run as a process of their own. */
export class MutantFolder {
  private readonly folder = mkdtempSync(join(tmpdir(), "troupe-source-mutant-"));

  constructor() {
    for (const part of ["actors", "test/support", "test/actors", "src"])
      cpSync(join(ROOT, part), join(this.folder, part), { recursive: true });
    for (const part of ["node_modules", "package.json", "db", "library"]) {
      mkdirSync(dirname(join(this.folder, part)), { recursive: true });
      symlinkSync(join(ROOT, part), join(this.folder, part));
    }
  }

  /** How many tests of this name fail with the mutant; throws where the source does not have what it takes out. */
  async failuresWith([file, from, to, tests, caughtBy]: SourceMutant): Promise<Failures> {
    const path = join(this.folder, file);
    const source = readFileSync(path, "utf8");
    if (!source.includes(from)) throw new Error(`${file} does not have \`${from}\``);
    writeFileSync(
      path,
      source.replace(from, () => to),
    );
    try {
      return await this.failures(tests, caughtBy);
    } finally {
      writeFileSync(path, source);
    }
  }

  async failures(tests: string, name = ""): Promise<Failures> {
    // With a mutant what never comes true is a failure too; without one a slow machine has its time.
    const limitMs = name === "" ? 60_000 : 10_000;
    const command = [
      process.execPath,
      "test",
      `--timeout=${limitMs}`,
      ...(name === "" ? [] : ["-t", name]),
      `./${tests}`,
    ];
    const run = Bun.spawn(command, {
      cwd: this.folder,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
      timeout: limitMs * RUN_LIMITS,
      killSignal: "SIGKILL",
    });
    const output = await new Response(run.stderr).text();
    await run.exited;
    // A loop without an end leaves no turn to the time limit of the test.
    if (run.signalCode === "SIGKILL" && name !== "") return { failed: 1, output: `${output}\nended by force` };
    return { failed: Number(/^ *(\d+) fail$/m.exec(output)?.[1] ?? Number.NaN), output };
  }

  end(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

interface Failures {
  readonly failed: number;
  readonly output: string;
}
