/** A form over a record: what the service says of its fields, whether they can be changed, and what cannot be read yet. */
import { createContext, type ComponentChildren } from "preact";
import { useContext, useMemo, useState } from "preact/hooks";
import { ApiError } from "../../../sdk/typescript/troupe.ts";

interface FormState {
  /** Whether the fields only show their values. */
  readonly isReadOnly: boolean;
  /** What the service has refused: messages by the path of the field, such as `/name`. */
  readonly errors: ReadonlyMap<string, string>;
  /** Fields whose text cannot be read as JSON. */
  readonly unreadable: ReadonlySet<string>;
  readonly setUnreadable: (label: string, isUnreadable: boolean) => void;
  /** Shows what the service has refused of the fields, beside them. */
  readonly refuse: (error: unknown) => void;
}

const FormContext = createContext<FormState | null>(null);

/** What fields need of their form. */
export function useFormState(): FormState {
  const state = useContext(FormContext);
  if (state === null) throw new Error("A field is in no form");
  return state;
}

interface FormRefusals {
  readonly fields: ReadonlyMap<string, string>;
  /** Names the fields that the form cannot show beside their place. */
  readonly take: (error: unknown) => void;
  readonly clear: () => void;
  /** Sends the form: what the service refuses is shown at the fields, and thrown for the button that was pressed. */
  readonly during: (send: () => Promise<void>) => Promise<void>;
}

/** What the service refuses in a form's fields. */
export function useRefusals(): FormRefusals {
  const [fields, setFields] = useState<ReadonlyMap<string, string>>(new Map());
  const take = (error: unknown): void => setFields(fieldErrorsOf(error));
  const clear = (): void => setFields(new Map());
  const during = async (send: () => Promise<void>): Promise<void> => {
    clear();
    try {
      await send();
    } catch (error) {
      take(error);
      throw error;
    }
  };
  return { fields, take, clear, during };
}

function fieldErrorsOf(error: unknown): ReadonlyMap<string, string> {
  const errors = error instanceof ApiError ? error.details["errors"] : [];
  if (!Array.isArray(errors)) return new Map();
  return new Map((errors as readonly { path: string; message: string }[]).map(({ path, message }) => [path, message]));
}

interface FormProps {
  readonly label: string;
  readonly isReadOnly?: boolean;
  readonly refusals?: FormRefusals;
  /** The fields, and what to press: `unreadable` is the reason why the form cannot be sent; null if it can. */
  readonly children: (unreadable: string | null) => ComponentChildren;
}

const NO_ERRORS: ReadonlyMap<string, string> = new Map();

export function Form({ label, isReadOnly = false, refusals, children }: FormProps) {
  const [unreadable, setSet] = useState<ReadonlySet<string>>(new Set());
  const setUnreadable = (field: string, isUnreadable: boolean): void =>
    setSet((last) => {
      if (last.has(field) === isUnreadable) return last;
      const next = new Set(last);
      if (isUnreadable) next.add(field);
      else next.delete(field);
      return next;
    });
  const errors = refusals?.fields ?? NO_ERRORS;
  const refuse = (error: unknown): void => refusals?.take(error);
  const state = useMemo(
    () => ({ isReadOnly, errors, unreadable, setUnreadable, refuse }),
    [isReadOnly, errors, unreadable],
  );
  const [first] = unreadable;
  return (
    <FormContext.Provider value={state}>
      <form aria-label={label} onSubmit={(event) => event.preventDefault()}>
        {children(first === undefined ? null : `Correct the JSON of ${first} first`)}
      </form>
    </FormContext.Provider>
  );
}
