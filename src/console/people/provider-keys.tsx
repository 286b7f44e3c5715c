/** The organization's own keys for providers of models, which are secrets by their names. */
import { useState } from "preact/hooks";
import type { Secret } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { useLoaded } from "../loading.tsx";
import { CopyAsCurl, NothingYet } from "../pieces/curl.tsx";
import { ChoiceField, TextField } from "../pieces/fields.tsx";
import { SendForm } from "../pieces/send-form.tsx";
import { service } from "../service.ts";
import { ItemRows } from "../pieces/paged.tsx";

const PROVIDER_KEYS_PATH = "/api/provider-keys";

export function OwnProviderKeys({ secrets }: { readonly secrets: readonly Secret[] }) {
  const found = useLoaded(async (signal) => (await service.listProviderKeys({ signal })).provider_keys, []);
  return (
    <section aria-labelledby="provider-keys">
      <h2 id="provider-keys">Keys of models</h2>
      <p class="quiet">Calls of these providers are paid with your key, not with the operator's.</p>
      <ItemRows
        label="Keys of models"
        of={found}
        empty={
          <NothingYet
            request={{ method: "PUT", path: `${PROVIDER_KEYS_PATH}/anthropic`, body: { secret: "ANTHROPIC_KEY" } }}
          >
            All providers use the operator's keys. Name a secret below, or use a shell:
          </NothingYet>
        }
      >
        {({ provider, secret }) => (
          <li key={provider}>
            <strong>{provider}</strong> with <code>{secret}</code>{" "}
            <ActionButton
              class="quiet"
              question={`Use the operator's key for ${provider} again?`}
              act={() => service.deleteProviderKey(provider)}
              after={found.reload}
            >
              Stop using it
            </ActionButton>
          </li>
        )}
      </ItemRows>
      <ProviderKeyForm secrets={secrets} saved={found.reload} />
      <CopyAsCurl path={PROVIDER_KEYS_PATH} />
    </section>
  );
}

function ProviderKeyForm({ secrets, saved }: { readonly secrets: readonly Secret[]; readonly saved: () => void }) {
  const [provider, setProvider] = useState("");
  const [secret, setSecret] = useState(secrets[0]?.name ?? "");
  const save = async (): Promise<void> => {
    await service.putProviderKey(provider.trim(), { secret });
    setProvider("");
    saved();
  };
  return (
    <SendForm
      label="Use a key of your own"
      send={save}
      whyNot={provider.trim() === "" ? "Name the provider first" : null}
      action="Use this key"
      isQuiet
    >
      <TextField
        label="Provider"
        path="/provider"
        hint="The part before the colon in the names of its models, such as anthropic"
        value={provider}
        change={setProvider}
      />
      <ChoiceField
        label="Secret with the key"
        path="/secret"
        choices={secrets.map(({ name }) => [name, name] as const)}
        value={secret}
        change={setSecret}
      />
    </SendForm>
  );
}
