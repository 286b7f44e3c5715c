/**
 * The records that fields of a body or a query name by their ids (`naming`), for refusals: an operation only says that
 * there is no such agent, and the caller hears which field names none (ERR-6).
 */
import type { Fault, Noun } from "../../../actors/fault.ts";
import { NAMED_NOUN } from "../contract/field.ts";
import { type AnyInput, isJsonBody, type OperationContract } from "../contract/operation.ts";

interface NamingField {
  readonly place: "query" | "body";
  readonly name: string;
  readonly noun: Noun;
}

export class NamedRecords {
  private readonly fields: readonly NamingField[];

  constructor({ query = {}, body }: OperationContract) {
    const places = { query, body: isJsonBody(body) ? body.properties : {} };
    this.fields = (["query", "body"] as const).flatMap((place) =>
      Object.entries(places[place]).flatMap(([name, schema]): NamingField[] =>
        NAMED_NOUN in schema ? [{ place, name, noun: schema[NAMED_NOUN] as Noun }] : [],
      ),
    );
  }

  /** The fault, with the given fields that name such a record where that is what is not there. */
  located(fault: Fault, input: AnyInput): Fault {
    if (fault.kind !== "not_found") return fault;
    const given = this.fields.filter(({ place, name, noun }) => noun === fault.noun && isGiven(input[place], name));
    return given.length === 0 ? fault : { ...fault, fields: given.map(({ name }) => name) };
  }
}

const isGiven = (fields: unknown, name: string): boolean =>
  typeof (fields as Readonly<Record<string, unknown>> | undefined)?.[name] === "string";
