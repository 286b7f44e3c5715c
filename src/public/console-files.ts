/** The files of the console: built from the sources in `src/console`, or as a release without sources has them. */

export interface ConsoleFile {
  /** With a hash of the content. */
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface BuiltConsole {
  readonly files: readonly ConsoleFile[];
  /** The name of the program's first file. */
  readonly program: string;
  /** The other files that the program needs before it runs. */
  readonly needed: readonly string[];
  readonly style: string;
}

/** What a folder of built files says of them. */
type ConsoleIndex = Omit<BuiltConsole, "files"> & { readonly files: readonly Omit<ConsoleFile, "bytes">[] };

const CONSOLE_SOURCES = Bun.fileURLToPath(new URL("../console/", import.meta.url));
/** Where a release has the built files. */
const BUILT_CONSOLE = Bun.fileURLToPath(new URL("../../console/", import.meta.url));
const CONSOLE_INDEX = "index.json";

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

/** The files of this process: built once. A build that has failed is tried again. */
let ofThisProcess: Promise<BuiltConsole> | null = null;

/** The built files, if there are any; else builds them. Throws with what is wrong. */
export function consoleFiles(): Promise<BuiltConsole> {
  return (ofThisProcess ??= readOrBuild().catch((cause: unknown) => {
    ofThisProcess = null;
    throw cause;
  }));
}

async function readOrBuild(): Promise<BuiltConsole> {
  const index = Bun.file(BUILT_CONSOLE + CONSOLE_INDEX);
  if (!(await index.exists())) return buildConsole();
  const { files, ...names } = (await index.json()) as ConsoleIndex;
  const read = files.map(async (file) => ({ ...file, bytes: await Bun.file(BUILT_CONSOLE + file.name).bytes() }));
  return { ...names, files: await Promise.all(read) };
}

/** Bundles the sources; a tenth of a second. Throws with what the bundler says. */
export async function buildConsole(): Promise<BuiltConsole> {
  const { outputs } = await Bun.build({
    entrypoints: [`${CONSOLE_SOURCES}main.tsx`, `${CONSOLE_SOURCES}console.css`],
    target: "browser",
    minify: true,
    splitting: true,
    naming: { entry: "[name]-[hash].[ext]", chunk: "chunk-[hash].[ext]" },
    // The same whatever the environment of the service is.
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const built = outputs.map(async (output) => {
    const name = output.path.split("/").at(-1) ?? "";
    const contentType = CONTENT_TYPES[name.split(".").at(-1) ?? ""] ?? "application/octet-stream";
    return { name, contentType, bytes: new Uint8Array(await output.arrayBuffer()), kind: output.kind };
  });
  const files = await Promise.all(built);
  const nameOf = (isIt: (file: (typeof files)[number]) => boolean): string => {
    const name = files.find(isIt)?.name;
    if (name === undefined) throw new Error("the bundler has not built the whole console");
    return name;
  };
  const program = nameOf(({ name, kind }) => kind === "entry-point" && name.endsWith(".js"));
  return {
    files: files.map(({ name, contentType, bytes }) => ({ name, contentType, bytes })),
    program,
    needed: neededBy(program, files),
    style: nameOf(({ name }) => name.endsWith(".css")),
  };
}

/** The files that `program` imports before it runs, and those that these import. Pages are imported later. */
function neededBy(program: string, files: readonly ConsoleFile[]): readonly string[] {
  const scanner = new Bun.Transpiler({ loader: "js" });
  const found = new Set([program]);
  for (const name of found) {
    const bytes = files.find((file) => file.name === name)?.bytes;
    for (const { kind, path } of bytes === undefined ? [] : scanner.scanImports(bytes))
      if (kind === "import-statement") found.add(path.replace("./", ""));
  }
  found.delete(program);
  return [...found];
}

/** Writes the built files into a folder, for `consoleFiles` of a release. */
export async function writeConsole(folder: string): Promise<void> {
  const { files, ...names } = await buildConsole();
  const index: ConsoleIndex = { ...names, files: files.map(({ name, contentType }) => ({ name, contentType })) };
  for (const { name, bytes } of files) await Bun.write(`${folder}/${name}`, bytes);
  await Bun.write(`${folder}/${CONSOLE_INDEX}`, JSON.stringify(index));
}
