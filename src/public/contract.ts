/**
 * The contract as it is committed: the bytes of `docs/openapi.json`, read by the first request (DOC-1); or the
 * part of it that one surface needs, made by the first request for that.
 */
import type { Json, JsonObject } from "../../actors/schema.ts";
import { JSON_FORM, PublicDocument } from "../http/document/document.ts";

export const DOCUMENTED_SURFACES = ["v1", "current"] as const;
export type DocumentedSurface = (typeof DOCUMENTED_SURFACES)[number];

const CONTRACT_FILE = new URL("../../docs/openapi.json", import.meta.url);
const madeDocuments = new Map<string, Promise<PublicDocument>>();

/** The document, or its part for one surface; its paths begin behind `prefix`. */
export function contract(surface?: DocumentedSurface, prefix = ""): Promise<PublicDocument> {
  const key = `${surface ?? "all"} ${prefix}`;
  let document = madeDocuments.get(key);
  if (document === undefined) {
    document = surface === undefined && prefix === "" ? wholeContract() : contractPart(surface, prefix);
    madeDocuments.set(key, document);
  }
  return document;
}

const wholeContract = async (): Promise<PublicDocument> =>
  new PublicDocument(await Bun.file(CONTRACT_FILE).bytes(), JSON_FORM);

async function contractPart(surface: DocumentedSurface | undefined, prefix: string): Promise<PublicDocument> {
  const document = (await Bun.file(CONTRACT_FILE).json()) as JsonObject;
  const part = surface === undefined ? document : surfaceOf(document, surface);
  return PublicDocument.json(prefix === "" ? part : { ...part, servers: [{ url: prefix }] });
}

/** The part of the document that describes one surface: its paths, and the components and tags that they use. */
export function surfaceOf(document: JsonObject, surface: DocumentedSurface): JsonObject {
  const { paths, webhooks, components, tags, ...head } = document;
  const isV1 = (path: string): boolean => path.startsWith("/api/v1/");
  const own = pick(paths as JsonObject, (path) => isV1(path) === (surface === "v1"));
  // The webhook reports changes on both surfaces; its receivers are described on the current one.
  const roots: JsonObject = surface === "v1" ? { paths: own } : { paths: own, webhooks };
  const used = reachable(roots, components as JsonObject);
  const kept: Record<string, JsonObject> = {};
  for (const [section, entries] of Object.entries(components as JsonObject)) {
    const isUsed = (name: string): boolean =>
      section === "securitySchemes" || used.has(`#/components/${section}/${name}`);
    kept[section] = pick(entries as JsonObject, isUsed);
  }
  const named = new Set(Object.values(own).flatMap((item) => Object.values(item as JsonObject).flatMap(tagsOf)));
  const shown = (tags as readonly JsonObject[]).filter(({ name }) => named.has(String(name)));
  return { ...head, tags: shown, ...roots, components: kept };
}

const pick = (object: JsonObject, isKept: (key: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([key]) => isKept(key)));

const tagsOf = (operation: Json | undefined): readonly string[] =>
  typeof operation === "object" && operation !== null && "tags" in operation
    ? (operation.tags as readonly string[])
    : [];

/** The components that these parts refer to, directly or through other components. */
function reachable(roots: JsonObject, components: JsonObject): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting: (Json | undefined)[] = [roots];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== "object" || value === null) continue;
    for (const [key, item] of Object.entries(value)) {
      const target = key === "$ref" && typeof item === "string" && !found.has(item) ? item : null;
      if (target === null) waiting.push(item);
      else {
        found.add(target);
        const [, , section = "", name = ""] = target.split("/");
        waiting.push((components[section] as JsonObject | undefined)?.[name]);
      }
    }
  }
  return found;
}
