/** Parameters that chat completions and responses share, as terms of a run. */
import { definedFields } from "../../../actors/changes.ts";
import { type CallSettings, EFFORTS, MOST_STOPS, STOP_CHARACTERS } from "../../../actors/job/model-settings.ts";
import { FreeObject, isJsonObject, type JsonObject, Type } from "../../../actors/schema.ts";
import { MIB } from "../../../actors/units.ts";
import type { GivenRun } from "../runs/begin-run.ts";
import type { GivenTool } from "../runs/client-tools.ts";

const RETRY_HEADER = "x-stainless-retry-count";

/** What the contracts of the operations that begin a run share. Images are in their bodies, so these may be large. */
export const RUN_CONTRACT = {
  scope: "chats:write",
  headers: { [RETRY_HEADER]: Type.String() },
  bodyBytes: 32 * MIB,
  answers: { 200: FreeObject },
  errors: ["invalid_state", "budget_exceeded", "provider_error"],
} as const;

/** Whether OpenAI's SDK says that it sends the request again. */
export const isRetriedRun = (headers: { readonly [RETRY_HEADER]?: string | undefined }): boolean =>
  Number(headers[RETRY_HEADER] ?? 0) > 0;

export const SETTING_FIELDS = {
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  stop: Type.Optional(Type.Unknown()),
  reasoning_effort: Type.Optional(Type.String()),
} as const;

interface SentSettings {
  readonly temperature?: number | undefined;
  readonly top_p?: number | undefined;
  readonly stop?: unknown;
  readonly reasoning_effort?: string | undefined;
}

/** The settings of the model. What it does not take is left out when the run begins. */
export function askedSettings(
  { temperature, top_p: topP, stop, reasoning_effort: given }: SentSettings,
  maxOutputTokens: number | undefined,
): CallSettings {
  const effort = EFFORTS.find((one) => one === given);
  const stops = (typeof stop === "string" ? [stop] : Array.isArray(stop) ? stop : []).filter(
    (text: unknown): text is string => typeof text === "string" && text !== "" && text.length <= STOP_CHARACTERS,
  );
  return {
    ...definedFields({ temperature, topP, effort, maxOutputTokens }),
    ...(stops.length === 0 ? {} : { stop: stops.slice(0, MOST_STOPS) }),
  };
}

const NO_ARGUMENTS: JsonObject = { type: "object", properties: {} };

/**
 * The client's functions, in either form: `{type, function: {name, …}}` or `{type, name, …}`. Tools of other types are
 * OpenAI's own, such as its web search; an agent has its own instead.
 */
/** The label of the agent's own tools, which are those of a server to clients of Responses. */
export const TOOL_SERVER = "troupe";

/** Whether the client names that server among its tools: then it decides approvals, and does not wait for a person's. */
export const decidesApprovals = (tools: readonly JsonObject[]): boolean =>
  tools.some(({ type, server_label: label }) => type === "mcp" && label === TOOL_SERVER);

export const functionTools = (tools: readonly JsonObject[]): readonly GivenTool[] =>
  tools.flatMap((tool) => {
    if (tool["type"] !== "function") return [];
    const given = isJsonObject(tool["function"]) ? tool["function"] : tool;
    const { name, description, parameters } = given;
    return [
      {
        name: typeof name === "string" ? name : "",
        description: typeof description === "string" ? description : "",
        inputSchema: isJsonObject(parameters) ? parameters : NO_ARGUMENTS,
      },
    ];
  });

/** The schema of the answer, of `response_format` or `text.format`. */
export function answerFormat(
  format: JsonObject | undefined,
  field: string,
): Pick<GivenRun, "outputSchema" | "schemaField"> {
  if (format?.["type"] === "json_object") return { outputSchema: { type: "object" }, schemaField: field };
  if (format?.["type"] !== "json_schema") return {};
  const isNested = isJsonObject(format["json_schema"]);
  const schema = isNested ? (format["json_schema"] as JsonObject)["schema"] : format["schema"];
  const schemaField = isNested ? `${field}/json_schema/schema` : `${field}/schema`;
  return { outputSchema: isJsonObject(schema) ? schema : {}, schemaField };
}
