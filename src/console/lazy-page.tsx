/** A page, or a part of one, whose program is loaded when it is opened for the first time. */
import type { ComponentChildren, FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { CONSOLE_BASE } from "./service.ts";

type LoadState = "loading" | "failed" | "loaded";

/** What a failed load is shown in. */
type FailureFrame = FunctionComponent<{ readonly children: ComponentChildren }>;

/**
 * `load` imports the page's file. `Frame`: of what opens over or in a page, such as a dialog. Then the console is not
 * loaded again by itself, because of what is written in the page around it.
 */
export function lazyPage<P extends object = object>(
  load: () => Promise<FunctionComponent<P>>,
  Frame?: FailureFrame,
): FunctionComponent<P> {
  let Page: FunctionComponent<P> | null = null;
  return function LazyPage(props: P) {
    const [state, setState] = useState<LoadState>(Page === null ? "loading" : "loaded");
    useEffect(() => {
      if (state !== "loading") return;
      let isOpen = true;
      load().then(
        (component) => {
          Page = component;
          if (isOpen) setState("loaded");
        },
        async () => {
          if (Frame === undefined) await loadNewRelease();
          if (isOpen) setState("failed");
        },
      );
      return () => {
        isOpen = false;
      };
    }, [state]);
    if (state === "failed") {
      const failure = <NotLoaded tryAgain={() => setState("loading")} />;
      return Frame === undefined ? failure : <Frame>{failure}</Frame>;
    }
    return Page === null ? <p class="quiet">Loading …</p> : <Page {...props} />;
  };
}

/** A part of a page. */
export const lazyPart = <P extends object>(load: () => Promise<FunctionComponent<P>>): FunctionComponent<P> =>
  lazyPage(load, PartFrame);

const PartFrame: FailureFrame = ({ children }) => <>{children}</>;

function NotLoaded({ tryAgain }: { readonly tryAgain: () => void }) {
  return (
    <div role="alert">
      <p class="bad">This page could not be loaded. Check your connection.</p>
      <p class="actions">
        <button onClick={tryAgain}>Try again</button>
        {/* A browser may remember that a file has failed. */}
        <button class="quiet" onClick={() => location.reload()}>
          Load the console again
        </button>
      </p>
    </div>
  );
}

const RELOADED_FOR = "troupe reloaded for";

/**
 * Loads the whole console again if the service has another release by now, whose files have other names. Once for each
 * release: while replicas of two releases answer, another load may get the former one.
 */
async function loadNewRelease(): Promise<void> {
  const program = programIn(document);
  try {
    const answer = await fetch(CONSOLE_BASE, { cache: "no-store" });
    if (!answer.ok) return;
    const current = programIn(new DOMParser().parseFromString(await answer.text(), "text/html"));
    if (current === null || current === program || sessionStorage.getItem(RELOADED_FOR) === current) return;
    sessionStorage.setItem(RELOADED_FOR, current);
    location.reload();
  } catch {
    // Without a connection there is nothing to compare.
  }
}

/** The address of the program that a page of the console loads. */
const programIn = (page: Document): string | null =>
  page.querySelector('script[type="module"]')?.getAttribute("src") ?? null;
