/** What is around every page: the navigation, the title of the window, and which page is shown. */
import { effect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Redirect, Route, Router, Switch } from "wouter-preact";
import { readWaiting } from "./inbox/waiting.ts";
import { useRepeat } from "./loading.tsx";
import { lazyPage } from "./lazy-page.tsx";
import { CONSOLE_PAGES } from "./pages.ts";
import { openDialog, useKeys } from "./palette/keys.ts";
import { FailedDialog } from "./palette/modal-dialog.tsx";
import { useKeptPlace } from "./returning.ts";
import { NoPage, PageLink } from "./routes.tsx";
import { CONSOLE_BASE, SERVICE_ROOT, sessionEnded, signInAddress } from "./service.ts";
import { ownId, tellsOfChange } from "./session.ts";
import { announced, waitingCount, windowTitle } from "./title.tsx";

const LazyDialogs = lazyPage(async () => (await import("./palette/palette.tsx")).PaletteDialogs, FailedDialog);

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
      <Keys />
      <a class="skip" href="#page">
        Skip to the page
      </a>
      <nav class="main" aria-label="Console">
        <strong>Troupe</strong>
        <button class="quiet" onClick={() => (openDialog.value = "palette")} aria-keyshortcuts="Control+K Meta+K">
          Go to …
        </button>
        {CONSOLE_PAGES.map(({ path, name }) => (
          <PageLink key={path} to={path} at={`${path}/*?`}>
            {name}
            {path === "/inbox" ? <WaitingCount /> : null}
          </PageLink>
        ))}
        <a href={`${SERVICE_ROOT}/account`}>Account</a>
        <a href={`${SERVICE_ROOT}/api/reference`}>Reference</a>
        <a href={`${SERVICE_ROOT}/guides/README.md`}>Guides</a>
      </nav>
      <main id="page">
        {sessionEnded.value ? <SignInAgain /> : null}
        {tellsOfChange.value ? (
          <p class="card" role="alert">
            In another tab you have chosen another organization, or signed in as somebody else. This page was loaded
            again for that.{" "}
            <button class="quiet" onClick={() => (tellsOfChange.value = false)}>
              Close
            </button>
          </p>
        ) : null}
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
      {openDialog.value === null ? null : <LazyDialogs />}
      <p class="announcer" role="status" aria-live="polite">
        {announced.value}
      </p>
    </Router>
  );
}

/** In the router, so that it knows the base of its paths. */
function Keys() {
  useKeys();
  useKeptPlace(() => document.getElementById("page"));
  return null;
}

/**
 * Before anything was shown there is nothing to keep: the browser goes to the sign-in page. Later the page stays, with
 * what is written in it, and goes on when the person has signed in in another tab.
 */
function SignInAgain() {
  const isNew = ownId.value === null;
  useEffect(() => {
    if (isNew) location.assign(signInAddress());
  }, []);
  return isNew ? null : (
    <p class="card bad-card" role="alert">
      Your session has ended. What you have written here stays.{" "}
      <a href={signInAddress()} target="_blank">
        Sign in again in another tab
      </a>
    </p>
  );
}

function WaitingCount() {
  const count = waitingCount.value;
  return count === "" ? null : <span class="count">{count}</span>;
}
