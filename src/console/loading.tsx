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

interface OwnLoaded<T> extends Loaded<T> {
  /** Shows a value from the answer to another request. A load that began before is begun anew. */
  readonly take: (value: T) => void;
}

/** Loads a value when the page opens, and again when one of `inputs` changes. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): OwnLoaded<T> {
  const [state, setState] = useState<{ readonly value: T | null; readonly error: string | null }>({
    value: null,
    error: null,
  });
  const [round, setRound] = useState(0);
  const loading = useRef<AbortController | null>(null);
  const isAskedAgain = useRef(false);
  const begin = (): void => setRound((last) => last + 1);
  // What was loaded for other inputs is not shown for these.
  useEffect(() => setState({ value: null, error: null }), inputs);
  useEffect(() => {
    const controller = new AbortController();
    loading.current = controller;
    isAskedAgain.current = false;
    const finish = (next: (last: typeof state) => typeof state): void => {
      if (controller.signal.aborted) return;
      loading.current = null;
      setState(next);
      if (isAskedAgain.current) begin();
    };
    load(controller.signal).then(
      (value) => finish(() => ({ value, error: null })),
      (error: unknown) => finish(({ value }) => ({ value, error: isAbort(error) ? null : wordsOfError(error) })),
    );
    return () => controller.abort();
  }, [...inputs, round]);
  const reload = (): void => {
    // A slow load goes on; it may have begun before a change, so another one follows it.
    if (loading.current === null) begin();
    else isAskedAgain.current = true;
  };
  const take = (value: T): void => {
    setState({ value, error: null });
    if (loading.current === null) return;
    loading.current.abort();
    begin();
  };
  return { ...state, reload, take };
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

interface ErrorLineProps {
  /** Nothing is shown for null. */
  readonly error: string | null;
  /** Words before it. */
  readonly before?: string;
  readonly tryAgain?: () => void;
}

export const ErrorLine = ({ error, before = "", tryAgain }: ErrorLineProps) =>
  error === null ? null : (
    <p class="bad" role="alert">
      {before + error} {tryAgain === undefined ? null : <button onClick={tryAgain}>Try again</button>}
    </p>
  );

interface WhenLoadedProps<T> {
  readonly of: Loaded<T>;
  readonly children: (value: T) => ComponentChildren;
}

/** A load's error, its value, or a line that says that it is on its way. */
export const WhenLoaded = <T,>({ of: { value, error, reload }, children }: WhenLoadedProps<T>) => (
  <>
    <ErrorLine error={error} tryAgain={reload} />
    {value === null ? error === null ? <p class="quiet">Loading …</p> : null : children(value)}
  </>
);
