/**
 * Tools from an OpenAPI document (RUN-14): lists its operations, and builds tools for the chosen ones. Parameters and
 * the fields of a JSON body become one input schema.
 */
import { cutText } from "../../../actors/cut-text.ts";
import { type JsonObject, isJsonObject, textOrEmpty } from "../../../actors/schema.ts";
import { OpenApiDocument, OpenApiFlaw } from "./openapi-document.ts";
import { type ImportedTool, importedTool } from "./openapi-tool.ts";

/** The most operations in the list. */
const LISTED_OPERATIONS = 300;
/** Characters of an operation's summary in the list. */
const SUMMARY = 120;
const OPERATION_ID_CHARACTERS = 128;
/** Bytes of all tools: an agent can have no more, and an answer has no room for more. */
const IMPORTED_TOOLS_BYTES = 160 * 1024;

const IMPORTED_METHODS = ["get", "post", "put", "patch", "delete"] as const;

/** The chosen operations, and their servers. */
export interface OpenApiChoice {
  /** Their operationIds, or `GET /path`. */
  readonly operations: readonly string[];
  /** A prefix for the names of the tools. */
  readonly prefix: string;
  /** Replaces the document's servers; null keeps them. */
  readonly serverUrl: string | null;
  /** Names of the headers that the tools send, whatever the arguments are. */
  readonly headers: readonly string[];
  /** Where the document was fetched from, or null. */
  readonly documentUrl: string | null;
}

interface OpenApiOperation {
  readonly operation_id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
}

export type OpenApiResult =
  | { readonly kind: "refused"; readonly message: string }
  | {
      readonly kind: "read";
      readonly title: string;
      /** The first operations, and the number of all. */
      readonly operations: readonly OpenApiOperation[];
      readonly total: number;
      readonly tools: readonly ImportedTool[];
      /** What each tool leaves out of its operation. */
      readonly notes: readonly { readonly operation_id: string; readonly message: string }[];
      /** Errors by the index in the choice. */
      readonly errors: readonly { readonly at: number; readonly message: string }[];
    };

interface FoundOperation extends OpenApiOperation {
  readonly item: JsonObject;
  readonly operation: JsonObject;
}

export function openApiTools(options: JsonObject, content: Uint8Array): OpenApiResult {
  const choice = options as unknown as OpenApiChoice;
  try {
    const document = new OpenApiDocument(new TextDecoder().decode(content));
    return chooseOperations(document, choice);
  } catch (cause) {
    if (cause instanceof OpenApiFlaw) return { kind: "refused", message: cause.message };
    throw cause;
  }
}

function chooseOperations(document: OpenApiDocument, choice: OpenApiChoice): OpenApiResult {
  const found = operationsOf(document);
  const byId = new Map(found.toReversed().map((one) => [one.operation_id, one]));
  for (const one of found) byId.set(`${one.method} ${one.path}`, one);
  const tools: ImportedTool[] = [];
  const notes: { operation_id: string; message: string }[] = [];
  const errors: { at: number; message: string }[] = [];
  for (const [at, id] of choice.operations.entries()) {
    const one = byId.get(id);
    if (one === undefined) {
      errors.push({ at, message: `The document has no operation ${id}` });
      continue;
    }
    try {
      const { tool, left } = importedTool(document, one, choice);
      tools.push(tool);
      for (const message of left) notes.push({ operation_id: id, message });
    } catch (cause) {
      if (!(cause instanceof OpenApiFlaw)) throw cause;
      errors.push({ at, message: cause.message });
    }
  }
  if (Buffer.byteLength(JSON.stringify(tools)) > IMPORTED_TOOLS_BYTES)
    return {
      kind: "refused",
      message: `The tools have more than ${IMPORTED_TOOLS_BYTES} bytes: choose fewer operations`,
    };
  const title = cutText(
    textOrEmpty(isJsonObject(document.root["info"]) ? document.root["info"]["title"] : ""),
    SUMMARY,
  );
  const operations = found
    .slice(0, LISTED_OPERATIONS)
    .map(({ operation_id, method, path, summary }) => ({ operation_id, method, path, summary }));
  return { kind: "read", title: title.toWellFormed(), operations, total: found.length, tools, notes, errors };
}

function operationsOf(document: OpenApiDocument): FoundOperation[] {
  const { paths } = document.root;
  if (!isJsonObject(paths)) throw new OpenApiFlaw("The document has no paths");
  return Object.entries(paths).flatMap(([path, given]) => {
    const item = document.resolved(given);
    if (item === undefined || !path.startsWith("/")) return [];
    return IMPORTED_METHODS.flatMap((verb) => {
      const operation = item[verb];
      if (!isJsonObject(operation)) return [];
      const method = verb.toUpperCase();
      const id = textOrEmpty(operation["operationId"]) || `${method} ${path}`;
      const summary = textOrEmpty(operation["summary"]) || textOrEmpty(operation["description"]);
      const shown = {
        operation_id: shortWords(id, OPERATION_ID_CHARACTERS),
        method,
        path: shortWords(path, OPERATION_ID_CHARACTERS),
        summary: shortWords(summary, SUMMARY),
      };
      return [{ ...shown, path, item, operation }];
    });
  });
}

const shortWords = (text: string, most: number): string => cutText(text, most);
