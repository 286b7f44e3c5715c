/** The title of the window, with the number of things that wait for the person. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** What waits in the inbox; null until it is known. */
export const waitingCount = signal<number | null>(null);

const pageTitle = signal("Troupe");

/** Read to people who do not see the page, when it has changed. */
export const announced = pageTitle;

export function useTitle(title: string): void {
  useEffect(() => {
    pageTitle.value = title;
  }, [title]);
}

export const windowTitle = (): string => {
  const count = waitingCount.value ?? 0;
  return `${count === 0 ? "" : `(${count}) `}${pageTitle.value} · Troupe`;
};
