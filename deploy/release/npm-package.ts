/**
 * The npm package: the sources as they are, a command that needs Node only, and Bun as a dependency. The database
 * driver is inside (`bundleDependencies`): it is the patched one, and a patch of ours means nothing to npm.
 */
import { chmodSync, cpSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeConsole } from "../../src/public/console-files.ts";
import { manifestIn, ROOT } from "./packages.ts";
import { repositoryAddress, writeRepositoryAddress } from "./repository.ts";

const SHIPPED = [
  "CHANGELOG.md",
  "LICENSE",
  "README.md",
  "actors",
  "db",
  "docs",
  "library",
  "sdk/javascript",
  "sdk/python",
  "sdk/typescript",
  "src",
  "tsconfig.json",
  "vendor",
];
/** `drizzle-orm` imports the driver, and has to find that one. */
const BUNDLED = ["drizzle-orm", "postgres"];

/** Writes the folder of the package, in the place of what is there; `npm pack` makes the tarball of it. */
export async function writeNpmPackage(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  for (const path of [...SHIPPED, ...BUNDLED.map((name) => `node_modules/${name}`)]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  }
  await writeConsole(join(folder, "console"));
  writeRepositoryAddress(folder, repositoryAddress());
  cpSync(join(ROOT, "deploy/npm/troupe.mjs"), join(folder, "troupe.mjs"));
  chmodSync(join(folder, "troupe.mjs"), 0o755);
  await Bun.write(join(folder, "package.json"), `${JSON.stringify(npmManifest(), null, 2)}\n`);
}

function npmManifest() {
  const { name, version, license, type, packageManager, dependencies } = manifestIn(ROOT) as ReturnType<
    typeof manifestIn
  > & { readonly type: string; readonly packageManager: string };
  const [, bun = ""] = packageManager.split("bun@");
  const address = repositoryAddress();
  return {
    name,
    version,
    description: "Hosts AI agents for an organization and lets programs drive them over HTTP",
    license,
    ...(address === null ? {} : { repository: { type: "git", url: address } }),
    // The registry's package of this name may be anybody's: `npm publish` refuses until somebody owns it.
    private: true,
    type,
    bin: { troupe: "troupe.mjs" },
    files: [...SHIPPED, "console", "troupe.mjs"],
    engines: { node: ">=20" },
    dependencies: { ...dependencies, bun },
    // For `sdk/*/ag-ui`, whose programs bring their own.
    peerDependencies: { "@ag-ui/client": "^1.0.0" },
    peerDependenciesMeta: { "@ag-ui/client": { optional: true } },
    bundleDependencies: BUNDLED,
  };
}
