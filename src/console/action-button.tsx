/** A button that asks the service for something. While it does, it cannot be pressed again; a refusal is shown beside it. */
import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { wordsOfError } from "./service.ts";

interface ActionButtonProps {
  readonly act: () => Promise<unknown>;
  /** Called when the service has done it, to show what it has changed. */
  readonly after?: () => unknown;
  readonly children: ComponentChildren;
  readonly class?: string;
  /** Why the button cannot be pressed; null if it can. */
  readonly whyNot?: string | null;
  /** Asked before something that cannot be undone. */
  readonly question?: string;
}

/** A button with `whyNot` keeps its place in the order of the keyboard: there it says why. */
export function ActionButton({ act, after, children, class: style, whyNot = null, question }: ActionButtonProps) {
  const [isBusy, setBusy] = useState(false);
  const running = useRef(false);
  const [error, setError] = useState<string | null>(null);
  const reason = useId();
  const press = async (): Promise<void> => {
    if (running.current || whyNot !== null) return;
    if (question !== undefined && !confirm(question)) return;
    running.current = true;
    setBusy(true);
    setError(null);
    try {
      await act();
      await after?.();
    } catch (refusal) {
      setError(wordsOfError(refusal));
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return (
    <>
      <span class="act">
        <button
          type="button"
          class={style}
          aria-disabled={isBusy || whyNot !== null}
          aria-describedby={whyNot === null ? undefined : reason}
          onClick={() => void press()}
        >
          {children}
        </button>
        {whyNot === null ? null : (
          <span class="why" id={reason}>
            {whyNot}
          </span>
        )}
      </span>
      {error === null ? null : (
        <span class="bad" role="alert">
          {error}
        </span>
      )}
    </>
  );
}
