/** Writes the TypeScript SDK: the client, the nouns, the errors, and the runtime that is written by hand. */
import { pascalCase, type Contract, type Noun } from "./contract.ts";
import { errorClassOf, explained, type Method, methodsOf, ownCodes } from "./methods.ts";
import { type Field, orList, type Shape } from "./shape.ts";
import { oneFile } from "./typescript-module.ts";
import { wrapped } from "./wrap.ts";

const WIDTH = 120;
/** Room for what stands before a type. */
const LONGEST_NAME = 40;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

export interface TypeScriptRuntime {
  /** Modules of the runtime, in the order in which they go into the file. */
  readonly modules: readonly string[];
  /** What the file says of itself first. */
  readonly preamble: string;
}

export function typescriptSdk(contract: Contract, { modules, preamble }: TypeScriptRuntime): string {
  const methods = methodsOf(contract);
  const [errors, ...others] = modules;
  return `${[
    preamble,
    client(contract, methods),
    ...methods.flatMap(queryInterface),
    ...contract.nouns.map(noun),
    `/** What the body of a webhook says. */\nexport type WebhookEvent = ${typeOf(contract.webhook, 0)};`,
    oneFile(errors ?? ""),
    ...contract.errors.map(errorClass),
    errorTable(contract),
    ...others.map(oneFile),
  ].join("\n\n")}\n`;
}

function client(contract: Contract, methods: readonly Method[]): string {
  const sections = contract.tags.map(({ name, about }) => {
    const own = methods.filter(({ operation }) => operation.tag === name);
    const title = `  // ${name}${about === "" ? "" : `: ${about}`}`;
    return own.length === 0 ? [] : [title, ...own.map(method)];
  });
  return [
    "/** A client of the service. It holds no connection: make one and keep it. */",
    "export class Troupe {",
    "  readonly #http: Transport;",
    "",
    "  constructor(options: TroupeOptions) {",
    `    this.#http = new Transport(options, ERROR_CLASSES, { "api-version": API_VERSION });`,
    "  }",
    "",
    sections.flat().join("\n\n"),
    "}",
    "",
    "/** The version of the contract that this file was made from. */",
    `export const API_VERSION = ${JSON.stringify(contract.version)};`,
  ].join("\n");
}

function method(one: Method): string {
  const { name, reading, result } = one;
  const isStream = ["items", "once", "resumed", "chunks"].includes(reading.kind);
  const type = typeOf(reading.kind === "changed" ? { kind: "union", variants: [result, { kind: "null" }] } : result, 1);
  const answer = isStream ? `AsyncGenerator<${type}, void, undefined>` : `Promise<${type}>`;
  return [
    ...comment(methodWords(one), "  "),
    ...signature(name, parametersOf(one), answer),
    `    return ${callOf(one)};`,
    "  }",
  ].join("\n");
}

function methodWords(one: Method): readonly string[] {
  const { operation, about, description } = one;
  const scopes =
    operation.scopes.length === 0 ? "" : ` Needs ${orList(operation.scopes.map((scope) => `\`${scope}\``))}.`;
  const codes = ownCodes(one).map((code) => `\`${errorClassOf(code)}\``);
  return [
    `${operation.summary}.${about === "" ? "" : ` ${about}`}`,
    description,
    `\`${operation.method} ${operation.path}\`.${scopes}${codes.length === 0 ? "" : ` May throw ${orList(codes)}.`}`,
    operation.isDeprecated ? "@deprecated It is going to be removed: see `GET /api/deprecation-policy`." : "",
  ].filter((paragraph) => paragraph !== "");
}

const camelCase = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

function parametersOf(one: Method): readonly string[] {
  const { operation, params, query } = one;
  const { body } = operation;
  const needsQuery = query.some(({ isRequired }) => isRequired);
  return [
    ...params.map((param) => `${camelCase(param.name)}: ${typeOf(param.shape, 2)}`),
    ...(body === null ? [] : [`body${body.isRequired ? "" : "?"}: ${bodyType(one)}`]),
    ...(query.length === 0 ? [] : [`query${needsQuery ? "" : "?"}: ${queryName(one)}`]),
    `options?: ${optionsOf(one)}`,
  ];
}

function bodyType({ operation, isStream }: Method): string {
  if (operation.body?.shape.kind === "bytes") return "BinaryBody";
  const type = operation.body === null ? "unknown" : typeOf(operation.body.shape, 2);
  return isStream === null ? type : `Omit<${type}, "stream">`;
}

function optionsOf({ operation }: Method): string {
  if (operation.isVersioned) return "VersionedOptions";
  return operation.isKeyed ? "MutationOptions" : "RequestOptions";
}

function signature(name: string, parameters: readonly string[], answer: string): readonly string[] {
  const line = `  ${name}(${parameters.join(", ")}): ${answer} {`;
  if (line.length <= WIDTH) return [line];
  return [`  ${name}(`, ...parameters.map((parameter) => `    ${parameter},`), `  ): ${answer} {`];
}

function callOf(one: Method): string {
  const { reading, params } = one;
  if (reading.kind !== "items") {
    const parts = requestOf(one);
    const line = `this.#http.${reading.kind}({ ${parts.join(", ")} })`;
    if (line.length + "    return ;".length <= WIDTH) return line;
    return [`this.#http.${reading.kind}({`, ...parts.map((part) => `      ${part},`), "    })"].join("\n");
  }
  const { of, cursor, items } = reading;
  const isNumber = of.query.some(({ name, shape }) => name === cursor && shape.kind === "integer");
  const next = isNumber ? `${cursor}: Number(next)` : `${cursor}: next`;
  const query = `{ ...query, ...(next === undefined ? {} : { ${next} }) }`;
  const given = [...params.map(({ name }) => camelCase(name)), query, "options"].join(", ");
  const line = `      (next) => this.${of.name}(${given}),`;
  return [
    "this.#http.items(",
    line.length <= WIDTH ? line : line.replace("=> ", "=>\n        "),
    `      (page) => page.${items},`,
    "    )",
  ].join("\n");
}

function requestOf({ operation, params, query, isStream, reading }: Method): readonly string[] {
  const { body } = operation;
  const names = params.map(({ name }) => camelCase(name));
  const path = operation.path.replace(/\{\w+\}/g, () => `\${segment(${names.shift()})}`);
  const isJsonBody = body === null || /[/+]json\b/.test(body.contentType);
  return [
    `method: "${operation.method}"`,
    params.length === 0 ? `path: "${path}"` : `path: \`${path}\``,
    ...(query.length === 0 ? [] : ["query"]),
    ...(body === null ? [] : [isStream === null ? "body" : `body: { ...body, stream: ${isStream} }`]),
    ...(isJsonBody ? [] : [`contentType: "${body.contentType}"`]),
    ...(reading.kind === "once" ? [`last: [${reading.last.map((name) => `"${name}"`).join(", ")}]`] : []),
    ...(operation.isPublic ? ["isPublic: true"] : []),
    ...(operation.isKeyed ? ["isKeyed: true"] : []),
    "options",
  ];
}

/** Without the cursor, where the method goes through all pages itself. */
const queryName = ({ name, reading }: Method): string =>
  reading.kind === "items"
    ? `Omit<${pascalCase(reading.of.name)}Query, "${reading.cursor}">`
    : `${pascalCase(name)}Query`;

const queryInterface = (one: Method): readonly string[] =>
  one.query.length === 0 || one.reading.kind === "items"
    ? []
    : [`/** What \`${one.name}\` takes besides. */\nexport interface ${queryName(one)} ${recordType(one.query, 0)}`];

function noun({ name, about, shape }: Noun): string {
  const said = comment(about === "" ? [] : [about], "");
  if (shape.kind === "record") return [...said, `export interface ${name} ${recordType(shape.fields, 0)}`].join("\n");
  const type = typeOf(shape, 0);
  return [...said, `export type ${name} =${type.startsWith("\n") ? "" : " "}${type};`].join("\n");
}

function errorClass(error: { readonly code: string; readonly about: string }): string {
  const name = errorClassOf(error.code);
  return [
    ...comment([explained(error)], ""),
    `export class ${name} extends ApiError {`,
    `  override name = "${name}";`,
    "}",
  ].join("\n");
}

const errorTable = ({ errors }: Contract): string =>
  [
    "const ERROR_CLASSES: ErrorClasses = {",
    ...errors.map(({ code }) => `  ${code}: ${errorClassOf(code)},`),
    "};",
  ].join("\n");

/** A type; what goes over several lines is indented for its depth. */
export function typeOf(shape: Shape, depth: number): string {
  switch (shape.kind) {
    case "text":
      return "string";
    case "integer":
    case "number":
      return "number";
    case "bytes":
      return "Uint8Array";
    case "boolean":
    case "null":
    case "unknown":
      return shape.kind;
    case "noun":
      return shape.name;
    case "absent":
      return "undefined";
    case "literal":
      return JSON.stringify(shape.value);
    case "list": {
      const item = typeOf(shape.item, depth);
      return shape.item.kind === "union" ? `Array<${item}>` : `${item}[]`;
    }
    case "map":
      return `{ [name: string]: ${typeOf(shape.value, depth)} }`;
    case "record":
      return recordType(shape.fields, depth);
    case "union":
      return unionType(shape.variants, depth);
  }
}

function unionType(variants: readonly Shape[], depth: number): string {
  const line = variants.map((variant) => typeOf(variant, depth)).join(" | ");
  if (!line.includes("\n") && line.length + 2 * depth + LONGEST_NAME <= WIDTH) return line;
  const indent = "  ".repeat(depth + 1);
  return variants.map((variant) => `\n${indent}| ${typeOf(variant, depth + 1)}`).join("");
}

function recordType(fields: readonly Field[], depth: number): string {
  if (fields.length === 0) return "{}";
  const indent = "  ".repeat(depth + 1);
  const lines = fields.flatMap(({ name, about, isRequired, shape }) => [
    ...comment(about === "" ? [] : [about], indent),
    `${indent}${IDENTIFIER.test(name) ? name : JSON.stringify(name)}${isRequired ? "" : "?"}: ${typeOf(shape, depth + 1)};`,
  ]);
  return `{\n${lines.join("\n")}\n${"  ".repeat(depth)}}`;
}

/** A comment of paragraphs: one line where it fits. */
function comment(paragraphs: readonly string[], indent: string): readonly string[] {
  const [first] = paragraphs;
  if (first === undefined) return [];
  const safe = paragraphs.map((text) => text.replaceAll("*/", "*\\/"));
  const line = `${indent}/** ${safe[0]} */`;
  if (paragraphs.length === 1 && line.length <= WIDTH) return [line];
  const lines = safe.flatMap((text, i) => [...(i === 0 ? [] : [""]), ...wrapped(text, WIDTH - indent.length - 3)]);
  return [`${indent}/**`, ...lines.map((text) => `${indent} * ${text}`.trimEnd()), `${indent} */`];
}
