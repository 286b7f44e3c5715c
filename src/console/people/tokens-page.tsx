/** Tokens of the person, and for owners those of the organization. */
import { useState } from "preact/hooks";
import type { Token } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { Time } from "../format/time.tsx";
import { CopyAsCurl, NothingYet } from "../pieces/curl.tsx";
import { OwnersOnly } from "../pieces/owners-only.tsx";
import { ItemName, ItemRows, usePaged } from "../pieces/paged.tsx";
import { ShownOnce } from "../pieces/shown-once.tsx";
import { isolated, service } from "../service.ts";
import { TitledPage } from "../title.tsx";
import { NewTokenForm } from "./new-token-form.tsx";
import { scopesInWords } from "./scope-words.ts";

export function PersonalTokensPage() {
  return (
    <TitledPage title="Your tokens">
      <p class="quiet">For programs that act as you. A token may do what you choose, and never more than you may.</p>
      <TokenSection kind="personal" />
    </TitledPage>
  );
}

export function ServiceTokensPage() {
  return (
    <TitledPage title="Service tokens">
      <p class="quiet">For programs of the organization. All owners see and revoke them.</p>
      <OwnersOnly what="service tokens">
        <TokenSection kind="service" />
      </OwnersOnly>
    </TitledPage>
  );
}

interface TokenPage {
  readonly tokens: readonly Token[];
  readonly next_cursor?: string;
}

const TOKEN_PLACES = {
  personal: {
    path: "/api/personal-access-tokens",
    list: async (query: object, options?: object): Promise<TokenPage> => {
      const { personal_access_tokens: tokens, ...page } = await service.listPersonalAccessTokens(query, options);
      return { ...page, tokens };
    },
    create: service.createPersonalAccessToken.bind(service),
    revoke: service.revokePersonalAccessToken.bind(service),
  },
  service: {
    path: "/api/service-tokens",
    list: async (query: object, options?: object): Promise<TokenPage> => {
      const { service_tokens: tokens, ...page } = await service.listServiceTokens(query, options);
      return { ...page, tokens };
    },
    create: service.createServiceToken.bind(service),
    revoke: service.revokeServiceToken.bind(service),
  },
} as const;

function TokenSection({ kind }: { readonly kind: Token["kind"] }) {
  const { path, list, create, revoke } = TOKEN_PLACES[kind];
  const paged = usePaged(list, (page) => page.tokens);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      {secret === null ? null : <ShownOnce name="The token" text={secret} done={() => setSecret(null)} />}
      <NewTokenForm
        create={async (body) => {
          setSecret((await create(body)).token);
          paged.reload();
        }}
      />
      <ItemRows
        label="Tokens"
        of={paged}
        empty={
          <NothingYet request={{ method: "POST", path, body: { name: "The build server", scopes: ["agents:read"] } }}>
            There are none yet. From a terminal, with a token that may make others:
          </NothingYet>
        }
      >
        {(token) => <TokenRow key={token.id} token={token} revoke={() => revoke(token.id)} revoked={paged.reload} />}
      </ItemRows>
      <CopyAsCurl path={path} />
    </>
  );
}

interface TokenRowProps {
  readonly token: Token;
  readonly revoke: () => Promise<unknown>;
  readonly revoked: () => void;
}

function TokenRow({ token, revoke, revoked }: TokenRowProps) {
  const { name, status, scopes, last_characters: last, last_used_at: used, expires_at: expires } = token;
  return (
    <li>
      <ItemName>{name}</ItemName>
      <code>…{last}</code> <span class="badge">{status}</span>
      <p class="quiet">
        It may {scopesInWords(scopes)}. Expires <Time at={expires} />, {used === null ? "never used" : "last used "}
        {used === null ? null : <Time at={used} />}
      </p>
      {status === "active" ? (
        <ActionButton
          class="quiet"
          whyNot={token.allowed_actions.includes("revoke") ? null : "This session may not revoke it"}
          question={`Revoke the token ${isolated(name)}? Programs with it, and tokens that were made with it, stop working.`}
          act={revoke}
          after={revoked}
        >
          Revoke
        </ActionButton>
      ) : null}
    </li>
  );
}
