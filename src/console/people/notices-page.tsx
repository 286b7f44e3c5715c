/** How approvals reach people: the person's own mails, the messengers of the organization, and what was sent. */
import { useState } from "preact/hooks";
import type { Messenger, MessengerFormat } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { KnownTime, Time } from "../format/time.tsx";
import { useLoaded, WhenLoaded } from "../loading.tsx";
import { CopyAsCurl, NothingYet } from "../pieces/curl.tsx";
import { ChoiceField, SecretField, TextField } from "../pieces/fields.tsx";
import { ItemName, ItemRows } from "../pieces/paged.tsx";
import { SendForm } from "../pieces/send-form.tsx";
import { OwnersOnly } from "../pieces/owners-only.tsx";
import { isolated, service } from "../service.ts";
import { memberName } from "../session.ts";
import { TitledPage } from "../title.tsx";
import { SentNotices } from "./sent-notices.tsx";

const MESSENGERS_PATH = "/api/messengers";

export function NoticesPage() {
  return (
    <TitledPage title="Notices">
      <p class="quiet">
        People hear of tool calls that wait for them by mail, and in the messengers of the organization.
      </p>
      <OwnMails />
      <h2>Messengers</h2>
      <OwnersOnly what="messengers and what was sent">
        <Messengers />
      </OwnersOnly>
    </TitledPage>
  );
}

function OwnMails() {
  const found = useLoaded((signal) => service.getApprovalMails({ signal }), []);
  return (
    <section aria-label="Your mails">
      <h2>Your mails</h2>
      <WhenLoaded of={found}>
        {({ enabled }) => (
          <>
            <p>
              {enabled
                ? "You get a mail when a tool call waits for you. Mails are sent only if the operator has set a mail server."
                : "You get no mails about tool calls that wait for you."}
            </p>
            <p class="actions">
              <ActionButton
                class="quiet"
                act={async () => found.take(await service.setApprovalMails({ enabled: !enabled }))}
              >
                {enabled ? "Send me no such mails" : "Send me mails"}
              </ActionButton>
            </p>
          </>
        )}
      </WhenLoaded>
    </section>
  );
}

function Messengers() {
  const found = useLoaded(async (signal) => (await service.listMessengers({ signal })).messengers, []);
  const body = { name: "Refunds", format: "slack", url: "https://hooks.slack.com/services/…" };
  return (
    <>
      <ItemRows
        label="Messengers"
        of={found}
        empty={
          <NothingYet request={{ method: "POST", path: MESSENGERS_PATH, body }}>
            There are no messengers. From a terminal:
          </NothingYet>
        }
      >
        {(messenger) => <MessengerRow key={messenger.id} messenger={messenger} deleted={found.reload} />}
      </ItemRows>
      {found.value === null ? null : (
        <>
          <NewMessenger added={found.reload} />
          <SentNotices messengers={found.value} />
        </>
      )}
      <CopyAsCurl path={MESSENGERS_PATH} />
    </>
  );
}

const FORMAT_NAMES: Readonly<Record<MessengerFormat, string>> = { slack: "Slack", teams: "Teams", ntfy: "ntfy" };

interface MessengerRowProps {
  readonly messenger: Messenger;
  readonly deleted: () => void;
}

function MessengerRow({ messenger, deleted }: MessengerRowProps) {
  const { id, name, format, destination_host: host, created_by: by, created_at: at } = messenger;
  const { last_success_at: success, last_failure_at: failure } = messenger;
  const isFailing = failure !== null && (success === null || failure > success);
  return (
    <li>
      <ItemName>{name}</ItemName>
      <span class="badge">{FORMAT_NAMES[format]}</span> {isFailing ? <span class="badge bad">failing</span> : null}
      <p class="quiet">
        {host} · added <Time at={at} /> by <bdi>{memberName(by) ?? "a person"}</bdi> ·{" "}
        {success === null ? "nothing has arrived yet" : <KnownTime words="last arrived" at={success} />}
        <KnownTime words=" · last failed" at={failure} />
      </p>
      <p class="actions">
        <ActionButton
          class="quiet"
          question={`Delete the messenger ${isolated(name)}? Nothing is sent to it any more, and its address is forgotten.`}
          act={() => service.deleteMessenger(id)}
          after={deleted}
        >
          Delete
        </ActionButton>
      </p>
    </li>
  );
}

const FORMAT_CHOICES = Object.entries(FORMAT_NAMES) as [MessengerFormat, string][];

function NewMessenger({ added }: { readonly added: () => void }) {
  const [name, setName] = useState("");
  const [format, setFormat] = useState<MessengerFormat>("slack");
  const [url, setUrl] = useState("");
  const add = async (): Promise<void> => {
    await service.createMessenger({ name: name.trim(), format, url: url.trim() });
    setName("");
    setUrl("");
    added();
  };
  const whyNot = name.trim() === "" ? "Give it a name first" : url.trim() === "" ? "Give an address first" : null;
  return (
    <details class="card">
      <summary>New messenger</summary>
      <SendForm label="New messenger" send={add} whyNot={whyNot} action="Add the messenger">
        <TextField label="Name" path="/name" value={name} change={setName} />
        <ChoiceField label="Program" path="/format" value={format} change={setFormat} choices={FORMAT_CHOICES} />
        <SecretField
          label="Address"
          path="/url"
          hint="An incoming webhook of Slack or Teams, or a topic of ntfy. It is never shown again: it is the credential."
          value={url}
          change={setUrl}
        />
      </SendForm>
    </details>
  );
}
