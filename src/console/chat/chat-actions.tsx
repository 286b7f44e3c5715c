/** What may be done with a whole chat: its title, its place in lists, a summary, a copy, and its end. */
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import type { Chat } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { TextField } from "../pieces/fields.tsx";
import { Form, useRefusals } from "../pieces/form.tsx";
import { isolated, service } from "../service.ts";

interface ChatActionsProps {
  readonly chat: Chat;
  readonly changed: (chat: Chat) => void;
}

export function ChatActions({ chat, changed }: ChatActionsProps) {
  const [, navigate] = useLocation();
  const { id, title, options, allowed_actions: allowed } = chat;
  const [name, setName] = useState(title);
  const refusals = useRefusals();
  const whyNotOwn = (action: string): string | null =>
    allowed.includes(action) ? null : "Only the person who began this chat and owners of the organization may do this";
  const update = (changes: { readonly title?: string; readonly pinned?: boolean }): Promise<void> =>
    refusals.during(async () => {
      changed(await service.updateChat(id, changes));
    });
  return (
    <Form label="This chat" refusals={refusals} isReadOnly={!allowed.includes("update")}>
      {() => (
        <>
          <TextField label="Title" path="/title" value={name} change={setName} />
          <p class="actions">
            <ActionButton
              act={() => update({ title: name.trim() })}
              whyNot={
                whyNotOwn("update") ?? (name.trim() === "" || name === title ? "Enter a different title first" : null)
              }
            >
              Rename
            </ActionButton>
            <ActionButton class="quiet" act={() => update({ pinned: !options.pinned })} whyNot={whyNotOwn("update")}>
              {options.pinned ? "Unpin in lists" : "Pin in lists"}
            </ActionButton>
            <ActionButton
              class="quiet"
              act={() => service.compactChat(id, {})}
              whyNot={allowed.includes("compact") ? null : "Not while the agent works, or without messages"}
            >
              Summarize for the model
            </ActionButton>
            <ActionButton
              class="quiet"
              act={() => service.deleteChat(id)}
              after={() => navigate("/chats")}
              whyNot={whyNotOwn("delete")}
              question={`Delete the chat ${isolated(title)} with its messages? This cannot be undone.`}
            >
              Delete
            </ActionButton>
          </p>
        </>
      )}
    </Form>
  );
}
