/** Invitations to the organization: links that are shown once. */
import { useState } from "preact/hooks";
import type { Invitation } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { Time } from "../format/time.tsx";
import { CopyAsCurl, NothingYet } from "../pieces/curl.tsx";
import { ChoiceField, TextField } from "../pieces/fields.tsx";
import { SendForm } from "../pieces/send-form.tsx";
import { OwnersOnly } from "../pieces/owners-only.tsx";
import { ItemName, ItemRows, usePaged } from "../pieces/paged.tsx";
import { ShownOnce } from "../pieces/shown-once.tsx";
import { isolated, service } from "../service.ts";
import { TitledPage } from "../title.tsx";

const INVITATIONS_PATH = "/api/invitations";

export function InvitationsPage() {
  return (
    <TitledPage title="Invitations">
      <OwnersOnly what="invitations">
        <OwnInvitations />
      </OwnersOnly>
    </TitledPage>
  );
}

function OwnInvitations() {
  const paged = usePaged(
    (query, options) => service.listInvitations(query, options),
    (page) => page.invitations,
  );
  return (
    <>
      <InvitationForm made={paged.reload} />
      <ItemRows
        label="Invitations"
        of={paged}
        empty={
          <NothingYet request={{ method: "POST", path: INVITATIONS_PATH, body: { email: "ada@example.com" } }}>
            Nobody is invited. From a terminal:
          </NothingYet>
        }
      >
        {(invitation) => <InvitationRow key={invitation.id} invitation={invitation} changed={paged.reload} />}
      </ItemRows>
      <CopyAsCurl path={INVITATIONS_PATH} />
    </>
  );
}

const ROLE_CHOICES = [
  ["member", "member: works in the organization"],
  ["owner", "owner: may do everything"],
] as const;

function InvitationForm({ made }: { readonly made: () => void }) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Invitation["role"]>("member");
  const [link, setLink] = useState<string | null>(null);
  const invite = async (): Promise<void> => {
    setLink((await service.createInvitation({ email: email.trim(), role })).url);
    setEmail("");
    made();
  };
  return (
    <>
      {link === null ? null : <ShownOnce name="The link of the invitation" text={link} done={() => setLink(null)} />}
      <SendForm
        label="Invite somebody"
        send={invite}
        whyNot={email.trim() === "" ? "Give an e-mail address first" : null}
        action="Make the link"
      >
        <TextField
          label="E-mail address"
          path="/email"
          hint="No e-mail is sent: you get a link to pass on. It works once, for a week."
          value={email}
          change={setEmail}
        />
        <ChoiceField label="Role" path="/role" choices={ROLE_CHOICES} value={role} change={setRole} />
      </SendForm>
    </>
  );
}

function InvitationRow({ invitation, changed }: { readonly invitation: Invitation; readonly changed: () => void }) {
  const { id, email, role, status, expires_at: expires, allowed_actions: allowed } = invitation;
  return (
    <li>
      <ItemName>{email}</ItemName>
      <span class="badge">{status}</span>
      <p class="quiet">
        as {role} · expires <Time at={expires} />
      </p>
      {allowed.includes("revoke") ? (
        <ActionButton
          class="quiet"
          question={`Withdraw the invitation of ${isolated(email)}? Its link stops working.`}
          act={() => service.revokeInvitation(id)}
          after={changed}
        >
          Withdraw
        </ActionButton>
      ) : null}
    </li>
  );
}
