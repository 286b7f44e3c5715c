/**
 * The JavaScript SDK: the TypeScript one and its examples without their types, which stand beside it in a file of
 * declarations. It is for programs that load no TypeScript: Node before 22.18, and browsers, which import it from
 * its address.
 */
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = new URL("../../", import.meta.url);
/** What the examples use besides the SDK; the compiler has no types of Node there. */
const AMBIENT = "declare const process: { readonly env: Record<string, string | undefined>; exitCode?: number };\n";
const FLAGS = [
  "--strict",
  "--skipLibCheck",
  "--declaration",
  "--rewriteRelativeImportExtensions",
  "--verbatimModuleSyntax",
];
const TARGET = ["--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler", "--types", ""];
const LIBRARIES = ["--lib", "es2022,dom,dom.iterable,dom.asynciterable"];

/** Files of JavaScript by their names. */
export type Compiled = ReadonlyMap<string, string>;

let known: { readonly source: string; readonly made: Promise<Compiled> } | null = null;

/** What the compiler makes of these files in TypeScript, by their names; once for each SDK. */
export function compiled(files: Readonly<Record<string, string>>): Promise<Compiled> {
  const source = JSON.stringify(files);
  if (known?.source !== source) known = { source, made: compile(files) };
  return known.made;
}

async function compile(files: Readonly<Record<string, string>>): Promise<Compiled> {
  const folder = await mkdtemp(join(tmpdir(), "troupe-sdk-"));
  try {
    // For what imports a package: only its types are read.
    await symlink(new URL("node_modules", ROOT).pathname, join(folder, "node_modules"));
    const written = { ...files, "ambient.d.ts": AMBIENT };
    await Promise.all(Object.entries(written).map(([name, text]) => Bun.write(join(folder, name), text)));
    const inputs = Object.keys(written).map((name) => join(folder, name));
    const compiler = ["bun", "--bun", "node_modules/.bin/tsc", "--ignoreConfig", "--outDir", folder];
    const tsc = Bun.spawn([...compiler, ...FLAGS, ...TARGET, ...LIBRARIES, ...inputs], {
      cwd: ROOT.pathname,
      stdout: "pipe",
      stderr: "inherit",
    });
    const complaints = await new Response(tsc.stdout).text();
    if ((await tsc.exited) !== 0) throw new Error(`The TypeScript SDK does not compile: ${complaints}`);
    const outputs = Object.keys(files).flatMap((name) => [
      [name.replace(/\.ts$/, ".js"), name.replace(/\.ts$/, ".mjs")] as const,
      [name.replace(/\.ts$/, ".d.ts"), name.replace(/\.ts$/, ".d.mts")] as const,
    ]);
    const read = async ([made, name]: readonly [string, string]) =>
      [name, inJavaScript(await Bun.file(join(folder, made)).text())] as const;
    return new Map(await Promise.all(outputs.map(read)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const inJavaScript = (code: string): string =>
  code
    .replaceAll('"./troupe.js"', '"./troupe.mjs"')
    .replaceAll("`troupe.ts`", "`troupe.mjs`")
    .replace("The TypeScript SDK of Troupe:", "The JavaScript SDK of Troupe:")
    .replace(
      " (Node from 22.18 on, Bun, Deno).\n * Browsers and an older Node take the JavaScript one beside it.",
      " (Node from 20 on, Bun, Deno, browsers).",
    );
