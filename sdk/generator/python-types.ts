/**
 * The nouns of the contract as Python types. Python has no types without names: what the contract nests is
 * named after where it is (`ChatStreamEventMessageDeltaData`).
 */
import { type Noun, pascalCase } from "./contract.ts";
import type { Field, Shape } from "./shape.ts";
import { wrapped } from "./wrap.ts";

export const WIDTH = 110;
/** Names that a class body cannot have. */
const KEYWORDS = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);

export class PythonTypes {
  private readonly texts: string[] = [];
  private readonly names = new Set<string>();

  constructor(nouns: readonly Noun[]) {
    for (const { name } of nouns) this.names.add(name);
    for (const noun of nouns) this.define(noun);
  }

  /** All definitions, in the order of the contract, what is nested before what holds it. */
  get definitions(): readonly string[] {
    return this.texts;
  }

  /** A type in an annotation; `name` is what a record in it is called. */
  typeOf(shape: Shape, name: string): string {
    switch (shape.kind) {
      case "text":
        return "str";
      case "integer":
        return "int";
      case "number":
        return "float";
      case "boolean":
        return "bool";
      case "null":
      case "absent":
        return "None";
      case "bytes":
        return "bytes";
      case "unknown":
        return "Any";
      case "noun":
        return shape.name;
      case "literal":
        return `Literal[${pythonLiteral(shape.value)}]`;
      case "list":
        return `list[${this.typeOf(shape.item, `${name}Item`)}]`;
      case "map":
        return `dict[str, ${this.typeOf(shape.value, `${name}Value`)}]`;
      case "record":
        return this.nested({ name, about: "", shape });
      case "union":
        return this.variants(shape.variants, name).join(" | ");
    }
  }

  private nested(noun: Noun): string {
    if (this.names.has(noun.name)) throw new Error(`Two types would be called ${noun.name}`);
    this.names.add(noun.name);
    this.define(noun);
    return noun.name;
  }

  private define({ name, about, shape }: Noun): void {
    if (shape.kind === "record") this.texts.push(this.record({ name, about, shape }, shape.fields));
    else if (shape.kind === "union") {
      const variants = this.variants(shape.variants, name).map((variant) => `    ${quoted(variant)},`);
      this.texts.push([...remark(about, ""), `${name}: TypeAlias = Union[`, ...variants, "]"].join("\n"));
    } else
      this.texts.push([...remark(about, ""), `${name}: TypeAlias = ${quoted(this.typeOf(shape, name))}`].join("\n"));
  }

  /** The variants of a union: literals together, records by their tags. */
  private variants(variants: readonly Shape[], name: string): readonly string[] {
    const literals = variants.flatMap((one) => (one.kind === "literal" ? [pythonLiteral(one.value)] : []));
    const others = variants.filter((one) => one.kind !== "literal" && one.kind !== "null");
    const tag = tagField(others);
    const nameOf = (one: Shape, i: number): string =>
      others.length === 1 ? name : `${name}${tag === null ? `Variant${i + 1}` : pascalCase(literalOf(one, tag) ?? "")}`;
    return [
      ...(literals.length === 0 ? [] : [`Literal[${literals.join(", ")}]`]),
      ...others.map((one, i) => this.typeOf(one, nameOf(one, i))),
      ...(variants.some((one) => one.kind === "null") ? ["None"] : []),
    ];
  }

  private record(noun: Noun, fields: readonly Field[]): string {
    const typed = fields.map((field) => ({ ...field, type: this.fieldType(field, noun.name) }));
    const doc = noun.about === "" ? [] : docstring([noun.about], "    ");
    if (fields.some(({ name }) => KEYWORDS.has(name) || !/^[A-Za-z_]\w*$/.test(name))) {
      const lines = typed.flatMap(({ name, about, type }) => [
        ...remark(about, "        "),
        `        "${name}": ${quoted(type)},`,
      ]);
      return [
        ...remark(noun.about, ""),
        `${noun.name} = TypedDict(`,
        `    "${noun.name}",`,
        "    {",
        ...lines,
        "    },",
        ")",
      ].join("\n");
    }
    const lines = typed.flatMap(({ name, about, type }) => [...remark(about, "    "), `    ${name}: ${type}`]);
    const body = lines.length === 0 && doc.length === 0 ? ["    pass"] : lines;
    return [
      `class ${noun.name}(TypedDict):`,
      ...doc,
      ...(doc.length > 0 && lines.length > 0 ? [""] : []),
      ...body,
    ].join("\n");
  }

  private fieldType({ name, isRequired, shape }: Field, owner: string): string {
    const type = this.typeOf(shape, `${owner}${pascalCase(name)}`);
    return isRequired ? type : `NotRequired[${type}]`;
  }
}

/** The field that tells the variants apart: a constant in each, and no two alike. */
function tagField(variants: readonly Shape[]): string | null {
  const [first] = variants;
  if (first?.kind !== "record") return null;
  const tells = ({ name }: Field): boolean => {
    const values = variants.map((variant) => literalOf(variant, name));
    return !values.includes(null) && new Set(values).size === variants.length;
  };
  return first.fields.find(tells)?.name ?? null;
}

function literalOf(shape: Shape, name: string): string | null {
  const found = shape.kind === "record" ? shape.fields.find((field) => field.name === name)?.shape : undefined;
  return found?.kind === "literal" ? String(found.value) : null;
}

export const isKeyword = (name: string): boolean => KEYWORDS.has(name);

const quoted = (type: string): string => `"${type.replaceAll('"', "'")}"`;

export const pythonLiteral = (value: string | number | boolean): string =>
  typeof value === "boolean" ? (value ? "True" : "False") : JSON.stringify(value);

const remark = (about: string, indent: string): readonly string[] =>
  about === "" ? [] : wrapped(about, WIDTH - indent.length - 2).map((line) => `${indent}# ${line}`.trimEnd());

/** A docstring of paragraphs: one line where it fits. */
export function docstring(paragraphs: readonly string[], indent: string): readonly string[] {
  const safe = paragraphs.map((text) => text.replaceAll("\\", "\\\\").replaceAll('"""', "'''"));
  const line = `${indent}"""${safe[0]}"""`;
  if (paragraphs.length === 1 && line.length <= WIDTH) return [line];
  const lines = safe.flatMap((text, i) => [...(i === 0 ? [] : [""]), ...wrapped(text, WIDTH - indent.length - 3)]);
  return [`${indent}"""${lines[0]}`, ...lines.slice(1).map((text) => `${indent}${text}`.trimEnd()), `${indent}"""`];
}
