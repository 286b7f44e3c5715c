/** Why a model stopped (RUN-27). */
import { OneOf, Type } from "../schema.ts";

/** Why a model ended its answer, in the same words for all providers. */
export const STOP_REASONS = [
  /** The answer is complete. */
  "stop",
  /** It calls tools. */
  "tool_use",
  /** The answer reached a limit of tokens and was cut. */
  "length",
  /** The provider's filter withheld the answer or its rest. */
  "content_filter",
  /** The model declined to answer. */
  "refusal",
  /** For another reason, or the provider has named none. */
  "other",
] as const;
export type StopReason = (typeof STOP_REASONS)[number];

/** Absent in records of earlier versions. */
export const StopReasonField = Type.Optional(Type.Union([OneOf(STOP_REASONS), Type.Null()]));

/** Whether an answer that ended so is only a part of what the model would have said. */
export const isPartial = (reason: StopReason): boolean =>
  reason === "length" || reason === "content_filter" || reason === "refusal";
