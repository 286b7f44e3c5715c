/**
 * The pages of the console. A new page is one line here: the router, the navigation, the palette and the tests read this
 * list. The navigation has its order: inbox, chats, jobs, agents, missions, workspaces, webhooks, usage, people, system.
 */
import type { FunctionComponent } from "preact";
import { ChatsPages } from "./chats-page.tsx";
import { InboxPage } from "./inbox/inbox-page.tsx";
import { lazyPage } from "./lazy-page.tsx";

interface ConsolePageEntry {
  /** The page is at this path and at all below it, for which it has routes of its own. */
  readonly path: `/${string}`;
  readonly name: string;
  /** The letter that leads to it after `g`. */
  readonly letter: string;
  readonly Page: FunctionComponent;
}

export const CONSOLE_PAGES: readonly ConsolePageEntry[] = [
  { path: "/inbox", name: "Inbox", letter: "i", Page: InboxPage },
  { path: "/chats", name: "Chats", letter: "c", Page: ChatsPages },
  {
    path: "/jobs",
    name: "Jobs",
    letter: "j",
    Page: lazyPage(async () => (await import("./jobs/jobs-page.tsx")).JobsPages),
  },
  {
    path: "/agents",
    name: "Agents",
    letter: "a",
    Page: lazyPage(async () => (await import("./agents/agents-page.tsx")).AgentPages),
  },
  {
    path: "/missions",
    name: "Missions",
    letter: "m",
    Page: lazyPage(async () => (await import("./missions/missions-page.tsx")).MissionPages),
  },
  {
    path: "/workspaces",
    name: "Workspaces",
    letter: "w",
    Page: lazyPage(async () => (await import("./workspaces/workspaces-page.tsx")).WorkspacePages),
  },
  {
    path: "/webhooks",
    name: "Webhooks",
    letter: "h",
    Page: lazyPage(async () => (await import("./webhooks/webhooks-page.tsx")).WebhooksPages),
  },
  {
    path: "/usage",
    name: "Usage",
    letter: "u",
    Page: lazyPage(async () => (await import("./usage/usage-page.tsx")).UsagePage),
  },
  {
    path: "/people",
    name: "People",
    letter: "p",
    Page: lazyPage(async () => (await import("./people/people-page.tsx")).PeoplePages),
  },
  {
    path: "/system",
    name: "System",
    letter: "s",
    Page: lazyPage(async () => (await import("./system/system-page.tsx")).SystemPage),
  },
];
