/** The keys that work on every page, and which of their dialogs is open. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { CONSOLE_PAGES } from "../pages.ts";

export const openDialog = signal<"palette" | "keys" | null>(null);

/** After `g`, the letter of a page must come within this time. */
const LETTER_MS = 1_500;

/** Opens the palette by Ctrl-K or Cmd-K, the list of keys by `?`, and a page by `g` and its letter. */
export function useKeys(): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    let leadsUntil = 0;
    const press = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, isComposing } = event;
      if (key.toLowerCase() === "k" && (ctrlKey || metaKey) && !altKey) {
        event.preventDefault();
        openDialog.value = "palette";
        return;
      }
      if (ctrlKey || metaKey || altKey || isComposing || openDialog.value !== null || isWriting(event.target)) return;
      const page = event.timeStamp < leadsUntil ? CONSOLE_PAGES.find(({ letter }) => letter === key) : undefined;
      leadsUntil = key === "g" ? event.timeStamp + LETTER_MS : 0;
      if (page !== undefined) {
        event.preventDefault();
        navigate(page.path);
      } else if (key === "?") {
        event.preventDefault();
        openDialog.value = "keys";
      }
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}

/** Whether the key goes to a field of a form. */
const isWriting = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;
