/** The OAuth client that was registered by hand at an authorization server, for access to a server or a tool. */
import type { AuthClientInput } from "../../../sdk/typescript/troupe.ts";
import { TextField } from "../pieces/fields.tsx";

interface AuthClientFieldsProps {
  readonly client: AuthClientInput | undefined;
  /** Of `auth` in the agent. */
  readonly path: string;
  /** Undefined if nothing is written in the fields: the service then registers itself. */
  readonly change: (client: AuthClientInput | undefined) => void;
}

export function AuthClientFields({ client, path, change }: AuthClientFieldsProps) {
  const { issuer = "", id = "", secret = "" } = client ?? {};
  const set = (changes: { readonly issuer?: string; readonly id?: string; readonly secret?: string }): void => {
    const next = { issuer, id, secret, ...changes };
    const isEmpty = Object.values(next).every((text) => text === "");
    const { secret: name, ...rest } = next;
    change(isEmpty ? undefined : { ...rest, ...(name === "" ? {} : { secret: name }) });
  };
  return (
    <div class="columns">
      <TextField
        label="Client id"
        path={`${path}/client/id`}
        hint="Of a client that you have registered by hand; else leave these three empty"
        value={id}
        change={(text) => set({ id: text })}
      />
      <TextField
        label="Secret of the client"
        path={`${path}/client/secret`}
        hint="The name of a secret of the organization; empty if the client has none"
        value={secret}
        change={(text) => set({ secret: text })}
      />
      <TextField
        label="Authorization server of the client"
        path={`${path}/client/issuer`}
        hint="Its issuer, such as https://auth.example; no other server gets the secret"
        value={issuer}
        change={(text) => set({ issuer: text })}
      />
    </div>
  );
}

/** The access with this client, or without one. */
export function withClient<A extends { readonly client?: AuthClientInput }>(
  auth: A | undefined,
  client: AuthClientInput | undefined,
): A | undefined {
  if (auth === undefined) return undefined;
  const { client: _, ...rest } = auth;
  return { ...rest, ...(client === undefined ? {} : { client }) } as A;
}
