/** The browsers in which the person has signed in. */
import type { Session } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { Time } from "../format/time.tsx";
import { CopyAsCurl } from "../pieces/curl.tsx";
import { ItemName, ItemRows, usePaged } from "../pieces/paged.tsx";
import { isolated, service } from "../service.ts";
import { TitledPage } from "../title.tsx";

export function SessionsPage() {
  const paged = usePaged(
    (query, options) => service.listSessions(query, options),
    (page) => page.sessions,
  );
  const others = (paged.value ?? []).filter(({ status, is_current: isOwn }) => status === "active" && !isOwn);
  return (
    <TitledPage title="Sessions">
      <p class="actions">
        <ActionButton
          class="quiet"
          whyNot={others.length === 0 ? "There is no other active session" : null}
          question="End all your other sessions?"
          act={() => service.revokeOtherSessions()}
          after={paged.reload}
        >
          End all others
        </ActionButton>
      </p>
      <ItemRows label="Sessions" of={paged} empty={<p class="quiet">You have no sessions.</p>}>
        {(session) => <SessionRow key={session.id} session={session} ended={paged.reload} />}
      </ItemRows>
      <CopyAsCurl path="/api/sessions" />
    </TitledPage>
  );
}

function SessionRow({ session, ended }: { readonly session: Session; readonly ended: () => void }) {
  const { id, name, status, is_current: isOwn, last_address: address, last_used_at: used } = session;
  return (
    <li>
      <ItemName>{name}</ItemName>
      {isOwn ? "(this one) " : ""}
      <span class="badge">{status}</span>
      <p class="quiet">
        since <Time at={session.created_at} />, last used {used === null ? "never" : <Time at={used} />}
        {address === null ? "" : ` from ${address}`}
      </p>
      {status !== "active" || isOwn ? null : (
        <ActionButton
          class="quiet"
          whyNot={session.allowed_actions.includes("revoke") ? null : "This session may not end it"}
          question={`End the session ${isolated(name)}?`}
          act={() => service.revokeSession(id)}
          after={ended}
        >
          End
        </ActionButton>
      )}
    </li>
  );
}
