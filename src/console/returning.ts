/**
 * Back keeps the place: a page that is reached by the browser's back or forward button is scrolled to where it was, with
 * as many pages of its list. A page that is reached by a link begins at its top.
 */
import { useEffect } from "preact/hooks";
import { useLocation } from "wouter-preact";

const PLACE_IN_STATE = "troupe place";
/** Lists load; after this time the reader has looked elsewhere. */
const LONGEST_RETURN_MS = 5_000;

const LEAVING_KINDS = ["click", "keydown"] as const;

/** What is kept of an entry of the history, in its state: so it ends with the entry. */
interface KeptPlace {
  readonly top: number;
  /** Shown pages of each list. */
  readonly pages: Readonly<Record<string, number>>;
}

const keptPlace = (): Partial<KeptPlace> =>
  ((history.state as { readonly [PLACE_IN_STATE]?: Partial<KeptPlace> } | null) ?? {})[PLACE_IN_STATE] ?? {};

function keepPlace(changes: Partial<KeptPlace>): void {
  const state = (history.state ?? {}) as object;
  // Of the prototype: the router must not see a step in this.
  History.prototype.replaceState.call(history, { ...state, [PLACE_IN_STATE]: { ...keptPlace(), ...changes } }, "");
}

/** Pages of the list that were shown when the reader left it; 1 for a page that is new. */
export const keptPages = (list: string): number => keptPlace().pages?.[list] ?? 1;

export const keepPages = (list: string, pages: number): void =>
  keepPlace({ pages: { ...keptPlace().pages, [list]: pages } });

/** In the router. `page`: what scrolls. */
export function useKeptPlace(page: () => HTMLElement | null): void {
  const [path] = useLocation();
  useEffect(() => {
    const element = page();
    if (element === null) return;
    let timer: ReturnType<typeof setTimeout> | null = null;
    const forget = (): void => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
    };
    const keep = (): void => {
      if (timer !== null) keepPlace({ top: element.scrollTop });
      forget();
    };
    const watch = (): void => {
      forget();
      timer = setTimeout(keep, 100);
    };
    element.addEventListener("scroll", watch, { passive: true });
    // A reader who scrolls and leaves at once does it by a click or a key.
    for (const kind of LEAVING_KINDS) addEventListener(kind, keep, { capture: true });
    const end = scrollTo(element, keptPlace().top ?? 0);
    return () => {
      forget();
      element.removeEventListener("scroll", watch);
      for (const kind of LEAVING_KINDS) removeEventListener(kind, keep, { capture: true });
      end();
    };
  }, [path]);
}

/** Scrolls there as soon as there is enough to scroll, unless the reader scrolls first. */
function scrollTo(element: HTMLElement, top: number): () => void {
  const changes = new MutationObserver(go);
  const end = (): void => {
    changes.disconnect();
    clearTimeout(timer);
    for (const kind of ["wheel", "touchstart", "keydown"]) element.removeEventListener(kind, end);
  };
  const timer = setTimeout(() => end(), LONGEST_RETURN_MS);
  function go(): void {
    element.scrollTop = top;
    if (Math.abs(element.scrollTop - top) < 1) end();
  }
  for (const kind of ["wheel", "touchstart", "keydown"]) element.addEventListener(kind, end, { passive: true });
  changes.observe(element, { childList: true, subtree: true });
  go();
  return end;
}
