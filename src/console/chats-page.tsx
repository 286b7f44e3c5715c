/** The person's chats, and the beginning of a new one. */
import { useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import type { Chat, ChatStatus } from "../../sdk/typescript/troupe.ts";
import { ActionButton } from "./action-button.tsx";
import { ChatPage } from "./chat/chat-page.tsx";
import { isUsableAgent, startChat } from "./chat/start-chat.ts";
import { Time } from "./format/time.tsx";
import { WhenLoaded, useLoaded, useRepeat } from "./loading.tsx";
import { ItemPages, usePaged } from "./pieces/paged.tsx";
import { ListAndOne } from "./routes.tsx";
import { NOT_ALL_LISTED, readAgents } from "./pieces/read-pages.ts";
import { service } from "./service.ts";
import { useTitle } from "./title.ts";

const PAGE_CHATS = 50;
const REFRESH_SECONDS = 10;

export const ChatsPages = () => <ListAndOne path="/chats" list={ChatsPage} one={ChatPage} />;

function ChatsPage() {
  useTitle("Chats");
  const [search, setSearch] = useState("");
  const found = usePaged<Chat>(
    {
      load: async (after, signal) => {
        const page = await service.listChats(
          { limit: PAGE_CHATS, ...(search === "" ? {} : { text: search }), ...after },
          signal === undefined ? {} : { signal },
        );
        return { items: page.chats, next: page.next_cursor };
      },
      idOf: ({ id }) => id,
    },
    [search],
  );
  useRepeat(found.reload, REFRESH_SECONDS);
  return (
    <>
      <h1>Chats</h1>
      <NewChat />
      <label class="search">
        Search
        <input type="search" value={search} onInput={({ currentTarget }) => setSearch(currentTarget.value)} />
      </label>
      <ItemPages of={found} empty={<p class="quiet">{search === "" ? "No chats yet." : "No chat has these words."}</p>}>
        {(chats) => (
          <ul class="rows" aria-label="Chats">
            {chats.map((chat) => (
              <li key={chat.id}>
                <Link href={`/chats/${chat.id}`}>{chat.title}</Link>
                <StatusBadge status={chat.status} />
                <span class="quiet">
                  {chat.agent_name} · <Time at={chat.updated_at} />
                </span>
                {chat.last_message_preview === null ? null : <p class="quiet preview">{chat.last_message_preview}</p>}
              </li>
            ))}
          </ul>
        )}
      </ItemPages>
    </>
  );
}

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
            <p>
              There is no agent yet: create one with <code>POST /api/agents</code>.
            </p>
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
