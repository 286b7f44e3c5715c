/**
 * A record that a person edits: what they have changed is sent with the version that they have seen. If the record has
 * changed meanwhile, the newer one is loaded, their changes stay over it, and they decide.
 */
import { useEffect, useState } from "preact/hooks";
import { VersionConflictError } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { type FormDraft, useDraft } from "./draft.ts";
import { differing, hasFields, moveFields, otherChanges } from "./edited-fields.ts";
import { useRefusals } from "./form.tsx";

interface EditedRecordProps<R, D extends object> {
  /** The newest record that the page knows. While a person has changes, they stay over the one that they have seen. */
  readonly now: R;
  readonly draftOf: (record: R) => D;
  readonly read: () => Promise<R>;
  /** Saves the changes, if the record still has this version. */
  readonly write: (changes: Partial<D>, version: number) => Promise<R>;
}

export interface EditedRecord<R, D extends object> {
  readonly record: R;
  /** Takes a newer record, such as the answer of another operation. */
  readonly take: (record: R) => void;
  readonly draft: FormDraft<D>;
  readonly refusals: ReturnType<typeof useRefusals>;
  readonly save: () => Promise<void>;
  /** Whether the last thing that happened was a save. */
  readonly isSaved: boolean;
}

export function useEditedRecord<R extends { readonly id: string; readonly version: number }, D extends object>({
  now,
  draftOf,
  read,
  write,
}: EditedRecordProps<R, D>): EditedRecord<R, D> {
  const [record, setRecord] = useState(now);
  const draft = useDraft(record.id, draftOf(record));
  const refusals = useRefusals();
  const [isSaved, setSaved] = useState(false);
  const take = (next: R): void => {
    draft.move(draftOf(next));
    setRecord(next);
  };
  useEffect(() => {
    if (now.version > record.version && !draft.isChanged) take(now);
  }, [now.version, draft.isChanged]);
  const save = async (): Promise<void> => {
    const sent = draft.changes;
    setSaved(false);
    const send = async (version: number): Promise<void> => {
      const saved = await write(sent, version);
      draft.settle(sent, draftOf(saved));
      setRecord(saved);
      setSaved(true);
    };
    await refusals.during(() =>
      send(record.version).catch(async (error: unknown) => {
        if (!(error instanceof VersionConflictError)) throw error;
        const newest = await read();
        take(newest);
        const others = otherChanges(moveFields(draft.fields, draftOf(newest)));
        // The person has seen the rest, or it is something that only the service writes.
        if (!hasFields(differing(others, draft.fields.saved))) await send(newest.version);
      }),
    );
  };
  return { record, take, draft, refusals, save, isSaved: isSaved && !draft.isChanged };
}

interface SaveBarProps {
  readonly edited: {
    readonly draft: Pick<FormDraft<object>, "changes" | "isChanged" | "conflict" | "discard">;
    readonly save: () => Promise<void>;
    readonly isSaved: boolean;
  };
  /** Why the record cannot be saved, besides that nothing has changed. */
  readonly whyNot: string | null;
}

export function SaveBar({ edited: { draft, save, isSaved }, whyNot }: SaveBarProps) {
  const mine = Object.keys(draft.changes);
  return (
    <div class="save-bar">
      {draft.conflict === null ? null : (
        <p class="bad" role="alert">
          Not saved: somebody else has changed {wordsOfFields(draft.conflict)} since you began. You see their version,
          with your changes to {wordsOfFields(mine)} over it. Save to keep your changes, or discard them.
        </p>
      )}
      <p class="actions">
        <ActionButton act={save} whyNot={whyNot ?? (draft.isChanged ? null : "Nothing has changed")}>
          Save
        </ActionButton>
        <ActionButton
          class="quiet"
          act={() => Promise.resolve(draft.discard())}
          whyNot={draft.isChanged ? null : "Nothing has changed"}
          question={`Discard what you have written in ${wordsOfFields(mine)}? It cannot be brought back.`}
        >
          Discard changes
        </ActionButton>
        <span class="quiet" role="status">
          {draft.isChanged ? `Not saved: ${wordsOfFields(mine)}` : isSaved ? "Saved" : ""}
        </span>
      </p>
    </div>
  );
}

const wordsOfFields = (fields: readonly string[]): string =>
  fields.length === 0 ? "nothing else" : fields.map((field) => field.replaceAll("_", " ")).join(", ");
