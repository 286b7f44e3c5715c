/** A form with one button: what the service refuses when it is pressed is shown at the fields. */
import type { ComponentChildren } from "preact";
import { ActionButton } from "../action-button.tsx";
import { Form, useRefusals } from "./form.tsx";

interface SendFormProps {
  readonly label: string;
  readonly send: () => Promise<void>;
  /** Why it cannot be sent now; null if it can. */
  readonly whyNot: string | null;
  /** The words of the button. */
  readonly action: string;
  readonly isQuiet?: boolean;
  readonly children: ComponentChildren;
}

export function SendForm({ label, send, whyNot, action, isQuiet = false, children }: SendFormProps) {
  const refusals = useRefusals();
  return (
    <Form label={label} refusals={refusals}>
      {() => (
        <>
          {children}
          <p class="actions">
            <ActionButton {...(isQuiet ? { class: "quiet" } : {})} act={() => refusals.during(send)} whyNot={whyNot}>
              {action}
            </ActionButton>
          </p>
        </>
      )}
    </Form>
  );
}
