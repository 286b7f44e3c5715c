/**
 * Data in a model's output that its provider requires back unchanged: signatures, encrypted reasoning, fields that we
 * do not know. It is stored with its block, sent only to the model that produced it, and never shown to a client.
 */
import { FreeObject, type Json, type Static, Type } from "../schema.ts";

export const ProviderState = Type.Object({
  /** The model that sent it, `provider:name`. */
  model: Type.String(),
  /** Whole parts of the provider's output that stood before the block, in its own format. */
  before: Type.Optional(Type.Array(Type.Unsafe<Json>(Type.Unknown()))),
  /** Further fields of the block itself. */
  fields: Type.Optional(FreeObject),
  /** Further fields of the message that begins with the block. */
  message: Type.Optional(FreeObject),
});
export type ProviderState = Static<typeof ProviderState>;

/** The field of a block of a model's answer. */
export const ProviderStateField = { provider_state: Type.Optional(ProviderState) };
