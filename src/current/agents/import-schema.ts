/** Tools from an OpenAPI document: the request and the answer (RUN-14). */
import { WEB_ADDRESS } from "../../../actors/job/connections.ts";
import { type JsonObject, Type } from "../../../actors/schema.ts";
import { FreeObject } from "../../http/contract/body-schema.ts";
import { Id, noun, Text } from "../../http/contract/noun.ts";
import { AgentToolView, REQUEST_SETTINGS } from "./tool-schema.ts";

const ADDRESS = "^https?://[^\\s{}]+$";

/** `POST /api/agents/{id}/tools/import`. */
export const ImportToolsBody = Type.Object(
  {
    document: Type.Optional(
      Type.Unsafe<JsonObject>({
        ...FreeObject,
        description: "The OpenAPI document, of version 3.0 or 3.1; or `text`, or `url`",
      }),
    ),
    text: Type.Optional(Type.String({ minLength: 1, description: "The document as JSON or YAML" })),
    url: Type.Optional(
      Type.String({
        pattern: "^https?://",
        form: WEB_ADDRESS,
        maxLength: 2_048,
        description: "Where the document is fetched from",
        examples: ["https://shop.example/openapi.json"],
      }),
    ),
    operations: Type.Optional(
      Type.Array(Type.String({ pattern: "^.{1,256}$", form: "1 to 256 characters in one line" }), {
        maxItems: 32,
        uniqueItems: true,
        description:
          "The operations that become tools, by `operationId` or as `GET /path`; only a `dry_run` can do without",
        examples: [["getArticle"]],
      }),
    ),
    prefix: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z0-9_-]{0,32}$",
        form: "at most 32 letters, digits, `_` and `-`",
        description: "Before the names of the tools, which are those of their operations",
        examples: ["shop_"],
      }),
    ),
    server_url: Type.Optional(
      Type.String({
        pattern: ADDRESS,
        form: `${WEB_ADDRESS}, without spaces and braces`,
        maxLength: 1_024,
        description: "Where the operations are; the first server of the document by default",
        examples: ["https://shop.example/v1"],
      }),
    ),
    ...REQUEST_SETTINGS,
    dry_run: Type.Optional(Type.Boolean({ description: "Whether nothing is stored: the answer shows what would be" })),
  },
  { examples: [{ url: "https://shop.example/openapi.json", operations: ["getArticle"] }] },
);

export const ToolImportView = noun("ToolImport", "Tools made from an OpenAPI document", {
  agent_id: Id("agt", "The agent that has them"),
  dry_run: Type.Boolean({ description: "Whether nothing was stored" }),
  title: Text("Title of the document", "Shop"),
  operations: Type.Array(
    noun("ImportableOperation", "An operation of an OpenAPI document", {
      operation_id: Text("By what it is chosen", "getArticle"),
      method: Text("Its method", "GET"),
      path: Text("Its path", "/articles/{article}"),
      summary: Text("What it does, in the words of the document", "Reads an article"),
    }),
    { description: "The operations of the document, in its order, at most 300" },
  ),
  operations_total: Type.Integer({ description: "How many operations the document has" }),
  tools: Type.Array(AgentToolView, { description: "The tools of the operations that were chosen" }),
  notes: Type.Array(
    noun("ToolImportNote", "What a tool cannot do of what its operation can", {
      operation_id: Text("Of which operation", "getArticle"),
      message: Text("What its tool leaves out", "The parameter q is left out: it is a cookie"),
    }),
    { description: "What the tools cannot do of what their operations can" },
  ),
  version: Type.Integer({ description: "Version of the agent" }),
});
