/**
 * The address of the repository: `repository` of package.json, which the owner of a copy sets there alone. Without it
 * the documents keep their placeholder, and the packages name no address.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { manifestIn, ROOT } from "./packages.ts";

const PLACEHOLDER = "<this repository>";

/** The address in package.json, as npm takes it: a text, or an object with `url`. Null if it is not set. */
export function repositoryAddress(folder = ROOT): string | null {
  const { repository } = manifestIn(folder);
  const given =
    typeof repository === "object" && repository !== null && "url" in repository ? repository.url : repository;
  return typeof given === "string" && given !== "" ? given : null;
}

/** Writes the address into the documents of a release, in the place of the placeholder. */
export function writeRepositoryAddress(folder: string, address: string | null): void {
  if (address === null) return;
  const guides = readdirSync(join(folder, "docs/guides")).map((name) => join("docs/guides", name));
  for (const path of ["README.md", ...guides]) {
    const text = readFileSync(join(folder, path), "utf8");
    if (text.includes(PLACEHOLDER)) writeFileSync(join(folder, path), text.replaceAll(PLACEHOLDER, address));
  }
}
