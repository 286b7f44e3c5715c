/**
 * Validates the `auth` of a tool server (ACC-6, ACC-12): each type has its own fields, and named secrets must exist.
 */
import { type InputError, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import type { ToolServerAuth } from "../../../actors/job/connections.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import type { Services } from "../../operations/services.ts";

type AnyToolAuth = ToolServerAuth & { readonly resource?: string };

const OWN_FIELDS: Readonly<Record<ToolServerAuth["type"], readonly (keyof AnyToolAuth)[]>> = {
  oauth: ["owner", "scopes", "resource", "client"],
  identity: ["audience"],
};

/** `path`: where `auth` is in the body. */
export function authErrors(auth: AnyToolAuth, path: string): InputError[] {
  const field = (name: string): string => `${path.slice(1).replaceAll("/", ".")}.${name}`;
  const missing = auth.type === "oauth" && auth.owner === undefined ? ["owner"] : [];
  const extra = Object.entries(OWN_FIELDS)
    .filter(([type]) => type !== auth.type)
    .flatMap(([type, names]) => names.filter((name) => auth[name] !== undefined).map((name) => ({ type, name })));
  const wrong = auth.client === undefined || isIssuer(auth.client.issuer) ? [] : ["client/issuer"];
  return [
    ...wrong.map((name) => ({
      path: `${path}/${name}`,
      message: `Field ${field(name.replace("/", "."))} must be a complete URL without a user name, password, query or fragment`,
    })),
    ...missing.map((name) => ({ path: `${path}/${name}`, message: `Missing required field: ${field(name)}` })),
    ...extra.map(({ type, name }) => ({
      path: `${path}/${name}`,
      message: `Field ${field(name)} is only for auth of the type ${type}; this one is ${auth.type}`,
    })),
  ];
}

/** By RFC 8414; the user name and the password would be shown to everybody who may read the agent. */
function isIssuer(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && url.username + url.password + url.search + url.hash === "";
}

/** A name of a secret, and where it is in the body. */
export interface NamedSecret {
  readonly secret: string;
  readonly path: string;
}

/** The secret of a client that was registered by hand. */
export const namedClientSecret = (auth: ToolServerAuth | undefined, path: string): readonly NamedSecret[] =>
  auth?.client?.secret === undefined ? [] : [{ secret: auth.client.secret, path: `${path}/client/secret` }];

/** Refuses names of secrets that the organization does not have. */
export async function knownSecrets(
  { system }: Pick<Services, "system">,
  organizationId: string,
  named: readonly NamedSecret[],
): Promise<Outcome<null>> {
  if (named.length === 0) return ok(null);
  const secrets = await system.dispatch(organizationRef(organizationId), { kind: "list_secrets" });
  if (!secrets.ok) return secrets;
  const known = new Set(secrets.value.map(({ name }) => name));
  const errors = named
    .filter(({ secret }) => !known.has(secret))
    .map(({ secret, path }) => ({
      path,
      message: `There is no secret ${secret}: store it first with PUT /api/secrets/${secret}`,
    }));
  return errors.length === 0 ? ok(null) : refuse({ kind: "invalid_request", errors });
}
