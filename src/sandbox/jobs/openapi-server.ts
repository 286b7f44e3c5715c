/** Addresses of the operations of an OpenAPI document. */
import { type Json, type JsonObject, isJsonObject, textOrEmpty } from "../../../actors/schema.ts";
import { type OpenApiDocument, OpenApiFlaw, listIn } from "./openapi-document.ts";

/** The base address of an operation, without a trailing slash. Throws `OpenApiFlaw` if there is none. */
export function serverAddress(
  document: OpenApiDocument,
  of: { readonly item: JsonObject; readonly operation: JsonObject },
  { serverUrl, documentUrl }: { readonly serverUrl: string | null; readonly documentUrl: string | null },
): string {
  if (serverUrl !== null) return serverUrl.replace(/\/+$/, "");
  const [server] = serversOf(document, of);
  // Without servers, the base is the server of the document.
  const named = isJsonObject(server) ? fillVariables(textOrEmpty(server["url"]), server["variables"]) : "/";
  const url = documentUrl === null ? URL.parse(named) : URL.parse(named, documentUrl);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new OpenApiFlaw("The document does not name its server: give `server_url`");
  return (url.origin + url.pathname).replace(/\/+$/, "");
}

/** The servers of an operation: its own, else those of its path, else those of the document. */
const serversOf = (
  document: OpenApiDocument,
  { item, operation }: { readonly item: JsonObject; readonly operation: JsonObject },
): readonly Json[] =>
  [operation["servers"], item["servers"], document.root["servers"]].map(listIn).find((list) => list.length > 0) ?? [];

/** The URL with the defaults of its variables. */
const fillVariables = (url: string, variables: unknown): string =>
  url.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    const variable = isJsonObject(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined;
    return isJsonObject(variable) ? textOrEmpty(variable["default"]) : "";
  });
