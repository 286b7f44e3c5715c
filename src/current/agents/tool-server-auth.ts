/** Validates how a caller lets an agent get access to tool servers (ACC-6, ACC-12): each type has fields of its own. */
import type { InputError } from "../../../actors/fault.ts";
import type { ToolServerAuth } from "../../../actors/job/connections.ts";

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

/** The name of the secret of a client that was registered by hand, and where it is in the body. */
export const namedClientSecret = (
  auth: ToolServerAuth | undefined,
  path: string,
): readonly { readonly secret: string; readonly path: string }[] =>
  auth?.client?.secret === undefined ? [] : [{ secret: auth.client.secret, path: `${path}/client/secret` }];
