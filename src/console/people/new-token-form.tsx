/** The form of a new token: its name, what it may do, and how long. */
import { useState } from "preact/hooks";
import type { CreateServiceTokenRequest, Scope } from "../../../sdk/typescript/troupe.ts";
import { CheckField, NumberField, TextField } from "../pieces/fields.tsx";
import { SendForm } from "../pieces/send-form.tsx";
import { SCOPE_WORDS } from "./scope-words.ts";

const DEFAULT_TOKEN_DAYS = 90;
const SCOPE_ENTRIES = Object.entries(SCOPE_WORDS) as [Scope, string][];

export function NewTokenForm({ create }: { readonly create: (body: CreateServiceTokenRequest) => Promise<void> }) {
  const [name, setName] = useState("");
  const [days, setDays] = useState<number | null>(DEFAULT_TOKEN_DAYS);
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set());
  const toggle = (scope: Scope, isChosen: boolean): void =>
    setScopes((last) => {
      const next = new Set(last);
      if (isChosen) next.add(scope);
      else next.delete(scope);
      return next;
    });
  const make = async (): Promise<void> => {
    await create({ name: name.trim(), scopes: [...scopes], ...(days === null ? {} : { expires_in_days: days }) });
    setName("");
    setScopes(new Set());
  };
  const whyNot =
    name.trim() === "" ? "Give it a name first" : scopes.size === 0 ? "Choose what the token may do" : null;
  return (
    <details class="card">
      <summary>New token</summary>
      <SendForm label="New token" send={make} whyNot={whyNot} action="Make the token">
        <TextField label="What it is for" path="/name" value={name} change={setName} />
        <fieldset class="choices">
          <legend>It may</legend>
          {SCOPE_ENTRIES.map(([scope, words]) => (
            <CheckField
              key={scope}
              label={words}
              value={scopes.has(scope)}
              change={(isChosen) => toggle(scope, isChosen)}
            />
          ))}
        </fieldset>
        <NumberField label="Days until it expires" path="/expires_in_days" value={days} change={setDays} />
      </SendForm>
    </details>
  );
}
