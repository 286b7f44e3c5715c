/** The form of the destination. */
import { useState } from "preact/hooks";
import type { MessagingIntegration, PutMessagingIntegrationRequest } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { AreaField, CheckField, ChoiceField, TextField } from "../pieces/fields.tsx";
import { Form, useRefusals } from "../pieces/form.tsx";
import { service } from "../service.ts";

interface DestinationFormProps {
  readonly integration: MessagingIntegration | null;
  readonly isReadOnly: boolean;
  /** Called with the new signing secret, if there is one. */
  readonly saved: (secret: string | undefined) => void;
}

interface DestinationDraft {
  readonly name: string;
  readonly url: string;
  readonly types: string;
  readonly profile: "standard" | "durable";
  readonly enabled: boolean;
}

const PROFILE_CHOICES = [
  ["standard", "standard: four attempts within seconds"],
  ["durable", "durable: twelve attempts within three days"],
] as const;

const draftOf = (integration: MessagingIntegration | null): DestinationDraft => ({
  name: integration?.name ?? "",
  url: integration?.url ?? "",
  types: (integration?.event_types ?? []).join("\n"),
  profile: integration?.retry_profile ?? "standard",
  enabled: integration?.enabled ?? true,
});

const bodyOfDraft = ({ name, url, types, profile, enabled }: DestinationDraft): PutMessagingIntegrationRequest => ({
  ...(name.trim() === "" ? {} : { name }),
  url: url.trim(),
  event_types: types.split(/[\s,]+/).filter((one) => one !== ""),
  retry_profile: profile,
  enabled,
});

export function DestinationForm({ integration, isReadOnly, saved }: DestinationFormProps) {
  // What the person has changed; the rest follows the record.
  const [changes, setChanges] = useState<Partial<DestinationDraft>>({});
  const draft = { ...draftOf(integration), ...changes };
  const refusals = useRefusals();
  const set =
    <K extends keyof DestinationDraft>(field: K) =>
    (value: DestinationDraft[K]): void =>
      setChanges((last) => ({ ...last, [field]: value }));
  const save = async (): Promise<void> => {
    refusals.clear();
    try {
      const { secret } = await service.putMessagingIntegration(bodyOfDraft(draft));
      setChanges({});
      saved(secret);
    } catch (error) {
      refusals.take(error);
      throw error;
    }
  };
  return (
    <Form label="Destination" isReadOnly={isReadOnly} refusals={refusals}>
      {() => (
        <>
          <TextField label="URL" path="/url" hint="Begins with https://" value={draft.url} change={set("url")} />
          <TextField label="Name" path="/name" value={draft.name} change={set("name")} />
          <AreaField
            label="Event types"
            path="/event_types"
            hint="One in a line, such as job.* or agent.updated; !api_mutation excludes a source. Empty: all."
            rows={3}
            value={draft.types}
            change={set("types")}
          />
          <ChoiceField
            label="Retries"
            path="/retry_profile"
            choices={PROFILE_CHOICES}
            value={draft.profile}
            change={set("profile")}
          />
          <CheckField label="Send events" value={draft.enabled} change={set("enabled")} />
          {isReadOnly ? null : (
            <p class="actions">
              <ActionButton act={save} whyNot={draft.url.trim() === "" ? "Give it a URL first" : null}>
                Save the destination
              </ActionButton>
            </p>
          )}
        </>
      )}
    </Form>
  );
}
