/** A button that asks the service for something. It is disabled until the answer is there, and shows a refusal. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { wordsOfError } from "./service.ts";

interface ActionButtonProps {
  readonly act: () => Promise<unknown>;
  readonly children: ComponentChildren;
  readonly class?: string;
  /** Why the button cannot be pressed; null if it can. */
  readonly whyNot?: string | null;
  /** Asked before something that cannot be undone. */
  readonly question?: string;
}

export function ActionButton({ act, children, class: style, whyNot = null, question }: ActionButtonProps) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const press = async (): Promise<void> => {
    if (question !== undefined && !confirm(question)) return;
    setBusy(true);
    setError(null);
    try {
      await act();
    } catch (refusal) {
      setError(wordsOfError(refusal));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <button
        class={style}
        disabled={isBusy || whyNot !== null}
        title={whyNot ?? undefined}
        onClick={() => void press()}
      >
        {children}
      </button>
      {error === null ? null : (
        <span class="bad" role="alert">
          {error}
        </span>
      )}
    </>
  );
}
