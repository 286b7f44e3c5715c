/** What is around every page: the navigation, the title of the window, and which page is shown. */
import { effect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Link, Redirect, Route, Router, Switch, useRoute } from "wouter-preact";
import { ChatPage } from "./chat/chat-page.tsx";
import { ChatsPage } from "./chats-page.tsx";
import { InboxPage } from "./inbox/inbox-page.tsx";
import { readWaiting } from "./inbox/waiting.ts";
import { JobPage } from "./jobs/job-page.tsx";
import { JobsPage } from "./jobs/jobs-page.tsx";
import { useRepeat } from "./loading.tsx";
import { CONSOLE_BASE, SERVICE_ROOT } from "./service.ts";
import { announced, useTitle, waitingCount, windowTitle } from "./title.ts";

const INBOX_SECONDS = 5;
/** For notifications and the title of a window that is not seen. */
const HIDDEN_INBOX_SECONDS = 30;

export function ConsoleShell() {
  useEffect(() => {
    void readWaiting();
    return effect(() => {
      document.title = windowTitle();
    });
  }, []);
  useRepeat(() => void readWaiting(), INBOX_SECONDS, HIDDEN_INBOX_SECONDS);
  return (
    <Router base={CONSOLE_BASE}>
      <a class="skip" href="#page">
        Skip to the page
      </a>
      <nav class="main" aria-label="Console">
        <strong>Troupe</strong>
        <PageLink to="/chats">Chats</PageLink>
        <PageLink to="/inbox">
          Inbox
          <WaitingCount />
        </PageLink>
        <PageLink to="/jobs">Jobs</PageLink>
        <a href={`${SERVICE_ROOT}/account`}>Account</a>
        <a href={`${SERVICE_ROOT}/api/reference`}>Reference</a>
      </nav>
      <main id="page">
        <Switch>
          <Route path="/">
            <Redirect to="/chats" replace />
          </Route>
          <Route path="/chats" component={ChatsPage} />
          <Route path="/chats/:id">{({ id }) => <ChatPage key={id} chatId={id} />}</Route>
          <Route path="/inbox" component={InboxPage} />
          <Route path="/jobs" component={JobsPage} />
          <Route path="/jobs/:id">{({ id }) => <JobPage key={id} jobId={id} />}</Route>
          <Route component={NoPage} />
        </Switch>
      </main>
      <p class="announcer" role="status" aria-live="polite">
        {announced.value}
      </p>
    </Router>
  );
}

function PageLink({ to, children }: { readonly to: string; readonly children: ComponentChildren }) {
  const [isHere] = useRoute(`${to}/*?`);
  return (
    <Link href={to} aria-current={isHere ? "page" : undefined}>
      {children}
    </Link>
  );
}

function WaitingCount() {
  const count = waitingCount.value ?? 0;
  return count === 0 ? null : <span class="count">{count}</span>;
}

function NoPage() {
  useTitle("No such page");
  return (
    <>
      <h1>No such page</h1>
      <p>
        <Link href="/chats">To your chats</Link>
      </p>
    </>
  );
}
