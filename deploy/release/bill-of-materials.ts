/**
 * What a release is made of, as a CycloneDX document: each package with its licence and the packages that it needs,
 * and the parts that are no packages. Written by the library of CycloneDX itself, and checked against its schema.
 */
import { Contrib, Enums, Models, Serialize, Spec, Validation } from "@cyclonedx/cyclonedx-library";
import parse from "spdx-expression-parse";
import manifest from "../../package.json" with { type: "json" };
import type { Shipped } from "./shipped.ts";

const FORMAT = Spec.Spec1dot6;

/** The document as text. `builtAt`: the time that it names. */
export function billOfMaterials({ packages, parts }: Shipped, builtAt: Date): string {
  const licenses = new Contrib.License.Factories.LicenseFactory((expression) => void parse(expression));
  const licensed = (license: string | null): Models.LicenseRepository =>
    new Models.LicenseRepository(license === null ? [] : [licenses.makeFromString(license)]);

  const service = new Models.Component(Enums.ComponentType.Application, manifest.name, {
    bomRef: `${manifest.name}@${manifest.version}`,
    version: manifest.version,
    licenses: licensed(manifest.license),
  });
  const components = new Map<string, Models.Component>();
  for (const { name, version, folder, license, homepage } of packages) {
    const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
    const [group, bare] = name.startsWith("@") ? name.split("/") : [undefined, name];
    // One version may be installed in several places, with other packages beside it.
    const isThere = [...components.values()].some(({ bomRef }) => bomRef.value === purl);
    const component = new Models.Component(Enums.ComponentType.Library, bare ?? name, {
      bomRef: isThere ? `${purl}#${components.size}` : purl,
      ...(group === undefined ? {} : { group }),
      version,
      purl,
      licenses: licensed(license),
      ...(homepage === null ? {} : { externalReferences: websiteOf(homepage) }),
    });
    components.set(folder, component);
  }
  const direct = new Set(Object.keys(manifest.dependencies));
  for (const { name, folder, needs } of packages) {
    const component = components.get(folder)!;
    if (direct.has(name)) service.dependencies.add(component.bomRef);
    for (const needed of needs) component.dependencies.add(components.get(needed)!.bomRef);
  }
  const named = new Map(packages.map(({ name, folder }) => [name, components.get(folder)!]));
  const others = parts.map(({ name, version, license, within, homepage }) => {
    const part = new Models.Component(Enums.ComponentType.Library, name, {
      bomRef: `part:${within ?? "troupe"}/${name}`,
      ...(version === null ? {} : { version }),
      licenses: licensed(license),
      externalReferences: websiteOf(homepage),
    });
    const owner = within === null ? service : named.get(within);
    if (owner === undefined) throw new Error(`${name} is said to be in ${within ?? ""}, which does not ship`);
    owner.dependencies.add(part.bomRef);
    return part;
  });
  const bill = new Models.Bom({
    metadata: new Models.Metadata({ component: service, timestamp: builtAt }),
    components: new Models.ComponentRepository([...components.values(), ...others]),
  });
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(FORMAT));
  return `${serializer.serialize(bill, { sortLists: true, space: 2 })}\n`;
}

const websiteOf = (url: string): Models.ExternalReferenceRepository =>
  new Models.ExternalReferenceRepository([new Models.ExternalReference(url, Enums.ExternalReferenceType.Website)]);

/** What the schema of CycloneDX finds wrong; null: nothing. */
export const flawsOfBill = async (text: string): Promise<string | null> => {
  const flaws = await new Validation.JsonStrictValidator(FORMAT.version).validate(text);
  return flaws === null ? null : JSON.stringify(flaws);
};
