/** What is around every page: the navigation, the title of the window, and which page is shown. */
import { effect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Link, Redirect, Route, Router, Switch, useRoute } from "wouter-preact";
import { readWaiting } from "./inbox/waiting.ts";
import { useRepeat } from "./loading.tsx";
import { CONSOLE_PAGES } from "./pages.ts";
import { NoPage } from "./routes.tsx";
import { CONSOLE_BASE, SERVICE_ROOT } from "./service.ts";
import { announced, waitingCount, windowTitle } from "./title.ts";

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
        {CONSOLE_PAGES.map(({ path, name }) => (
          <PageLink key={path} to={path}>
            {name}
            {path === "/inbox" ? <WaitingCount /> : null}
          </PageLink>
        ))}
        <a href={`${SERVICE_ROOT}/account`}>Account</a>
        <a href={`${SERVICE_ROOT}/api/reference`}>Reference</a>
      </nav>
      <main id="page">
        <Switch>
          <Route path="/">
            <Redirect to="/chats" replace />
          </Route>
          {CONSOLE_PAGES.map(({ path, Page }) => (
            <Route key={path} path={`${path}/*?`} component={Page} />
          ))}
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
