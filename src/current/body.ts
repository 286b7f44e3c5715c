/** Bodies of the current surface: JSON objects by their schema, within the limits of what they hold (ERR-5). */
import { ok, type Outcome } from "../../actors/fault.ts";
import type { Static } from "../../actors/schema.ts";
import { readJsonObject } from "../http/json-body.ts";
import type { Body, BodySchema } from "../http/validation.ts";

/** The body that the operation needs. */
export async function bodyOf<S extends BodySchema>(request: Request, body: Body<S>): Promise<Outcome<Static<S>>> {
  const json = await readJsonObject(request);
  return json.ok ? body.parse(json.value) : json;
}

/** The body of an operation that can do without one. */
export function optionalBodyOf<S extends BodySchema>(request: Request, body: Body<S>): Promise<Outcome<Static<S>>> {
  const isAbsent = request.body === null || request.headers.get("content-length") === "0";
  return isAbsent ? Promise.resolve(body.parse({})) : bodyOf(request, body);
}

/** An outcome's value changed, its refusal kept. */
export const mapped = <T, U>(outcome: Outcome<T>, map: (value: T) => U): Outcome<U> =>
  outcome.ok ? ok(map(outcome.value)) : outcome;
