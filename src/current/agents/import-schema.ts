/** Tools from an OpenAPI document: the request and the answer (RUN-14). */
import { FreeObject, type JsonObject, Type, WEB_ADDRESS } from "../../../actors/schema.ts";
import { Id, noun, Text } from "../../http/contract/noun.ts";
import { AgentToolView, REQUEST_SETTINGS } from "./tool-schema.ts";

const ADDRESS = "^https?://[^\\s{}]+$";

/** `POST /api/agents/{id}/tools/import`. */
export const ImportToolsBody = Type.Object(
  {
    document: Type.Optional(
      Type.Unsafe<JsonObject>({
        ...FreeObject,
        description: "OpenAPI document, version 3.0 or 3.1; alternatively, send `text` or `url`",
      }),
    ),
    text: Type.Optional(Type.String({ minLength: 1, description: "The document as JSON or YAML" })),
    url: Type.Optional(
      Type.String({
        pattern: "^https?://",
        form: WEB_ADDRESS,
        maxLength: 2_048,
        description: "URL to fetch the document from",
        examples: ["https://shop.example/openapi.json"],
      }),
    ),
    operations: Type.Optional(
      Type.Array(Type.String({ pattern: "^.{1,256}$", form: "1 to 256 characters in one line" }), {
        maxItems: 32,
        uniqueItems: true,
        description:
          "Operations that become tools, by `operationId` or as `GET /path`; they may be omitted only with `dry_run`",
        examples: [["getArticle"]],
      }),
    ),
    prefix: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z0-9_-]{0,32}$",
        form: "at most 32 letters, digits, `_` and `-`",
        description: "Prefix of the names of the tools, which are otherwise those of the operations",
        examples: ["shop_"],
      }),
    ),
    server_url: Type.Optional(
      Type.String({
        pattern: ADDRESS,
        form: `${WEB_ADDRESS}, without spaces and braces`,
        maxLength: 1_024,
        description: "Base URL of the operations; by default the first server of the document",
        examples: ["https://shop.example/v1"],
      }),
    ),
    ...REQUEST_SETTINGS,
    dry_run: Type.Optional(Type.Boolean({ description: "Whether to store nothing and only return the result" })),
  },
  { examples: [{ url: "https://shop.example/openapi.json", operations: ["getArticle"] }] },
);

export const ToolImportView = noun("ToolImport", "Tools made from an OpenAPI document", {
  agent_id: Id("agt", "Agent that has the tools"),
  dry_run: Type.Boolean({ description: "Whether this was a dry run, which stores nothing" }),
  title: Text("Title of the document", "Shop"),
  operations: Type.Array(
    noun("ImportableOperation", "An operation of an OpenAPI document", {
      operation_id: Text("Id to choose the operation by", "getArticle"),
      method: Text("Its method", "GET"),
      path: Text("Its path", "/articles/{article}"),
      summary: Text("Summary from the document", "Reads an article"),
    }),
    { description: "The operations of the document, in its order, at most 300" },
  ),
  operations_total: Type.Integer({ description: "How many operations the document has" }),
  tools: Type.Array(AgentToolView, { description: "The tools of the operations that were chosen" }),
  notes: Type.Array(
    noun("ToolImportNote", "A feature of an operation that its tool lacks", {
      operation_id: Text("Id of the operation", "getArticle"),
      message: Text("What the tool leaves out", "The parameter q is left out: it is a cookie"),
    }),
    { description: "Features of the operations that the tools lack" },
  ),
  version: Type.Integer({ description: "Version of the agent" }),
});
