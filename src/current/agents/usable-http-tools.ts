/**
 * Validates the requests that a caller lets an agent make (RUN-13): addresses, headers, arguments, and the secrets
 * in them.
 */
import { type InputError, type Outcome, refuse } from "../../../actors/fault.ts";
import {
  isArgumentHeader,
  isCredentialHeader,
  isReservedHeader,
  isServiceHeader,
} from "../../../actors/header-name.ts";
import {
  type AgentTool,
  type HttpCall,
  secretsOfTool,
  usesOrganizationAccess,
} from "../../../actors/job/connections.ts";
import { type Principal, secretsRefusal } from "../../../actors/organization/principal.ts";
import type { Services } from "../../operations/services.ts";
import { authErrors, knownSecrets, namedClientSecret, type NamedSecret } from "./tool-server-auth.ts";
import { type AgentToolBody, HTTP_TOOL_FIELDS } from "./tool-schema.ts";

const PLACEHOLDER = /\{([^{}/]*)\}/g;

/** Refuses tools whose fields do not belong to their kind. */
export function toolKindErrors(tools: readonly AgentToolBody[]): InputError[] {
  return tools.flatMap((tool, i) => {
    const wanted = tool.kind === "http" ? (["method", "url"] as const) : [];
    const missing = wanted.filter((field) => tool[field] === undefined);
    const extra = tool.kind === "http" ? [] : HTTP_TOOL_FIELDS.filter((field) => tool[field] !== undefined);
    return [
      ...missing.map((field) => ({
        path: `/tools/${i}/${field}`,
        message: `Missing required field: tools.${i}.${field}`,
      })),
      ...extra.map((field) => ({
        path: `/tools/${i}/${field}`,
        message: `Field tools.${i}.${field} is only for tools of the kind http; this one is ${tool.kind}`,
      })),
    ];
  });
}

/** Refuses invalid requests, forbidden addresses (HOOK-11), and unknown secrets. */
export async function usableHttpTools(
  { system, webhookTools }: Pick<Services, "system" | "webhookTools">,
  principal: Principal,
  tools: readonly AgentTool[],
): Promise<Outcome<null>> {
  const errors = tools.flatMap(({ http, inputSchema }, i) =>
    http === undefined
      ? []
      : requestErrors(http, Object.keys((inputSchema["properties"] ?? {}) as object), `/tools/${i}`),
  );
  if (errors.length > 0) return refuse({ kind: "invalid_request", errors });
  const named = tools.some((tool) => secretsOfTool(tool).length > 0);
  const usesAccess = tools.some(({ http }) => usesOrganizationAccess(http?.auth));
  const refused = named || usesAccess ? secretsRefusal(principal) : null;
  if (refused !== null) return refuse(refused);
  const hosts = new Map<string, number>();
  for (const [i, { http }] of tools.entries()) {
    const { origin } = URL.parse(http === undefined ? "" : plainUrl(http.url)) ?? {};
    if (origin !== undefined && !hosts.has(origin)) hosts.set(origin, i);
  }
  const refusals = await Promise.all(
    [...hosts].map(async ([origin, i]) => ({ path: `/tools/${i}/url`, message: await webhookTools.refusalOf(origin) })),
  );
  const unreachable = refusals.flatMap(({ path, message }) => (message === null ? [] : [{ path, message }]));
  if (unreachable.length > 0) return refuse({ kind: "invalid_request", errors: unreachable });
  const secrets = tools.flatMap((tool, i) => secretsIn(tool, `/tools/${i}`));
  return knownSecrets({ system }, principal.organizationId, secrets);
}

const secretsIn = ({ http }: AgentTool, path: string): readonly NamedSecret[] =>
  http === undefined
    ? []
    : [
        ...http.headers.flatMap(({ secret }, n) =>
          secret === undefined ? [] : [{ secret, path: `${path}/headers/${n}/secret` }],
        ),
        ...(http.signingSecret === null ? [] : [{ secret: http.signingSecret, path: `${path}/signing_secret` }]),
        ...namedClientSecret(http.auth, `${path}/auth`),
      ];

const plainUrl = (url: string): string => url.replace(PLACEHOLDER, "x");

function requestErrors(http: HttpCall, names: readonly string[], path: string): InputError[] {
  return [
    ...urlErrors(http, names, path),
    ...headerErrors(http, path),
    ...argumentErrors(http, names, path),
    ...accessErrors(http, path),
  ];
}

/** The token is sent to the address that it is for, and to no other origin. */
function accessErrors({ url, auth, headers }: HttpCall, path: string): InputError[] {
  if (auth === undefined) return [];
  const at = (field: string, message: string): InputError[] => [{ path: `${path}/auth${field}`, message }];
  if (headers.some(({ name }) => name.toLowerCase() === "authorization"))
    return at("", "A tool with auth cannot have the header Authorization: the service sends the access token in it");
  const errors = authErrors(auth, `${path}/auth`);
  if (errors.length > 0 || auth.type === "identity") return errors;
  const resource = URL.parse(auth.resource ?? "");
  if (resource === null || resource.username !== "" || resource.password !== "" || resource.hash !== "")
    return at("/resource", "The resource must be a complete URL, without a user name, password or fragment");
  return resource.origin === URL.parse(plainUrl(url))?.origin
    ? []
    : at("/resource", "The resource must have the same origin as the url of the tool: tokens are sent there only");
}

/** Parsers skip more slashes, backslashes and tabs before the host, which then is not where arguments are looked for. */
const HOST_FOLLOWS = /^https?:\/\/[^/\\\s]/i;

function urlErrors({ url, arguments: listed }: HttpCall, names: readonly string[], path: string): InputError[] {
  const at = (message: string): InputError[] => [{ path: `${path}/url`, message }];
  const parsed = URL.parse(plainUrl(url));
  if (parsed === null || !HOST_FOLLOWS.test(url)) return at("The url of a tool must be a complete URL");
  // Everybody who may read the agent sees the record.
  if (parsed.username !== "" || parsed.password !== "")
    return at("The url of a tool must not have a user name or password; use a header with a secret");
  if (url.includes("#")) return at("The url of a tool must not have a fragment");
  const [address = "", query = ""] = url.split("?", 2);
  const [, , host = ""] = address.split("/");
  if (/[{}]/.test(host + query)) return at("The url can have arguments only in its path; list others in `arguments`");
  if (/[{}]/.test(address.replace(PLACEHOLDER, ""))) return at("A `{` in the path of the url needs its `}`");
  const inPath = new Set(listed.filter(({ place }) => place === "path").map(({ name, as }) => as ?? name));
  const unknown = [...address.matchAll(PLACEHOLDER)]
    .map(([, name = ""]) => name)
    .find((name) => !inPath.has(name) && !names.includes(name));
  return unknown === undefined
    ? []
    : at(`\`{${unknown}}\` is not an argument of the tool: its input_schema has no such property`);
}

function headerErrors({ headers }: HttpCall, path: string): InputError[] {
  return headers.flatMap(({ name, secret, value, prefix }, n) => {
    const at = (message: string, field = ""): InputError[] => [{ path: `${path}/headers/${n}${field}`, message }];
    if (isReservedHeader(name) || isServiceHeader(name))
      return at("The service sets a header of this name itself", "/name");
    if ((secret === undefined) === (value === undefined)) return at("A header has either a secret or a value");
    if (value !== undefined && prefix !== undefined) return at("prefix is only for a header with a secret", "/prefix");
    if (value !== undefined && isCredentialHeader(name))
      return at("A header with credentials must name a secret: store it with PUT /api/secrets/{name}", "/value");
    const isTwice = headers.slice(0, n).some((other) => other.name.toLowerCase() === name.toLowerCase());
    return isTwice ? at("There is already a header with this name", "/name") : [];
  });
}

function argumentErrors(
  { url, method, headers, arguments: listed }: HttpCall,
  names: readonly string[],
  path: string,
): InputError[] {
  return listed.flatMap(({ name, place, as = name }, n) => {
    const at = (message: string): InputError[] => [{ path: `${path}/arguments/${n}`, message }];
    if (!names.includes(name)) return at(`The input_schema has no property ${name}`);
    if (listed.slice(0, n).some((other) => other.name === name)) return at(`The argument ${name} is already placed`);
    if (place === "path" && !url.includes(`{${as}}`)) return at(`The url has no {${as}}`);
    if (place === "body" && method === "GET") return at("A GET has no body");
    if (place === "body" && listed.slice(0, n).some((other) => other.place === "body"))
      return at("Only one argument can be the whole body");
    if (place !== "header") return [];
    const isTaken = headers.some((header) => header.name.toLowerCase() === as.toLowerCase());
    if (!isArgumentHeader(as) || isTaken) return at(`An argument cannot be the header ${as}`);
    return [];
  });
}
