/** The person's chats, and the beginning of a new one. */
import { useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import type { ChatStatus } from "../../sdk/typescript/troupe.ts";
import { ActionButton } from "./action-button.tsx";
import { ChatPage } from "./chat/chat-page.tsx";
import { FIRST_AGENT, isUsableAgent, startChat } from "./chat/start-chat.ts";
import { Time } from "./format/time.tsx";
import { WhenLoaded, useLoaded, useRepeat } from "./loading.tsx";
import { CopyAsCurl, NothingYet } from "./pieces/curl.tsx";
import { ItemRows, usePaged } from "./pieces/paged.tsx";
import { ListAndOne } from "./routes.tsx";
import { NOT_ALL_LISTED, readAgents } from "./pieces/read-pages.ts";
import { givenParameters, useSearchState } from "./pieces/search-state.ts";
import { service } from "./service.ts";
import { TitledPage } from "./title.tsx";
import { SearchField } from "./pieces/filter.tsx";

const REFRESH_SECONDS = 10;

export const ChatsPages = () => <ListAndOne path="/chats" list={ChatsPage} one={ChatPage} />;

function ChatsPage() {
  const [{ text, title, agent_id }, change] = useSearchState({ text: "", title: "", agent_id: "" });
  const filter = givenParameters({ text, title, agent_id });
  const found = usePaged(
    (query, options) => service.listChats({ ...filter, ...query }, options),
    (page) => page.chats,
    [text, title, agent_id],
  );
  useRepeat(found.reload, REFRESH_SECONDS);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <TitledPage title="Chats">
      <NewChat />
      <div class="filters">
        <SearchField label="Title" value={title} change={(words) => change({ title: words }, true)} />
        <SearchField label="Words of messages" value={text} change={(words) => change({ text: words }, true)} />
      </div>
      {agent_id === "" ? null : (
        <button class="quiet" onClick={() => change({ agent_id: "" })}>
          Only with the agent <code>{agent_id}</code>, remove
        </button>
      )}
      <ItemRows
        label="Chats"
        of={found}
        empty={isFiltered ? <p class="quiet">No chat has these words.</p> : <NoChats />}
      >
        {(chat) => (
          <li key={chat.id}>
            <Link href={`/chats/${chat.id}`}>{chat.title}</Link>
            <StatusBadge status={chat.status} />
            <span class="quiet">
              <bdi>{chat.agent_name}</bdi> · <Time at={chat.updated_at} />
            </span>
            {chat.last_message_preview === null ? null : <p class="quiet preview">{chat.last_message_preview}</p>}
          </li>
        )}
      </ItemRows>
      <CopyAsCurl path="/api/chats" query={filter} />
    </TitledPage>
  );
}

const NoChats = () => (
  <NothingYet request={{ method: "POST", path: "/api/chats", body: { agent_id: "agt_…", workspace_id: "wsp_…" } }}>
    There is no chat yet. Begin one above, or use a shell, with the ids of an agent and a workspace:
  </NothingYet>
);

const STATUS_WORDS_OF_CHATS: Readonly<Record<ChatStatus, string | null>> = {
  standby: null,
  done: null,
  working: "working",
  error: "failed",
  needs_attention: "waits for you",
};

function StatusBadge({ status }: { readonly status: ChatStatus }) {
  const words = STATUS_WORDS_OF_CHATS[status];
  return words === null ? null : <span class={`badge ${status}`}>{words}</span>;
}

function NewChat() {
  const [, navigate] = useLocation();
  const [chosen, setChosen] = useState<string | null>(null);
  const usable = useLoaded(async (signal) => {
    const { items, isWhole } = await readAgents(signal);
    return { agents: items.filter(isUsableAgent), isWhole };
  }, []);
  return (
    <WhenLoaded of={usable}>
      {({ agents, isWhole }) => {
        const agent = agents.find(({ id }) => id === chosen) ?? agents[0];
        if (agent === undefined)
          return (
            <NothingYet request={{ method: "POST", path: "/api/agents", body: FIRST_AGENT }}>
              A chat needs an agent, and there is none yet. <Link href="/agents/new">Make one</Link>,{" "}
              <Link href="/agents?source=library">take one of the library</Link>, or use a shell:
            </NothingYet>
          );
        const begin = async (): Promise<void> => navigate(`/chats/${await startChat(agent.id)}`);
        return (
          <section class="card new-chat" aria-label="New chat">
            <label>
              Agent
              <select value={agent.id} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
                {agents.map(({ id, name, role }) => (
                  <option key={id} value={id}>
                    {role === "" ? name : `${name}, ${role}`}
                  </option>
                ))}
                {isWhole ? null : <option disabled>{NOT_ALL_LISTED}</option>}
              </select>
            </label>
            <ActionButton act={begin}>New chat</ActionButton>
          </section>
        );
      }}
    </WhenLoaded>
  );
}
