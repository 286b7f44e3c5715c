/** The members of the organization, and their roles. */
import type { Member } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { Time } from "../format/time.tsx";
import { CopyAsCurl } from "../pieces/curl.tsx";
import { OWNERS_DO_THIS } from "../pieces/owners-only.tsx";
import { ItemName, ItemRows, usePaged } from "../pieces/paged.tsx";
import { SERVICE_ROOT, isolated, service } from "../service.ts";
import { ownId, ownRole } from "../session.ts";
import { TitledPage } from "../title.tsx";

export function MembersPage() {
  const paged = usePaged(
    (query, options) => service.listMembers(query, options),
    (page) => page.members,
  );
  return (
    <TitledPage title="Members">
      <p class="quiet">
        Your password, passkeys and organizations are on{" "}
        <a href={`${SERVICE_ROOT}/account`}>the page of your account</a>.
      </p>
      <ItemRows label="Members" of={paged} empty={<p class="quiet">There are no members.</p>}>
        {(member) => <MemberRow key={member.id} member={member} changed={paged.reload} />}
      </ItemRows>
      <CopyAsCurl path="/api/members" />
    </TitledPage>
  );
}

/** Why this member cannot be changed; null if that is possible. */
function whyNotChange(member: Member, action: string): string | null {
  if (member.allowed_actions.includes(action)) return null;
  return ownRole.value === "owner" ? "The last owner stays an owner" : OWNERS_DO_THIS;
}

function MemberRow({ member, changed }: { readonly member: Member; readonly changed: () => void }) {
  const isOwn = member.id === ownId.value;
  const other = member.role === "owner" ? "member" : "owner";
  const name = member.name === "" ? member.email : member.name;
  return (
    <li>
      <ItemName>{name}</ItemName>
      {isOwn ? "(you) " : ""}
      <span class="badge">{member.role}</span>
      <p class="quiet">
        <bdi>{member.email}</bdi> · since <Time at={member.created_at} />
      </p>
      <p class="actions">
        <ActionButton
          class="quiet"
          whyNot={whyNotChange(member, "update")}
          question={`Make ${isolated(name)} ${other === "owner" ? "an owner? Owners may do everything" : "a plain member"}?`}
          act={() => service.updateMember(member.id, { role: other })}
          after={changed}
        >
          {other === "owner" ? "Make an owner" : "Make a member"}
        </ActionButton>
        <ActionButton
          class="quiet"
          whyNot={whyNotChange(member, "delete")}
          question={`Remove ${isolated(name)}? Their sessions, tokens and programs end at once. What they have created stays.`}
          act={() => service.removeMember(member.id)}
          after={changed}
        >
          Remove
        </ActionButton>
      </p>
    </li>
  );
}
