/**
 * `docs/openapi.json` as the walk needs it: the operations, who may ask for each, what goes in, and what
 * may come out. References to parameters, headers and responses are followed here; those to schemas stay.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CLONE } from "../support/service-process.ts";

export type Schema = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly schema: Schema;
}

export interface Answer {
  /** Headers that each such answer has. */
  readonly promised: readonly string[];
  /** Headers that it may have. */
  readonly headers: readonly string[];
  /** The schema of the body by its media type; empty where there is no body. */
  readonly content: Readonly<Record<string, Schema>>;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Scopes of which one is enough; null where no token is asked for. */
  readonly scopes: readonly string[] | null;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly schema: Schema; readonly isRequired: boolean } | null;
  readonly answers: Readonly<Record<string, Answer>>;
}

interface RawOperation {
  readonly operationId: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly object[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, object>>;
}
type Content = Readonly<Record<string, { readonly schema: Schema; readonly "x-itemSchema"?: Schema }>>;
interface RawResponse {
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Content;
}

const METHODS = ["get", "post", "put", "patch", "delete"];
/** Security schemes that are a bearer token; the others are in the address. */
const isBearer = (scheme: unknown): boolean => (scheme as { readonly scheme?: unknown }).scheme === "bearer";

export class ContractDocument {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly operations: readonly Operation[];
  private readonly root: Readonly<Record<string, unknown>>;

  constructor(text: string) {
    this.root = JSON.parse(text) as Readonly<Record<string, unknown>>;
    this.schemas = this.at<Record<string, Schema>>("#/components/schemas");
    const paths = Object.entries(this.at<Record<string, Record<string, RawOperation>>>("#/paths"));
    // What comes through `/mcp` is judged by the clients and the conformance tests of MCP.
    const called = paths.filter(([path]) => path !== "/mcp");
    this.operations = called.flatMap(([path, item]) =>
      METHODS.flatMap((method) => (item[method] === undefined ? [] : [this.operation(method, path, item[method])])),
    );
  }

  /** What the schema says, where it only refers to another. */
  resolved(schema: Schema): Schema {
    return typeof schema["$ref"] === "string" ? this.resolved(this.at(schema["$ref"])) : schema;
  }

  private operation(method: string, path: string, raw: RawOperation): Operation {
    const json = raw.requestBody?.content["application/json"];
    return {
      id: raw.operationId,
      method: method.toUpperCase(),
      path,
      scopes: this.scopesOf(raw.security ?? []),
      parameters: (raw.parameters ?? []).map((parameter) => this.followed<Parameter>(parameter)),
      body: json === undefined ? null : { schema: json.schema, isRequired: raw.requestBody?.required === true },
      answers: Object.fromEntries(
        Object.entries(raw.responses).map(([status, response]) => [status, this.answer(this.followed(response))]),
      ),
    };
  }

  private answer({ headers = {}, content = {} }: RawResponse): Answer {
    const isRequired = (header: object): boolean => this.followed<{ required?: boolean }>(header).required === true;
    return {
      promised: Object.keys(headers).filter((name) => isRequired(headers[name] ?? {})),
      headers: Object.keys(headers),
      content: Object.fromEntries(
        Object.entries(content).map(([type, { schema, "x-itemSchema": event }]) => [type, event ?? schema]),
      ),
    };
  }

  private scopesOf(security: readonly Readonly<Record<string, readonly string[]>>[]): readonly string[] | null {
    const schemes = this.at<Record<string, object>>("#/components/securitySchemes");
    const bearers = security.flatMap((one) => Object.entries(one).filter(([name]) => isBearer(schemes[name])));
    return bearers.length === 0 ? null : bearers.flatMap(([, scopes]) => scopes);
  }

  private followed<T>(value: object): T {
    const { $ref } = value as { readonly $ref?: string };
    return ($ref === undefined ? value : this.at(String($ref))) as T;
  }

  private at<T>(reference: string): T {
    const names = reference.split("/").slice(1);
    const found = names.reduce<unknown>(
      (value, name) => (value as Record<string, unknown>)[name.replaceAll("~1", "/").replaceAll("~0", "~")],
      this.root,
    );
    if (found === undefined) throw new Error(`the document has no ${reference}`);
    return found as T;
  }
}

export const readContract = (): ContractDocument =>
  new ContractDocument(readFileSync(join(CLONE, "docs/openapi.json"), "utf8"));

/** Statuses of success that the operation may answer with. */
export const successesOf = ({ answers }: Operation): readonly number[] =>
  Object.keys(answers)
    .map(Number)
    .filter((status) => status < 400);
