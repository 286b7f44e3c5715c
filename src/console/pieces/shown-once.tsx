/** A secret that the service shows once: to copy now, or never. */
import { useEffect, useRef } from "preact/hooks";
import { CopyButton } from "./curl.tsx";

interface ShownOnceProps {
  /** What it is, such as `The signing secret`. */
  readonly name: string;
  readonly text: string;
  readonly done: () => void;
}

export function ShownOnce({ name, text, done }: ShownOnceProps) {
  const place = useRef<HTMLElement>(null);
  // Nobody must overlook the secret, also not with a screen reader.
  useEffect(() => place.current?.focus(), [text]);
  return (
    <section class="card decision" ref={place} tabIndex={-1} aria-label={name}>
      <p>
        <strong>{name}</strong>: copy it now, it is never shown again.
      </p>
      <pre tabIndex={0} aria-label={`${name}, to copy`}>
        {text}
      </pre>
      <p class="actions">
        <CopyButton text={() => text}>Copy</CopyButton>
        <button class="quiet" onClick={done}>
          I have it
        </button>
      </p>
    </section>
  );
}
