/**
 * Writes a release:
 *
 *   bun run release                of the version of package.json, which the changelog has, into `dist/`
 *   bun run release --snapshot     of what is here, between versions
 *   bun run release --to FOLDER    into another folder, in the place of what is there
 *
 *   troupe-<version>.tgz                      the npm package
 *   troupe-<version>-<platform>.tar.gz        the executable with what is beside it
 *   troupe-<version>-<platform>.cdx.json      what it is made of (CycloneDX)
 *   troupe-<version>-licenses.txt             the licences of all that ships
 *   troupe-<version>-notes.md                 the section of the changelog
 *   SHA256SUMS                                of all of them
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import manifest from "../../package.json" with { type: "json" };
import { billOfMaterials, flawsOfBill } from "./bill-of-materials.ts";
import { buildExecutable, PLATFORM } from "./executable.ts";
import { licensesText } from "./license-texts.ts";
import { notesOf } from "./notes.ts";
import { writeNpmPackage } from "./npm-package.ts";
import { ROOT } from "./packages.ts";
import { shippedOn, unknownLicenses } from "./shipped.ts";

interface Order {
  readonly folder: string;
  readonly isSnapshot: boolean;
}

/** Answers the names of the files. Throws with what has to be mended first. */
async function release({ folder, isSnapshot }: Order): Promise<readonly string[]> {
  const changelog = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8");
  const notes = notesOf(changelog, manifest.version, isSnapshot);
  const shipped = shippedOn(PLATFORM);
  const unknown = unknownLicenses(shipped);
  if (unknown.length > 0)
    throw new Error(`Look at these licences first (deploy/release/shipped.ts): ${unknown.join(", ")}`);
  const bill = billOfMaterials(shipped, new Date());
  const flaws = await flawsOfBill(bill);
  if (flaws !== null) throw new Error(`The bill of materials does not keep to its schema: ${flaws}`);
  const licenses = licensesText(shipped);

  rmSync(folder, { recursive: true, force: true });
  const name = `troupe-${manifest.version}`;
  const work = join(folder, "work");
  const npm = join(work, "npm");
  await writeNpmPackage(npm);
  await run(["npm", "pack", "--silent", "--pack-destination", folder], npm);

  const archive = `${name}-${PLATFORM}`;
  await buildExecutable(join(work, archive));
  await Bun.write(join(work, archive, "THIRD-PARTY-LICENSES.txt"), licenses);
  // The same names, owners and order whoever packs it.
  const sorted = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner"];
  await run(["tar", ...sorted, "-czf", join(folder, `${archive}.tar.gz`), archive], work);
  rmSync(work, { recursive: true });

  await Bun.write(join(folder, `${archive}.cdx.json`), bill);
  await Bun.write(join(folder, `${name}-licenses.txt`), licenses);
  await Bun.write(join(folder, `${name}-notes.md`), notes);
  return writeChecksums(folder);
}

/** In the form of `sha256sum --check`. */
async function writeChecksums(folder: string): Promise<readonly string[]> {
  const files = readdirSync(folder).toSorted();
  const lines = files.map(async (file) => {
    const hash = new Bun.CryptoHasher("sha256");
    for await (const bytes of Bun.file(join(folder, file)).stream()) hash.update(bytes);
    return `${hash.digest("hex")}  ${file}\n`;
  });
  const draft = join(folder, ".sums");
  await Bun.write(draft, (await Promise.all(lines)).join(""));
  renameSync(draft, join(folder, "SHA256SUMS"));
  return [...files, "SHA256SUMS"];
}

async function run(cmd: readonly string[], cwd: string): Promise<void> {
  mkdirSync(cwd, { recursive: true });
  const code = await Bun.spawn([...cmd], { cwd, stdout: "ignore", stderr: "inherit" }).exited;
  if (code !== 0) throw new Error(`${cmd.join(" ")} ended with ${code}`);
}

try {
  const options = { snapshot: { type: "boolean" }, to: { type: "string" } } as const;
  const { snapshot = false, to = join(ROOT, "dist") } = parseArgs({ args: process.argv.slice(2), options }).values;
  const folder = resolve(to);
  for (const file of await release({ folder, isSnapshot: snapshot })) console.log(join(folder, file));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
