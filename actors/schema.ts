/**
 * The door to TypeBox, and the shapes that every noun shares. Schemas are the single source of
 * types (`Static`), validation and contract; nouns stand beside their actor, bodies beside their
 * surface. Inside, records are camelCase and immutable; snake_case exists only at the edge (GEN-1).
 */
import { Kind, type Static, type TSchema, Type, TypeRegistry } from "@sinclair/typebox";

export { type Static, type TSchema, Type };

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

const ONE_OF = "OneOf";
TypeRegistry.Set<{ enum: readonly string[] }>(
  ONE_OF,
  (schema, value) => typeof value === "string" && schema.enum.includes(value),
);

/** A string that is one of `values`: an `enum` in the contract, and checked as one. */
export const OneOf = <const V extends readonly string[]>(values: V, options: object = {}) =>
  Type.Unsafe<V[number]>({ [Kind]: ONE_OF, type: "string", enum: [...values], ...options });

/** ISO 8601 UTC with milliseconds, as stored and as sent. */
export const Timestamp = Type.String({ description: "ISO 8601 UTC with milliseconds" });

export const isoTime = (ms: number): string => new Date(ms).toISOString();

/** What every record carries; the runtime stamps `version` and `updatedAt` (GEN-5). */
export const RecordBase = {
  id: Type.String(),
  organizationId: Type.String(),
  version: Type.Integer({ minimum: 1 }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};
