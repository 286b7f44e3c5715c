/** An agent's own tools on the current surface: input and view (RUN-12, RUN-13). */
import { FreeObject, type JsonObject, OneOf, type Static, Type, WEB_ADDRESS } from "../../../actors/schema.ts";
import {
  ARGUMENT_PLACES,
  type AgentTool,
  HTTP_METHODS,
  ToolHeader,
  ToolServerAuth,
} from "../../../actors/job/connections.ts";
import { noun } from "../../http/contract/noun.ts";
import type { Shown } from "../../http/contract/operation.ts";

export const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_RETRY = { times: 2, pauseMs: 500 } as const;

const Argument = noun("ToolArgument", "Where an argument of a tool goes in its request", {
  name: Type.String({
    pattern: "^[A-Za-z0-9_.-]{1,64}$",
    form: "1 to 64 letters, digits, `_`, `.` and `-`",
    description: "Property of `input_schema`",
    examples: ["article"],
  }),
  place: OneOf(ARGUMENT_PLACES, {
    description: "Where the argument goes in the request; with `body` it is the whole body",
  }),
  as: Type.Optional(
    Type.String({
      pattern: "^\\S{1,128}$",
      form: "1 to 128 characters without spaces",
      description: "Name in the request; by default the name of the argument",
      examples: ["article_id"],
    }),
  ),
});

const SentHeader = noun("ToolHeader", "A header of a tool's requests: a prefix and a secret, or a fixed value", {
  name: Type.String({
    ...ToolHeader.properties.name,
    description: "Name of the header",
    examples: ["Authorization"],
  }),
  secret: ToolHeader.properties.secret,
  prefix: ToolHeader.properties.prefix,
  value: Type.Optional(
    Type.String({
      ...ToolHeader.properties.value,
      description: "A fixed value, instead of a secret; credentials are always secrets",
      examples: ["2026-11-01"],
    }),
  ),
});

const RetryTimes = Type.Integer({
  minimum: 0,
  maximum: 5,
  description: "Number of retries; 2 by default",
});
const RetryPause = Type.Integer({
  minimum: 100,
  maximum: 30_000,
  description: "Milliseconds before the first retry, doubled for each further one; 500 by default",
});

const URL_EXAMPLE = "https://shop.example/articles/{article}";
const Url = Type.String({
  pattern: "^https?://",
  form: WEB_ADDRESS,
  maxLength: 2_048,
  description: "For `http`: URL of the request; `{argument}` in its path is replaced by the argument",
  examples: [URL_EXAMPLE],
});
const Repeatable = Type.Boolean({
  description: "Whether a request with an unknown outcome may be repeated; by default `true` for GET, PUT and DELETE",
});
const Method = OneOf(HTTP_METHODS, { description: "For `http`: method of the request" });
const Arguments = Type.Array(Argument, {
  maxItems: 64,
  description:
    "Where arguments go. Arguments that are not listed go into the path if the URL has a placeholder for them, else into the JSON body, or into the query of GET and DELETE",
});

/** Settings that the requests of several tools can share. */
export const REQUEST_SETTINGS = {
  headers: Type.Optional(Type.Array(SentHeader, { maxItems: 8, description: "Headers of each request" })),
  timeout_ms: Type.Optional(
    Type.Integer({
      minimum: 100,
      maximum: 120_000,
      description: "Timeout of one request in milliseconds; 30,000 by default",
    }),
  ),
  retry: Type.Optional(
    Type.Object(
      { times: Type.Optional(RetryTimes), pause_ms: Type.Optional(RetryPause) },
      { $id: "ToolRetry", description: "How often a request is retried after a transient failure" },
    ),
  ),
  signing_secret: Type.Optional(
    Type.String({
      ...ToolHeader.properties.secret,
      description: "Name of a secret (`whsec_…`) that signs each request like a webhook",
      examples: ["SHOP_SIGNING"],
    }),
  ),
};

const ToolAuth = noun("ToolAuth", "Access of an HTTP tool, by OAuth or by the agent's identity", {
  ...ToolServerAuth.properties,
  resource: Type.Optional(
    Type.String({
      pattern: "^https?://",
      form: WEB_ADDRESS,
      maxLength: 2_048,
      description:
        "For `oauth`: the address that access is asked for, of the same origin as `url`; by default that origin",
      examples: ["https://shop.example"],
    }),
  ),
});

const own = {
  name: Type.String({
    pattern: "^[A-Za-z0-9_-]{1,64}$",
    form: "1 to 64 letters, digits, `_` and `-`",
    description: "Name of the tool",
    examples: ["lookup"],
  }),
  description: Type.String({
    pattern: "\\S",
    maxLength: 2_048,
    description: "What the tool does; models read this",
    examples: ["Looks up the price of an article"],
  }),
  input_schema: Type.Unsafe<JsonObject>(FreeObject),
  kind: OneOf(["client", "http"] as const, {
    description: "Who runs the tool. `client`: your program; `http`: the service, as an HTTP request",
  }),
};

const OF_HTTP = {
  method: Type.Optional(Method),
  url: Type.Optional(Url),
  arguments: Type.Optional(Arguments),
  ...REQUEST_SETTINGS,
  repeatable: Type.Optional(Repeatable),
  auth: Type.Optional(ToolAuth),
};
export const HTTP_TOOL_FIELDS = Object.keys(OF_HTTP) as (keyof typeof OF_HTTP)[];

/** A tool that belongs to one agent. */
export const AgentToolBody = noun("AgentTool", "A tool that only one agent has", { ...own, ...OF_HTTP });
export type AgentToolBody = Static<typeof AgentToolBody>;

export const AgentToolView = noun("AgentTool", "A tool that only one agent has", {
  ...AgentToolBody.properties,
  retry: Type.Optional(
    noun("ToolRetry", "How often a request is retried after a transient failure", {
      times: RetryTimes,
      pause_ms: RetryPause,
    }),
  ),
});

/**
 * The tool as given, with defaults filled in. `toolKindErrors` refuses an `http` tool without an address or a
 * method.
 */
export function agentToolOf(body: AgentToolBody): AgentTool {
  const { name, description, input_schema: inputSchema, kind, method, url, auth } = body;
  const base = { name, description, inputSchema, kind };
  if (method === undefined || url === undefined) return base;
  return {
    ...base,
    http: {
      method,
      url,
      headers: body.headers ?? [],
      arguments: body.arguments ?? [],
      timeoutMs: body.timeout_ms ?? DEFAULT_TIMEOUT_MS,
      retry: {
        times: body.retry?.times ?? DEFAULT_RETRY.times,
        pauseMs: body.retry?.pause_ms ?? DEFAULT_RETRY.pauseMs,
      },
      // By HTTP, these methods are idempotent.
      repeatable: body.repeatable ?? (method !== "POST" && method !== "PATCH"),
      signingSecret: body.signing_secret ?? null,
      ...(auth === undefined ? {} : { auth: accessOfTool(auth, url) }),
    },
  };
}

const accessOfTool = (auth: NonNullable<AgentToolBody["auth"]>, url: string) =>
  auth.type === "identity" ? auth : { ...auth, resource: auth.resource ?? originOfTool(url) };

/** Empty if the text is not a URL, which is refused. */
const originOfTool = (url: string): string => URL.parse(url.replaceAll(/[{}]/g, ""))?.origin ?? "";

export function agentToolView({ name, description, inputSchema, kind, http }: AgentTool): Shown<typeof AgentToolView> {
  const base = { name, description, input_schema: inputSchema, kind };
  if (http === undefined) return base;
  const { method, url, headers, timeoutMs, retry, repeatable, signingSecret } = http;
  return {
    ...base,
    method,
    url,
    arguments: http.arguments,
    headers,
    timeout_ms: timeoutMs,
    retry: { times: retry.times, pause_ms: retry.pauseMs },
    repeatable,
    ...(signingSecret === null ? {} : { signing_secret: signingSecret }),
    ...(http.auth === undefined ? {} : { auth: http.auth }),
  };
}
