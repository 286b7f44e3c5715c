/** The licences of all that ships, as one text: who made what, under which licence, and the words of it. */
import { licenseTexts } from "./packages.ts";
import type { Shipped } from "./shipped.ts";

const LINE = "-".repeat(80);

export function licensesText({ packages, parts }: Shipped): string {
  const of = packages.map(({ name, version, license, homepage, folder }) => {
    const texts = licenseTexts(folder).map(({ text }) => text);
    const head = [`${name} ${version}`, `License: ${license ?? ""}`, ...(homepage === null ? [] : [homepage])];
    return [...head, ...texts.map((text) => `\n${text}`)].join("\n");
  });
  const others = parts.map(({ name, version, license, within, homepage }) => {
    const place = within === null ? "" : ` (in ${within})`;
    return [`${name}${version === null ? "" : ` ${version}`}${place}`, `License: ${license}`, homepage].join("\n");
  });
  const intro =
    "Troupe is under the Apache License 2.0 (LICENSE). With it ship these works of others. Texts are those that the\n" +
    "packages bring; where one brings none, its licence is named by its SPDX identifier.\n";
  return `${[intro, ...of, ...others].join(`\n${LINE}\n\n`)}\n`;
}
