/** The access by OAuth that an MCP server or an HTTP tool uses, and the client for it if that was registered by hand. */
import type { AuthClientInput, ToolAuthInput } from "../../../sdk/typescript/troupe.ts";
import { ChoiceField, formFields, TextField } from "../pieces/fields.tsx";

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
  const written = { issuer: "", id: "", secret: "", ...client };
  const field = formFields(`${path}/client`, written, (changes) => {
    const next = { ...written, ...changes };
    const isEmpty = Object.values(next).every((text) => text === "");
    const { secret: name, ...rest } = next;
    change(isEmpty ? undefined : { ...rest, ...(name === "" ? {} : { secret: name }) });
  });
  return (
    <div class="columns">
      <TextField
        label="Client id"
        hint="Only for a client that you have registered by hand: otherwise leave these three fields empty"
        {...field("id")}
      />
      <TextField
        label="Secret of the client"
        hint="The name of a secret of the organization; empty if the client has none"
        {...field("secret")}
      />
      <TextField
        label="Authorization server of the client"
        hint="Its issuer, such as https://auth.example; no other server gets the secret"
        {...field("issuer")}
      />
    </div>
  );
}

/** The access with this client, or without one. */
function withClient<A extends ToolAuthInput>(auth: A, client: AuthClientInput | undefined): A {
  const { client: _, ...rest } = auth;
  return { ...rest, ...(client === undefined ? {} : { client }) } as A;
}
