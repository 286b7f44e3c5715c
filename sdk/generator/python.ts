/** Writes the Python SDK: the client, the nouns, the errors, and the runtime that is written by hand. */
import { type Contract, pascalCase } from "./contract.ts";
import { errorClassOf, explained, type Method, methodsOf, ownCodes } from "./methods.ts";
import { docstring, isKeyword, PythonTypes, WIDTH } from "./python-types.ts";
import { type Field, orList } from "./shape.ts";

/** Names that every method has, and that nothing of the contract may take. */
const OPTIONS = new Set(["self", "body", "idempotency_key", "if_match", "timeout"]);

/** What is generated goes where the runtime says `# === <name> ===`. */
export function pythonSdk(contract: Contract, runtime: string): string {
  const methods = methodsOf(contract);
  const types = new PythonTypes(contract.nouns);
  const parts: Readonly<Record<string, string>> = {
    client: client(contract, methods, types),
    nouns: [
      ...types.definitions,
      `# What the body of a webhook says.\nWebhookEvent: TypeAlias = "${types.typeOf(contract.webhook, "WebhookEventBody")}"`,
    ].join("\n\n\n"),
    errors: [...contract.errors.map(errorClass), errorTable(contract)].join("\n\n\n"),
  };
  const whole = runtime.replaceAll(/^# === ([a-z ]+) ===$/gm, (_, name: string) => `\n${parts[name] ?? ""}\n`);
  const lines = whole
    .trim()
    .replaceAll(/\n{4,}/g, "\n\n\n")
    .split("\n");
  return `${lines.flatMap(broken).join("\n")}\n`;
}

/** A line that is too long, if it has a list of literals or a dictionary, with an entry to each line. */
function broken(line: string): readonly string[] {
  const found = /^( *)([^"#]*?(?:Literal\[|\{))(.+?)((?:\]|\})[^\]}]*)$/.exec(line);
  if (line.length <= WIDTH || found === null) return [line];
  const [, indent = "", head, entries = "", tail] = found;
  return [`${indent}${head}`, ...entries.split(", ").map((entry) => `${indent}    ${entry},`), `${indent}${tail}`];
}

export const snakeCase = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();

function client(contract: Contract, methods: readonly Method[], types: PythonTypes): string {
  const sections = contract.tags.map(({ name, about }) => {
    const own = methods.filter(({ operation }) => operation.tag === name);
    return own.length === 0
      ? []
      : [`    # ${name}${about === "" ? "" : `: ${about}`}`, ...own.map((one) => method(one, types))];
  });
  return [
    "# The version of the contract that this file was made from.",
    `API_VERSION = ${JSON.stringify(contract.version)}`,
    "",
    "",
    CONSTRUCTOR,
    "",
    sections.flat().join("\n\n"),
  ].join("\n");
}

const CONSTRUCTOR = `class Troupe:
    """A client of the service. It holds no connection and may be used by several threads."""

    def __init__(
        self,
        base_url: str,
        token: str | Callable[[], str] | None = None,
        *,
        max_retries: int = 3,
        timeout: float = 300.0,
        stream_idle: float = 35.0,
    ) -> None:
        """\`base_url\` is where the service is, for example \`http://127.0.0.1:3000\`.

        \`token\` is a personal access token or a service token; a function is asked before each request.
        \`max_retries\` is how often a failure that passes is tried again, \`timeout\` how many seconds the service
        may be silent in an answer, and \`stream_idle\` in a stream, where heartbeats come every ten seconds.
        """
        self._http = _Transport(
            base_url,
            token,
            max_retries=max_retries,
            timeout=timeout,
            stream_idle=stream_idle,
            headers={"Api-Version": API_VERSION},
        )`;

function method(one: Method, types: PythonTypes): string {
  const { name, reading, result } = one;
  const isStream = ["items", "once", "resumed", "chunks"].includes(reading.kind);
  const type = types.typeOf(result, `${pascalCase(name)}Result`);
  const answer = isStream ? `Generator[${type}, None, None]` : reading.kind === "changed" ? `${type} | None` : type;
  const call = callOf(one);
  return [
    ...signature(snakeCase(name), parametersOf(one, types), answer),
    ...docstring(methodWords(one), "        "),
    ...(reading.kind === "json" || reading.kind === "changed"
      ? [`        answer: ${answer} = ${call}`, "        return answer"]
      : [`        return ${call}`]),
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
    `\`${operation.method} ${operation.path}\`.${scopes}${codes.length === 0 ? "" : ` May raise ${orList(codes)}.`}`,
    operation.isDeprecated ? "Deprecated: it is going to be removed, see `GET /api/deprecation-policy`." : "",
  ].filter((paragraph) => paragraph !== "");
}

function parametersOf(one: Method, types: PythonTypes): readonly string[] {
  const { operation, params, query } = one;
  const { body } = operation;
  const type = (field: Field): string => types.typeOf(field.shape, `${pascalCase(one.name)}${pascalCase(field.name)}`);
  const required = query.filter(({ isRequired }) => isRequired);
  const bodyType =
    body === null
      ? ""
      : body.shape.kind === "bytes"
        ? "BinaryBody"
        : types.typeOf(body.shape, `${pascalCase(one.name)}Body`);
  return [
    "self",
    ...params.map((field) => `${argument(field)}: ${type(field)}`),
    ...(body === null ? [] : [body.isRequired ? `body: ${bodyType}` : `body: ${bodyType} | None = None`]),
    "*",
    ...required.map((field) => `${argument(field)}: ${type(field)}`),
    ...query
      .filter((field) => !required.includes(field))
      .map((field) => `${argument(field)}: ${type(field)} | None = None`),
    ...(operation.isKeyed ? ["idempotency_key: str | None = None"] : []),
    ...(operation.isVersioned ? ["if_match: int | None = None"] : []),
    "timeout: float | None = None",
  ];
}

function argument({ name }: Field): string {
  const found = snakeCase(name);
  if (OPTIONS.has(found)) throw new Error(`A parameter cannot be called ${found}`);
  return isKeyword(found) ? `${found}_` : found;
}

function signature(name: string, parameters: readonly string[], answer: string): readonly string[] {
  const line = `    def ${name}(${parameters.join(", ")}) -> ${answer}:`;
  if (line.length <= WIDTH) return [line];
  return [`    def ${name}(`, ...parameters.map((parameter) => `        ${parameter},`), `    ) -> ${answer}:`];
}

function callOf(one: Method): string {
  const { reading } = one;
  if (reading.kind === "items") return itemsOf(one);
  const parts = requestOf(one);
  const rest = reading.kind === "once" ? `, last=(${reading.last.map((name) => `"${name}"`).join(", ")})` : "";
  const reader = reading.kind === "bytes" ? "content" : reading.kind;
  const line = `self._http.${reader}(_Request(${parts.join(", ")})${rest})`;
  if (line.length + "        answer: = ".length + 30 <= WIDTH) return line;
  return [
    `self._http.${reader}(`,
    "            _Request(",
    ...parts.map((part) => `                ${part},`),
    `            )${rest === "" ? "" : `,\n            ${rest.slice(2)},`}`,
    "        )",
  ].join("\n");
}

function itemsOf({ reading, params, query }: Method): string {
  if (reading.kind !== "items") return "";
  const isNumber = reading.of.query.some(({ name, shape }) => name === reading.cursor && shape.kind === "integer");
  const cursor = isNumber ? "int(cursor) if cursor else None" : "cursor";
  const given = [
    ...params.map(argument),
    ...query.map((field) => `${argument(field)}=${argument(field)}`),
    `${reading.cursor}=${cursor}`,
    "timeout=timeout",
  ];
  return [
    "self._http.items(",
    `            lambda cursor: self.${snakeCase(reading.of.name)}(`,
    ...given.map((part) => `                ${part},`),
    "            ),",
    `            "${reading.items}",`,
    "        )",
  ].join("\n");
}

function requestOf({ operation, params, query, isStream }: Method): readonly string[] {
  const { body } = operation;
  const names = params.map(argument);
  const path = operation.path.replace(/\{\w+\}/g, () => `{_segment(${names.shift()})}`);
  const isJsonBody = body === null || /[/+]json\b/.test(body.contentType);
  return [
    `"${operation.method}"`,
    `${params.length === 0 ? "" : "f"}"${path}"`,
    ...(query.length === 0
      ? []
      : [`query={${query.map((field) => `"${field.name}": ${argument(field)}`).join(", ")}}`]),
    ...(body === null
      ? []
      : [isStream === null ? "body=body" : `body=_streamed(body, ${isStream ? "True" : "False"})`]),
    ...(isJsonBody ? [] : [`content_type="${body.contentType}"`]),
    ...(operation.isPublic ? ["is_public=True"] : []),
    ...(operation.isKeyed ? ["is_keyed=True", "idempotency_key=idempotency_key"] : []),
    ...(operation.isVersioned ? ["if_match=if_match"] : []),
    "timeout=timeout",
  ];
}

const errorClass = (error: { readonly code: string; readonly about: string }): string =>
  [`class ${errorClassOf(error.code)}(ApiError):`, ...docstring([explained(error)], "    ")].join("\n");

const errorTable = ({ errors }: Contract): string =>
  [
    "_ERROR_CLASSES: Mapping[str, type[ApiError]] = {",
    ...errors.map(({ code }) => `    "${code}": ${errorClassOf(code)},`),
    "}",
  ].join("\n");
