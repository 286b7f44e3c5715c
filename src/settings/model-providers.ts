/**
 * The file of `MODEL_PROVIDERS` (RUN-29): JSON, in which comments and commas before a closing bracket are allowed.
 *
 *   { "providers": {
 *       "groq": {
 *         "format": "chat-completions",
 *         "base_url": "https://api.groq.com/openai/v1",
 *         "key_env": "GROQ_API_KEY",
 *         "models": { "llama-3.3-70b-versatile": { "window": 131072 } } } } }
 *
 * All errors are reported at once, each with its line and its path. No message quotes a key or the value of a header.
 */
import { definedFields } from "../../actors/changes.ts";
import { type Node, parseTree, type ParseError, printParseErrorCode } from "jsonc-parser";
import { readFileSync } from "node:fs";
import { HEADER_VALUE, isReservedHeader } from "../../actors/header-name.ts";
import { LEAST_WINDOW, MOST_WINDOW, THINKING } from "../../actors/job/model-entry.ts";
import {
  MODEL_FORMATS,
  PROMPT_CACHINGS,
  type ModelProvider,
  type ProvidedModel,
  type ProvidedModels,
} from "../../actors/job/model-provider.ts";
import { didYouMean } from "../../actors/near-name.ts";
import { MODEL_INPUTS, type ModelInput } from "../../actors/upload/terms.ts";
import { isCurrency, isSamePrice, parseEntry, priceTable, type PriceTable } from "./price-table.ts";

type Variables = Readonly<Record<string, string | undefined>>;
type Fields = ReadonlyMap<string, Node>;

const MOST_PROVIDERS = 64;
const MOST_MODELS = 1_000;
const MOST_CONCURRENT = 10_000;
const LONGEST_SILENCE_SECONDS = 3_600;
const PROVIDER_NAME = /^[a-z][a-z0-9-]{0,39}$/;
const NOT_A_NAME: ReadonlySet<string> = new Set(["demo", "ai-sdk", "auto"]);
const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
const FIELDS = {
  file: ["providers", "currency"],
  provider: [
    "format",
    "base_url",
    "key",
    "key_env",
    "key_header",
    "headers",
    "concurrency",
    "stalled_after_seconds",
    "caching",
    "models",
  ],
  model: ["window", "inputs", "thinking", "tools", "own_key", "prices"],
  prices: ["from", "service_tier", "input", "output", "cached_input", "cache_write", "cache_write_1h"],
  header: ["env"],
} as const;

export interface ProviderFileContent extends ProvidedModels {
  /** Null if no model has a price there. */
  readonly prices: PriceTable | null;
}

/** What the file says, or all of its errors: each completes "which …". */
export function parseModelProviders(text: string, variables: Variables): ProviderFileContent | readonly string[] {
  const syntax: ParseError[] = [];
  const root = parseTree(text, syntax, { allowTrailingComma: true });
  const [first] = syntax;
  if (root === undefined || first !== undefined) {
    const words = first === undefined ? "it is empty" : wordsOf(printParseErrorCode(first.error));
    return [`is not JSON: at line ${lineOf(text, first?.offset ?? 0)}, ${words}`];
  }
  const file = new ProviderFile(text, variables);
  const said = file.read(root);
  return file.errors.length > 0 ? file.errors : said;
}

/** The file of `MODEL_PROVIDERS`, read. */
export function readModelProviders(path: string, variables: Variables): ProviderFileContent | readonly string[] {
  try {
    return parseModelProviders(readFileSync(path, "utf8"), variables);
  } catch (cause) {
    return [`cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`];
  }
}

export const isProvidedModels = (read: ProviderFileContent | readonly string[]): read is ProviderFileContent =>
  !Array.isArray(read);

const lineOf = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;
/** `PropertyNameExpected` in words. */
const wordsOf = (code: string): string => code.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();

class ProviderFile {
  readonly errors: string[] = [];
  private readonly prices: Exclude<ReturnType<typeof parseEntry>, string>[] = [];
  private readonly text: string;
  private readonly variables: Variables;

  constructor(text: string, variables: Variables) {
    this.text = text;
    this.variables = variables;
  }

  read(root: Node): ProviderFileContent {
    const providers: ModelProvider[] = [];
    const models: ProvidedModel[] = [];
    const top = this.fields(root, "", FIELDS.file);
    const all = top.get("providers");
    if (all === undefined) this.complain(root, "", "no `providers`");
    const entries = all === undefined ? new Map<string, Node>() : this.entries(all, "providers", MOST_PROVIDERS);
    for (const [name, node] of entries) {
      const path = `providers.${name}`;
      if (!PROVIDER_NAME.test(name) || NOT_A_NAME.has(name)) {
        const must = "1 to 40 small letters, digits and `-`, begin with a letter, and not be demo, ai-sdk or auto";
        this.complain(node, path, `a name that cannot be used; it must have ${must}`);
      }
      const fields = this.fields(node, path, FIELDS.provider);
      const provider = this.provider(name, { node, fields, path });
      if (provider !== null) providers.push(provider);
      const listed = fields.get("models");
      if (listed === undefined) continue;
      for (const [model, about] of this.entries(listed, `${path}.models`, MOST_MODELS)) {
        if (/\s/.test(model) || model === "")
          this.complain(about, `${path}.models`, `the model ${JSON.stringify(model)}; a name has no spaces`);
        models.push(this.model(`${name}:${model}`, about, `${path}.models.${model}`));
      }
    }
    const currency = this.take(top.get("currency"), "currency", (value) => (isCurrency(value) ? value : null), {
      must: 'three capitals, such as "USD"',
    });
    if (this.prices.length > 0 && !top.has("currency")) this.complain(root, "", "prices and no `currency`");
    const prices = currency === undefined || this.prices.length === 0 ? null : priceTable(currency, this.prices);
    return { providers, models, prices };
  }

  private provider(
    name: string,
    { node, fields, path }: { readonly node: Node; readonly fields: Fields; readonly path: string },
  ): ModelProvider | null {
    const at = (field: string): string => `${path}.${field}`;
    for (const field of ["format", "base_url"]) if (!fields.has(field)) this.complain(node, path, `no \`${field}\``);
    const format = this.oneOf(fields.get("format"), at("format"), MODEL_FORMATS);
    const baseUrl = this.take(fields.get("base_url"), at("base_url"), providerAddress, {
      must: "an http or https URL without credentials and fragment, such as https://api.openai.com/v1",
      isSecret: true,
    });
    const keyHeader = this.take(fields.get("key_header"), at("key_header"), headerName, { must: HEADER_WORDS });
    const headers = this.headers(fields.get("headers"), at("headers"));
    const concurrency = this.whole(fields.get("concurrency"), at("concurrency"), [1, MOST_CONCURRENT]);
    const silence = this.whole(fields.get("stalled_after_seconds"), at("stalled_after_seconds"), [
      1,
      LONGEST_SILENCE_SECONDS,
    ]);
    const caching = this.oneOf(fields.get("caching"), at("caching"), PROMPT_CACHINGS);
    const apiKey = this.key(fields, path);
    if (format === undefined || baseUrl === undefined) return null;
    return {
      name,
      format,
      baseUrl,
      apiKey,
      ...definedFields({ keyHeader, headers, concurrency, caching }),
      ...(silence === undefined ? {} : { stalledStreamMs: silence * 1_000 }),
    };
  }

  private key(fields: Fields, path: string): string | null {
    const [key, variable] = [fields.get("key"), fields.get("key_env")];
    if (key !== undefined && variable !== undefined)
      this.complain(key, path, "both `key` and `key_env`; one of them is enough");
    const must = "a key without spaces";
    const given = this.take(key, `${path}.key`, headerKey, { must, isSecret: true });
    return given ?? this.variable(variable, `${path}.key_env`) ?? null;
  }

  private headers(node: Node | undefined, path: string): Readonly<Record<string, string>> | undefined {
    if (node === undefined) return undefined;
    const headers: Record<string, string> = {};
    for (const [name, value] of this.entries(node, path, MOST_PROVIDERS)) {
      const at = `${path}.${name}`;
      if (headerName(name) === null)
        this.complain(value, at, `a header that cannot be set; it must be ${HEADER_WORDS}`);
      const isVariable = value.type === "object";
      const text = isVariable
        ? this.variable(this.fields(value, at, FIELDS.header).get("env"), `${at}.env`, value)
        : this.take(value, at, headerValue, {
            must: 'a text of ASCII characters, or an object such as { "env": "NAME" } for the value of a variable',
            isSecret: true,
          });
      if (text !== undefined) headers[name.toLowerCase()] = text;
    }
    return headers;
  }

  /** The value of the variable that this field names. `within`: the field is required there. */
  private variable(node: Node | undefined, path: string, within?: Node): string | undefined {
    if (node === undefined) {
      if (within !== undefined) this.complain(within, path.replace(/\.env$/, ""), "no `env`");
      return undefined;
    }
    const name = this.take(node, path, variableName, {
      must: "the name of a variable in capitals, such as GROQ_API_KEY",
      // It may be the key itself.
      isSecret: true,
    });
    if (name === undefined) return undefined;
    const value = this.variables[name]?.trim();
    if (value === undefined || value === "") this.complain(node, path, `the variable ${name}, which is not set`);
    else if (within === undefined && headerKey(value) === null)
      this.complain(node, path, `the variable ${name}, whose value has a space or a character that no key has`);
    else if (headerValue(value) === null)
      this.complain(node, path, `the variable ${name}, whose value has a character that no header has`);
    return value;
  }

  private model(model: string, node: Node, path: string): ProvidedModel {
    const fields = this.fields(node, path, FIELDS.model);
    const at = (field: string): string => `${path}.${field}`;
    const window = this.whole(fields.get("window"), at("window"), [LEAST_WINDOW, MOST_WINDOW]);
    const inputs = this.take(fields.get("inputs"), at("inputs"), inputList, {
      must: 'a list with "text", and "image" or "file" if the model reads them',
    });
    const thinking = this.oneOf(fields.get("thinking"), at("thinking"), THINKING);
    const takesTools = this.take(fields.get("tools"), at("tools"), truth, { must: "true or false" });
    const prices = fields.get("prices");
    if (prices !== undefined) this.readPrices(model, prices, at("prices"));
    const isOwnKeyOnly = this.take(fields.get("own_key"), at("own_key"), truth, { must: "true or false" });
    return { model, ...definedFields({ window, inputs, thinking, takesTools, isOwnKeyOnly }) };
  }

  /** One object with prices, or a list of them, each from its day on. */
  private readPrices(model: string, node: Node, path: string): void {
    const list = node.type === "array" ? (node.children ?? []) : [node];
    for (const [at, one] of list.entries()) {
      const place = node.type === "array" ? `${path}[${at}]` : path;
      const fields = this.fields(one, place, FIELDS.prices);
      const given = Object.fromEntries([...fields].map(([name, value]): [string, unknown] => [name, value.value]));
      const price = parseEntry({ from: ALWAYS, ...given, model });
      if (typeof price === "string") {
        if (fields.size > 0 || one.type === "object") this.complain(one, place, price);
      } else if (this.prices.some((other) => isSamePrice(other, price)))
        this.complain(one, place, `two prices from ${price.from}`);
      else this.prices.push(price);
    }
  }

  /** The entries of an object, by name; an error for anything else. */
  private entries(node: Node, path: string, most: number): Fields {
    const found = new Map<string, Node>();
    if (node.type !== "object") {
      this.complain(node, path, "a value that is not an object");
      return found;
    }
    for (const { children = [] } of node.children ?? []) {
      const [key, value] = children;
      if (key === undefined || value === undefined) continue;
      const name = String(key.value);
      if (found.has(name)) this.complain(key, path, `\`${name}\` twice`);
      found.set(name, value);
    }
    if (found.size > most) this.complain(node, path, `more than ${most} entries`);
    return found;
  }

  /** The same for an object whose fields have known names. */
  private fields(node: Node, path: string, names: readonly string[]): Fields {
    const found = this.entries(node, path, Number.POSITIVE_INFINITY);
    for (const [name, value] of found) {
      if (names.includes(name)) continue;
      const others = `; there are ${names.map((one) => `\`${one}\``).join(", ")}`;
      this.complain(value, path, `the unknown field \`${name}\`${didYouMean(name, names) || others}`);
    }
    return found;
  }

  private oneOf<T extends string>(node: Node | undefined, path: string, words: readonly T[]): T | undefined {
    return this.take(node, path, (value) => words.find((word) => word === value) ?? null, {
      must: `one of ${words.join(", ")}`,
    });
  }

  private whole(node: Node | undefined, path: string, [least, most]: readonly [number, number]): number | undefined {
    const isWithin = (value: unknown): boolean =>
      Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
    return this.take(node, path, (value) => (isWithin(value) ? Number(value) : null), {
      must: `a whole number from ${least} to ${most}`,
    });
  }

  /** The value of an optional field; `read` answers null to one that is not valid. */
  private take<T>(
    node: Node | undefined,
    path: string,
    read: (value: unknown) => T | null,
    { must, isSecret = false }: { readonly must: string; readonly isSecret?: boolean },
  ): T | undefined {
    if (node === undefined) return undefined;
    const source = this.text.slice(node.offset, node.offset + node.length);
    const value = read(node.type === "array" ? (node.children ?? []).map((item): unknown => item.value) : node.value);
    if (value !== null) return value;
    const shown = isSecret || source.length > 80 ? "a value that is not valid" : source.replaceAll(/\s+/g, " ");
    this.complain(node, path, `${shown}; it must be ${must}`);
    return undefined;
  }

  private complain({ offset }: Node, path: string, what: string): void {
    const place = `line ${lineOf(this.text, offset)}${path === "" ? "" : `, ${path}`}`;
    this.errors.push(`has at ${place}: ${what}`);
  }
}

/** The first day of prices that name none. */
const ALWAYS = "1970-01-01";
const HEADER_WORDS = "the name of a header that requests may set";
const truth = (value: unknown): boolean | null => (typeof value === "boolean" ? value : null);
const headerKey = (value: unknown): string | null =>
  typeof value === "string" && /^[\x21-\x7e]+$/.test(value) ? value : null;
const headerValue = (value: unknown): string | null =>
  typeof value === "string" && HEADER_VALUE.test(value) ? value.trim() : null;
const headerName = (value: unknown): string | null =>
  typeof value === "string" && HEADER.test(value) && !isReservedHeader(value) ? value.toLowerCase() : null;
const variableName = (value: unknown): string | null =>
  typeof value === "string" && /^[A-Z_][A-Z0-9_]*$/.test(value) ? value : null;

function inputList(value: unknown): readonly ModelInput[] | null {
  if (!Array.isArray(value) || !value.includes("text")) return null;
  const inputs = MODEL_INPUTS.filter((input) => value.includes(input));
  return inputs.length === value.length ? inputs : null;
}

function providerAddress(value: unknown): string | null {
  const url = typeof value === "string" ? URL.parse(value) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol)) return null;
  return url.hash + url.username + url.password === "" ? String(value) : null;
}
