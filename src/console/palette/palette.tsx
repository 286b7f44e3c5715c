/** The command palette: pages, chats, agents and actions by a few letters. And the list of keys. */
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { isUsableAgent, startChat } from "../chat/start-chat.ts";
import { useLoaded, ErrorLine } from "../loading.tsx";
import { CONSOLE_PAGES } from "../pages.ts";
import { SERVICE_ROOT, service, wordsOfError } from "../service.ts";
import { openDialog } from "./keys.ts";
import { ModalDialog } from "./modal-dialog.tsx";

interface PaletteEntry {
  readonly key: string;
  readonly kind: string;
  readonly words: string;
  /** Where it leads in the console; or what it does. */
  readonly go: string | (() => Promise<string | null>);
}

const FOUND_CHATS = 8;
const FOUND_AGENTS = 100;

export const PaletteDialogs = () => (openDialog.value === "keys" ? <KeyList /> : <Palette />);

const leaveFor = (path: string) => (): Promise<null> => {
  location.assign(SERVICE_ROOT + path);
  return Promise.resolve(null);
};

const ACTIONS: readonly PaletteEntry[] = [
  ...CONSOLE_PAGES.map(({ path, name }) => ({ key: path, kind: "page", words: name, go: path })),
  { key: "failed", kind: "page", words: "Failed jobs", go: "/jobs?status=failed" },
  { key: "account", kind: "page", words: "Your account", go: leaveFor("/account") },
  { key: "reference", kind: "page", words: "Reference of the API", go: leaveFor("/api/reference") },
  { key: "guides", kind: "page", words: "Guides", go: leaveFor("/guides/README.md") },
  {
    key: "keys",
    kind: "action",
    words: "Show the keyboard shortcuts",
    go: () => {
      openDialog.value = "keys";
      return Promise.resolve(null);
    },
  },
];

const hasText = (words: string, text: string): boolean => words.toLowerCase().includes(text.trim().toLowerCase());

function usePaletteEntries(text: string): readonly PaletteEntry[] {
  const words = text.trim();
  const first = useLoaded(async (signal) => (await service.listAgents({ limit: FOUND_AGENTS }, { signal })).agents, []);
  // An agent after the first page is found by the words of its name.
  const named = useLoaded(
    async (signal) =>
      words === "" ? [] : (await service.listAgents({ limit: FOUND_AGENTS, name: words }, { signal })).agents,
    [words],
  );
  const agents = new Map([...(first.value ?? []), ...(named.value ?? [])].map((agent) => [agent.id, agent]));
  const chats = useLoaded(
    async (signal) => {
      const search = words === "" ? {} : { title: words };
      return (await service.listChats({ limit: FOUND_CHATS, ...search }, { signal })).chats;
    },
    [words],
  );
  return [
    ...ACTIONS.filter((action) => hasText(action.words, text)),
    ...(chats.value ?? []).map(({ id, title }) => ({ key: id, kind: "chat", words: title, go: `/chats/${id}` })),
    ...[...agents.values()]
      .filter((agent) => isUsableAgent(agent) && hasText(`New chat with ${agent.name}`, text))
      .map(({ id, name }) => ({
        key: id,
        kind: "action",
        words: `New chat with ${name}`,
        go: async () => `/chats/${await startChat(id)}`,
      })),
  ];
}

function Palette() {
  const [, navigate] = useLocation();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const [error, setError] = useState<string | null>(null);
  const entries = usePaletteEntries(text);
  const chosen = Math.min(at, entries.length - 1);
  useEffect(() => document.getElementById(`entry-${chosen}`)?.scrollIntoView({ block: "nearest" }), [chosen]);
  const take = async (entry: PaletteEntry | undefined): Promise<void> => {
    if (entry === undefined) return;
    try {
      const path = typeof entry.go === "string" ? entry.go : await entry.go();
      if (path === null) return;
      openDialog.value = null;
      navigate(path);
    } catch (refusal) {
      setError(wordsOfError(refusal));
    }
  };
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((chosen + step + entries.length) % Math.max(1, entries.length));
    } else if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      void take(entries[chosen]);
    }
  };
  return (
    <ModalDialog label="Go to">
      <input
        type="text"
        role="combobox"
        aria-label="Page, chat, agent or action"
        placeholder="Page, chat, agent or action"
        aria-expanded="true"
        aria-controls="palette-entries"
        aria-autocomplete="list"
        aria-activedescendant={entries.length === 0 ? undefined : `entry-${chosen}`}
        autocomplete="off"
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <ErrorLine error={error} />
      <ul id="palette-entries" role="listbox" aria-label="Where to go">
        {entries.map((entry, index) => (
          <li
            key={entry.key}
            id={`entry-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => void take(entry)}
          >
            {entry.words} <span class="quiet">{entry.kind}</span>
          </li>
        ))}
      </ul>
      {entries.length === 0 ? <p class="quiet">Nothing has these words.</p> : null}
    </ModalDialog>
  );
}

const KEY_WORDS: readonly (readonly [string, string])[] = [
  ["Ctrl K or ⌘ K", "Go to a page, a chat or an agent"],
  ["?", "Show the keyboard shortcuts"],
  ["Esc", "Close what is open"],
  ["Enter", "Send a message"],
  ["Shift Enter", "Begin a line in a message"],
];

function KeyList() {
  const ofPages = CONSOLE_PAGES.map(({ letter, name }): readonly [string, string] => [`g ${letter}`, name]);
  return (
    <ModalDialog label="Keys">
      <h2>Keys</h2>
      <dl class="keys">
        {[...KEY_WORDS, ...ofPages].map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <button onClick={() => (openDialog.value = null)}>Close</button>
    </ModalDialog>
  );
}
