/** A value that a page loads: the value, or why there is none. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
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
  const isLoading = useRef(false);
  // What was loaded for other inputs is not shown for these.
  useEffect(() => setState({ value: null, error: null }), inputs);
  useEffect(() => {
    const controller = new AbortController();
    isLoading.current = true;
    load(controller.signal).then(
      (value) => {
        if (controller.signal.aborted) return;
        isLoading.current = false;
        setState({ value, error: null });
      },
      (error: unknown) => {
        if (controller.signal.aborted || isAbort(error)) return;
        isLoading.current = false;
        setState(({ value }) => ({ value, error: wordsOfError(error) }));
      },
    );
    return () => controller.abort();
  }, [...inputs, round]);
  const reload = (): void => {
    // A slow load goes on.
    if (!isLoading.current) setRound((last) => last + 1);
  };
  return { ...state, reload };
}

/**
 * Runs `again` every `seconds` while the page is visible, and at once when it becomes visible again. `hiddenSeconds`: how
 * often while it is not; omitted: never.
 */
export function useRepeat(again: () => void, seconds: number, hiddenSeconds = Infinity): void {
  useEffect(() => {
    let last = Date.now();
    const tick = (): void => {
      const wait = document.visibilityState === "visible" ? 0 : hiddenSeconds * 1_000;
      if (Date.now() - last < wait) return;
      last = Date.now();
      again();
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
