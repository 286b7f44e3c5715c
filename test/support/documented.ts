/**
 * Holds what a service has answered against what its operations say: every answer that the tests of the
 * surfaces get goes through here. Schemas are taken as closed: a field that nobody has described is a
 * mistake of the contract, though clients must expect new ones.
 */
import { Kind } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { type TSchema, Type } from "../../actors/schema.ts";
import { OPERATIONS } from "../../src/contract/document.ts";
import type { Placed } from "../../src/contract/operation-object.ts";
import { codesOf, sampleRefusal } from "../../src/contract/refusals.ts";

/** What is looked at of a response. */
interface Answer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  json(): Promise<unknown>;
}

interface Route {
  readonly placed: Placed;
  readonly pattern: RegExp;
}

const ROUTES: readonly Route[] = OPERATIONS.map((placed) => {
  const segments = placed.operation.path.split("/").map((s) => (s.startsWith("{") ? "[^/]+" : RegExp.escape(s)));
  return { placed, pattern: new RegExp(`^${segments.join("/")}$`) };
});
const checks = new Map<TSchema, TypeCheck<TSchema>>();

/** What of the answer is not documented; null where all is, or where nothing is documented at all. */
export async function undocumented(method: string, path: string, answer: Answer): Promise<string | null> {
  const at = path.split("?")[0] ?? "";
  const placed = ROUTES.find((r) => r.placed.operation.method === method && r.pattern.test(at))?.placed;
  if (placed === undefined) return null;
  const complaint = answer.status < 400 ? await ofSuccess(placed, answer) : await ofRefusal(placed, answer);
  return complaint === null ? null : `${placed.id} answered ${answer.status}: ${complaint}`;
}

async function ofSuccess({ operation }: Placed, answer: Answer): Promise<string | null> {
  const said = operation.answers[answer.status as 200];
  if (said === undefined) return "a status that it does not name";
  const type = (answer.headers.get("content-type") ?? "").split(";")[0] ?? "";
  if (said === null) return type === "" ? null : `a body of ${type}`;
  const types: Readonly<Record<string, TSchema>> =
    "kind" in said && said["kind"] === "media"
      ? (said["types"] as Readonly<Record<string, TSchema>>)
      : { "application/json": said as TSchema };
  const schema = types[type] ?? types["*/*"];
  if (schema === undefined) return `a body of ${type}`;
  return type === "application/json" ? misfit(schema, await answer.json()) : null;
}

async function ofRefusal({ surface, operation }: Placed, answer: Answer): Promise<string | null> {
  const codes = codesOf(surface, operation);
  const possible = codes.filter((code) => sampleRefusal(surface, code).status === answer.status);
  if (possible.length === 0) return "a status that it does not name";
  const { code } = (await answer.json()) as { readonly code?: string };
  const isNamed = surface === "v1" || possible.some((one) => one === code);
  return isNamed ? null : `the code ${code}, and it names ${possible.join(", ")}`;
}

function misfit(schema: TSchema, body: unknown): string | null {
  let check = checks.get(schema);
  if (check === undefined) {
    check = TypeCompiler.Compile(closed(schema));
    checks.set(schema, check);
  }
  if (check.Check(body)) return null;
  const { path, message } = check.Errors(body).First() ?? { path: "", message: "does not fit" };
  return `${path}: ${message}`;
}

/** The schema without a place for what it does not name. */
function closed(schema: TSchema): TSchema {
  // What is written as JSON Schema by hand is an object of somebody else's.
  if (schema[Kind] === "Unsafe") return Type.Record(Type.String(), Type.Unknown());
  const properties = schema["properties"] as Readonly<Record<string, TSchema>> | undefined;
  const variants = schema["anyOf"] as readonly TSchema[] | undefined;
  const items = schema["items"] as TSchema | undefined;
  const each = (of: Readonly<Record<string, TSchema>>) =>
    Object.fromEntries(Object.entries(of).map(([name, inner]) => [name, closed(inner)]));
  return {
    ...schema,
    ...(properties === undefined ? {} : { properties: each(properties), additionalProperties: false }),
    ...(variants === undefined ? {} : { anyOf: variants.map(closed) }),
    ...(items === undefined ? {} : { items: closed(items) }),
  };
}
