/** What calls of tools work with, and what they answer. */
import type { Fault } from "../../actors/fault.ts";
import type { JsonObject } from "../../actors/schema.ts";
import type { Refusal } from "../http/answer/dialect.ts";
import type { Invoke } from "../http/request/operations.ts";
import type { Services } from "../operations/services.ts";
import type { AllowedOrigins } from "../http/admission/allowed-origin.ts";
import type { BoundTool } from "./tool-schema.ts";

export interface CallParts {
  readonly services: Pick<Services, "system" | "clock">;
  readonly invoke: Invoke;
}

/** A tool's answer: its structured content, and more. */
export interface ToolAnswer {
  readonly value: JsonObject;
  /** Shown to the model instead of the value as JSON. */
  readonly content?: readonly ToolContent[];
}
export type ToolContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string }
  | {
      readonly type: "resource_link";
      readonly uri: string;
      readonly name: string;
      readonly mimeType: string;
      /** Bytes. */
      readonly size: number;
    };

export interface ServerParts extends CallParts {
  readonly services: Pick<Services, "system" | "clock" | "log" | "facts" | "sealing">;
  /** By name, in the order of the list. */
  readonly tools: ReadonlyMap<string, BoundTool>;
  /** The allowed hosts and origins, and the address of the service. */
  readonly allowed: () => AllowedOrigins;
  /** A refusal, worded as REST words it. */
  readonly refusal: (fault: Fault, requestId: string) => Refusal;
}

/** `legacy`: the revisions that have `initialize`. */
export type Era = "legacy" | "modern";
