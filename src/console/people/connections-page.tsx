/** The access to tool servers that the person, or an owner for the organization, has consented to. */
import { useState } from "preact/hooks";
import type { Connection, ConnectionTrial } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { KnownTime, Time } from "../format/time.tsx";
import { useRepeat } from "../loading.tsx";
import { CopyAsCurl, NothingYet } from "../pieces/curl.tsx";
import { ChoiceField, TextField } from "../pieces/fields.tsx";
import { SendForm } from "../pieces/send-form.tsx";
import { ItemName, ItemRows, usePaged } from "../pieces/paged.tsx";
import { isolated, service } from "../service.ts";
import { memberName } from "../session.ts";
import { TitledPage } from "../title.tsx";

const CONNECTIONS_API_PATH = "/api/connections";
/** The person consents in another tab. */
const REFRESH_SECONDS_OF_CONNECTIONS = 5;

export function ConnectionsPage() {
  const paged = usePaged(
    (query, options) => service.listConnections(query, options),
    (page) => page.connections,
  );
  useRepeat(paged.reload, REFRESH_SECONDS_OF_CONNECTIONS);
  return (
    <TitledPage title="Connections">
      <p class="quiet">Agents use them at tool servers, and at no other address. Nobody can read the access.</p>
      <NewConnection made={paged.reload} />
      <ItemRows
        label="Connections"
        of={paged}
        empty={
          <NothingYet
            request={{ method: "POST", path: CONNECTIONS_API_PATH, body: { url: "https://mcp.example.com/" } }}
          >
            There is no connection yet. An agent asks for one when it needs it. From a terminal:
          </NothingYet>
        }
      >
        {(connection) => <ConnectionRow key={connection.id} connection={connection} changed={paged.reload} />}
      </ItemRows>
      <CopyAsCurl path={CONNECTIONS_API_PATH} />
    </TitledPage>
  );
}

const OWNER_CHOICES = [
  ["person", "yours: jobs that act for you use it"],
  ["organization", "the organization's: agents that may name its secrets use it"],
] as const;

function NewConnection({ made }: { readonly made: () => void }) {
  const [url, setUrl] = useState("");
  const [owner, setOwner] = useState<Connection["owner"]>("person");
  const ask = async (): Promise<void> => {
    await service.createConnection({ url: url.trim(), owner });
    setUrl("");
    made();
  };
  return (
    <details class="card">
      <summary>New connection</summary>
      <SendForm
        label="New connection"
        send={ask}
        whyNot={url.trim() === "" ? "Give an address first" : null}
        action="Ask for a connection"
      >
        <TextField label="Address of the tool server" path="/url" value={url} change={setUrl} />
        <ChoiceField label="Whose it is" path="/owner" choices={OWNER_CHOICES} value={owner} change={setOwner} />
      </SendForm>
    </details>
  );
}

const TRIAL_WORDS: Readonly<Record<ConnectionTrial["result"], string>> = {
  accepted: "The server knows the access.",
  refused: "The server does not accept the access.",
  unreachable: "The server did not answer.",
  not_connected: "There is no access to try.",
};

interface ConnectionRowProps {
  readonly connection: Connection;
  readonly changed: () => void;
}

function ConnectionRow({ connection, changed }: ConnectionRowProps) {
  const { id, url, owner, status, scopes, end, waiting_jobs: waiting, allowed_actions: allowed } = connection;
  const [trial, setTrial] = useState<ConnectionTrial["result"] | null>(null);
  const whyNot = (action: string): string | null =>
    allowed.includes(action)
      ? null
      : "Only the person whose connection it is may do this, or an owner if it is the organization's";
  return (
    <li>
      <ItemName>{url}</ItemName>
      <span class={status === "ended" ? "badge bad" : "badge"}>{status}</span>
      <p class="quiet">
        {owner === "person" ? "yours" : "of the organization"}
        {scopes.length === 0 ? "" : `, for ${scopes.join(", ")}`}
        <KnownTime words=", connected" at={connection.connected_at} />
        {connection.connected_by === null ? null : (
          <>
            {" "}
            by <bdi>{memberName(connection.connected_by) ?? "a person"}</bdi>
          </>
        )}
        <KnownTime words=", renewed before" at={connection.expires_at} />
        {waiting === 0 ? "" : `; ${waiting === 1 ? "a job waits" : `${waiting} jobs wait`} for it`}
      </p>
      {end === null ? null : (
        <p class="bad">
          {end.message} <Time at={end.at} />
        </p>
      )}
      <p class="actions">
        {status === "connected" ? null : (
          <a href={connection.authorization_url} target="_blank">
            Connect in another tab
          </a>
        )}
        <ActionButton
          class="quiet"
          whyNot={whyNot("try")}
          act={async () => {
            setTrial((await service.tryConnection(id)).result);
            changed();
          }}
        >
          Try it
        </ActionButton>
        <ActionButton
          class="quiet"
          whyNot={whyNot("delete")}
          question={`End the connection to ${isolated(url)}? Its access is forgotten and revoked, and jobs that wait for it go on without it.`}
          act={() => service.deleteConnection(id)}
          after={changed}
        >
          End
        </ActionButton>
        <span role="status">{trial === null ? "" : TRIAL_WORDS[trial]}</span>
      </p>
    </li>
  );
}
