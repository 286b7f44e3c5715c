/**
 * What of `node_modules` ships: the packages that a program needs to run, found as Node finds them, with their
 * licences. What is not installed (another platform's binaries) does not ship.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface ShippedPackage {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
  /** As its author writes it: an SPDX expression, as a rule. Null where nothing is said. */
  readonly license: string | null;
  readonly homepage: string | null;
  /** The folders of the packages that it needs itself. */
  readonly needs: readonly string[];
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: unknown;
  readonly licenses?: unknown;
  readonly homepage?: unknown;
  readonly repository?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** The root of the repository. */
export const ROOT = join(import.meta.dir, "../..");

export const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

/** The packages of these names and all that they need, sorted by name and version. Throws where one is not installed. */
export function packagesNeededBy(names: readonly string[], root = ROOT): readonly ShippedPackage[] {
  const found = new Map<string, ShippedPackage>();
  const add = (name: string, from: string, isNeeded: boolean): string[] => {
    const folder = folderOf(name, from);
    if (folder === null && isNeeded) throw new Error(`${name}, which ${from} needs, is not installed: run bun install`);
    if (folder === null) return [];
    if (found.has(folder)) return [folder];
    const manifest = manifestIn(folder);
    const needs: string[] = [];
    found.set(folder, {
      name: manifest.name,
      version: manifest.version,
      folder,
      license: licenseOf(manifest),
      homepage: addressOf(manifest.homepage) ?? addressOf(manifest.repository),
      needs,
    });
    for (const [needed, isRequired] of neededBy(manifest)) needs.push(...add(needed, folder, isRequired));
    return [folder];
  };
  for (const name of names) add(name, root, true);
  return [...found.values()].toSorted((a, b) => (a.name + a.version < b.name + b.version ? -1 : 1));
}

/** The names, and whether it cannot be without. */
function neededBy({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta }: Manifest) {
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => peerDependenciesMeta?.[name]?.optional !== true);
  return new Map([
    ...peers.map((name) => [name, false] as const),
    ...Object.keys(dependencies ?? {}).map((name) => [name, true] as const),
    ...Object.keys(optionalDependencies ?? {}).map((name) => [name, false] as const),
  ]);
}

/** The nearest `node_modules` upwards has it. */
function folderOf(name: string, from: string): string | null {
  const folder = join(from, "node_modules", name);
  if (existsSync(join(folder, "package.json"))) return folder;
  return from === dirname(from) ? null : folderOf(name, dirname(from));
}

function licenseOf({ license, licenses }: Manifest): string | null {
  if (typeof license === "string") return license;
  const [first] = Array.isArray(licenses) ? licenses : [license];
  return typeof first === "object" && first !== null && "type" in first ? String(first.type) : null;
}

function addressOf(place: unknown): string | null {
  const text = typeof place === "object" && place !== null && "url" in place ? place.url : place;
  return typeof text === "string" && URL.canParse(text) ? text : null;
}

/** The texts of its licence that a package brings, each with the name of its file. */
export function licenseTexts(folder: string): readonly { readonly file: string; readonly text: string }[] {
  return readdirSync(folder)
    .filter((file) => /^(?:licen[cs]e|copying|notice|third-?party-?notices)/i.test(file) && !file.endsWith(".js"))
    .toSorted()
    .map((file) => ({ file, text: readFileSync(join(folder, file), "utf8").trim() }));
}
