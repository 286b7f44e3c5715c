/** A dialog over the page. Esc and a click outside of it close it. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { openDialog } from "./keys.ts";

interface ModalDialogProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

export function ModalDialog({ label, children }: ModalDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      aria-label={label}
      class="palette"
      onClose={() => (openDialog.value = null)}
      onClick={({ target, currentTarget }) => {
        // Outside of its content is the backdrop.
        if (target === currentTarget) currentTarget.close();
      }}
    >
      <div class="content">{children}</div>
    </dialog>
  );
}

/** Around a dialog that could not be loaded. */
export const FailedDialog = ({ children }: Pick<ModalDialogProps, "children">) => (
  <ModalDialog label="Not loaded">{children}</ModalDialog>
);
