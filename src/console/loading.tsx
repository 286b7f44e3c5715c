/** A value that a page loads: the value, or why there is none. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { isAbort, wordsOfError } from "./service.ts";

export interface Loaded<T> {
  readonly value: T | null;
  readonly error: string | null;
  /** Loads it again. What is there stays until then. */
  readonly reload: () => void;
}

/** Loads a value when the page opens, and again when one of `inputs` changes. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<{ readonly value: T | null; readonly error: string | null }>({
    value: null,
    error: null,
  });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    load(controller.signal).then(
      (value) => {
        if (!controller.signal.aborted) setState({ value, error: null });
      },
      (error: unknown) => {
        if (!controller.signal.aborted && !isAbort(error))
          setState(({ value }) => ({ value, error: wordsOfError(error) }));
      },
    );
    return () => controller.abort();
  }, [...inputs, round]);
  return { ...state, reload: () => setRound((last) => last + 1) };
}

/** Runs `again` every `seconds` while the page is visible, and at once when it becomes visible again. */
export function useRepeat(again: () => void, seconds: number): void {
  useEffect(() => {
    const tick = (): void => {
      if (document.visibilityState === "visible") again();
    };
    const timer = setInterval(tick, seconds * 1_000);
    document.addEventListener("visibilitychange", tick);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", tick);
    };
  }, []);
}

/** A load's error, its value, or a line that says that it is on its way. */
export function WhenLoaded<T>({
  of: { value, error, reload },
  children,
}: {
  readonly of: Loaded<T>;
  readonly children: (value: T) => ComponentChildren;
}) {
  return (
    <>
      {error === null ? null : (
        <p class="bad" role="alert">
          {error} <button onClick={reload}>Try again</button>
        </p>
      )}
      {value === null ? error === null ? <p class="quiet">Loading …</p> : null : children(value)}
    </>
  );
}
