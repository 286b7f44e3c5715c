/** The title of the window, with the number of things that wait for the person. */
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { isolated } from "./service.ts";

/** How much waits in the inbox, in digits; `100+` if there is more. Empty for nothing, and until it is known. */
export const waitingCount = signal("");

const pageTitle = signal("Troupe");

/** Read to people who do not see the page, when it has changed. */
export const announced = pageTitle;

export function useTitle(title: string): void {
  useEffect(() => {
    pageTitle.value = title;
  }, [title]);
}

interface TitledPageProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** A page whose heading is the title of the window too. */
export function TitledPage({ title, children }: TitledPageProps) {
  useTitle(title);
  return (
    <>
      <h1>{title}</h1>
      {children}
    </>
  );
}

export const windowTitle = (): string => {
  const count = waitingCount.value;
  return `${count === "" ? "" : `(${count}) `}${isolated(pageTitle.value)} · Troupe`;
};
