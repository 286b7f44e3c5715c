/** The programs that the person has let in, by OAuth. */
import type { OauthGrant } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { Time } from "../format/time.tsx";
import { Command, CopyAsCurl } from "../pieces/curl.tsx";
import { ItemName, ItemRows, usePaged } from "../pieces/paged.tsx";
import { SERVICE_ROOT, isolated, service } from "../service.ts";
import { TitledPage } from "../title.tsx";
import { scopesInWords } from "./scope-words.ts";

export function ProgramsPage() {
  const paged = usePaged(
    (query, options) => service.listOauthGrants(query, options),
    (page) => page.oauth_grants,
  );
  return (
    <TitledPage title="Programs">
      <ItemRows
        label="Programs"
        of={paged}
        empty={
          <>
            <p class="quiet">
              No program has access yet. A program that speaks MCP asks for access when you give it this address:
            </p>
            <Command text={`${location.origin}${SERVICE_ROOT}/mcp`} />
          </>
        }
      >
        {(grant) => <ProgramRow key={grant.id} grant={grant} ended={paged.reload} />}
      </ItemRows>
      <CopyAsCurl path="/api/oauth-grants" />
    </TitledPage>
  );
}

function ProgramRow({ grant, ended }: { readonly grant: OauthGrant; readonly ended: () => void }) {
  const { id, client_name: name, status, scopes, expires_at: expires, allowed_actions: allowed } = grant;
  const isOpen = status === "active" || status === "offered";
  return (
    <li>
      <ItemName>{name}</ItemName>
      <span class="badge">{status}</span>
      <p class="quiet">
        It may {scopesInWords(scopes)}. Since <Time at={grant.created_at} />, expires <Time at={expires} />
      </p>
      {isOpen ? (
        <ActionButton
          class="quiet"
          whyNot={allowed.includes("revoke") ? null : "This session may not end it"}
          question={`End the access of ${isolated(name)}?`}
          act={() => service.revokeOauthGrant(id)}
          after={ended}
        >
          End its access
        </ActionButton>
      ) : null}
    </li>
  );
}
