/** The secrets of the organization: names only, since values are write-only. */
import { useState } from "preact/hooks";
import type { Secret } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { Time } from "../format/time.tsx";
import { useLoaded } from "../loading.tsx";
import { CopyAsCurl, NothingYet } from "../pieces/curl.tsx";
import { SecretField, TextField } from "../pieces/fields.tsx";
import { SendForm } from "../pieces/send-form.tsx";
import { OwnersOnly } from "../pieces/owners-only.tsx";
import { service } from "../service.ts";
import { TitledPage } from "../title.tsx";
import { OwnProviderKeys } from "./provider-keys.tsx";
import { ItemRows } from "../pieces/paged.tsx";

const SECRETS_PATH = "/api/secrets";

export function SecretsPage() {
  return (
    <TitledPage title="Secrets">
      <p class="quiet">Agents, repositories and keys of models name them. Nobody can read a value again.</p>
      <OwnersOnly what="secrets">
        <OwnSecrets />
      </OwnersOnly>
    </TitledPage>
  );
}

function OwnSecrets() {
  const found = useLoaded(async (signal) => (await service.listSecrets({ signal })).secrets, []);
  return (
    <>
      <SecretForm saved={found.reload} />
      <ItemRows
        label="Secrets"
        of={found}
        empty={
          <NothingYet request={{ method: "PUT", path: `${SECRETS_PATH}/GITHUB_TOKEN`, body: { value: "ghp_…" } }}>
            There are no secrets. From a terminal:
          </NothingYet>
        }
      >
        {(secret) => <SecretRow key={secret.name} secret={secret} deleted={found.reload} />}
      </ItemRows>
      {found.value === null || found.value.length === 0 ? null : <OwnProviderKeys secrets={found.value} />}
      <CopyAsCurl path={SECRETS_PATH} />
    </>
  );
}

function SecretForm({ saved }: { readonly saved: () => void }) {
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const save = async (): Promise<void> => {
    await service.putSecret(name.trim(), { value });
    setName("");
    setValue("");
    saved();
  };
  const whyNot = name.trim() === "" ? "Give it a name first" : value === "" ? "Give it a value first" : null;
  return (
    <SendForm label="Write a secret" send={save} whyNot={whyNot} action="Write the secret">
      <TextField
        label="Name"
        path="/name"
        hint="An existing secret gets the new value, which rotates it."
        value={name}
        change={setName}
      />
      <SecretField label="Value" path="/value" value={value} change={setValue} />
    </SendForm>
  );
}

function SecretRow({
  secret: { name, updated_at },
  deleted,
}: {
  readonly secret: Secret;
  readonly deleted: () => void;
}) {
  return (
    <li>
      <code>{name}</code>{" "}
      <span class="quiet">
        written <Time at={updated_at} />
      </span>
      <p class="actions">
        <ActionButton
          class="quiet"
          question={`Delete the secret ${name}? A secret that is in use is not deleted.`}
          act={() => service.deleteSecret(name)}
          after={deleted}
        >
          Delete
        </ActionButton>
      </p>
    </li>
  );
}
