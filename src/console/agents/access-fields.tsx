/** The access by OAuth that an MCP server or an HTTP tool uses, and the client for it if that was registered by hand. */
import type { AuthClientInput, ToolAuthInput } from "../../../sdk/typescript/troupe.ts";
import { ChoiceField, TextField } from "../pieces/fields.tsx";

const ACCESS_CHOICES = [
  ["", "none, or a secret in a header"],
  ["person", "that of the person for whom a job works"],
  ["organization", "that of the organization"],
] as const;

interface AccessFieldsProps<A> {
  readonly auth: A | undefined;
  /** Of `auth` in the agent. */
  readonly path: string;
  readonly change: (auth: A | undefined) => void;
}

export function AccessFields<A extends ToolAuthInput>({ auth, path, change }: AccessFieldsProps<A>) {
  return (
    <>
      <ChoiceField
        label="Whose access it uses"
        path={path}
        hint="Access by OAuth; people consent to it on the page of their connections"
        value={auth?.owner ?? ""}
        change={(owner) => change(owner === "" ? undefined : ({ ...auth, type: "oauth", owner } as A))}
        choices={ACCESS_CHOICES}
      />
      {auth?.type === "oauth" ? (
        <AuthClientFields client={auth.client} path={path} change={(client) => change(withClient(auth, client))} />
      ) : null}
    </>
  );
}

interface AuthClientFieldsProps {
  readonly client: AuthClientInput | undefined;
  readonly path: string;
  /** Undefined if nothing is written in the fields: the service then registers itself. */
  readonly change: (client: AuthClientInput | undefined) => void;
}

function AuthClientFields({ client, path, change }: AuthClientFieldsProps) {
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
        hint="Only for a client that you have registered by hand: otherwise leave these three fields empty"
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
function withClient<A extends ToolAuthInput>(auth: A, client: AuthClientInput | undefined): A {
  const { client: _, ...rest } = auth;
  return { ...rest, ...(client === undefined ? {} : { client }) } as A;
}
