/** The form of the destination. */
import { useEffect } from "preact/hooks";
import type { MessagingIntegration, PutMessagingIntegrationRequest } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { useDraft } from "../pieces/draft.ts";
import { AreaField, CheckField, ChoiceField, TextField } from "../pieces/fields.tsx";
import { Form, useRefusals } from "../pieces/form.tsx";
import { service } from "../service.ts";

interface DestinationFormProps {
  readonly integration: MessagingIntegration | null;
  readonly isReadOnly: boolean;
  /** Called with the saved destination, and the new signing secret if there is one. */
  readonly saved: (destination: MessagingIntegration, secret: string | undefined) => void;
}

interface DestinationDraft {
  readonly name: string;
  readonly url: string;
  /** One in a line. */
  readonly event_types: string;
  readonly retry_profile: "standard" | "durable";
  readonly enabled: boolean;
}

const PROFILE_CHOICES = [
  ["standard", "standard: four attempts within seconds"],
  ["durable", "durable: twelve attempts within three days"],
] as const;

const draftOf = (integration: MessagingIntegration | null): DestinationDraft => ({
  name: integration?.name ?? "",
  url: integration?.url ?? "",
  event_types: (integration?.event_types ?? []).join("\n"),
  retry_profile: integration?.retry_profile ?? "standard",
  enabled: integration?.enabled ?? true,
});

const bodyOfDraft = ({ name, url, event_types: types, ...rest }: DestinationDraft): PutMessagingIntegrationRequest => ({
  ...rest,
  ...(name.trim() === "" ? {} : { name }),
  url: url.trim(),
  event_types: types.split(/[\s,]+/).filter((one) => one !== ""),
});

export function DestinationForm({ integration, isReadOnly, saved }: DestinationFormProps) {
  const known = draftOf(integration);
  // What the person has not changed follows the record.
  const draft = useDraft(null, known);
  useEffect(() => draft.move(known), [JSON.stringify(known)]);
  const { value, field } = draft;
  const refusals = useRefusals();
  const save = (): Promise<void> =>
    refusals.during(async () => {
      const { secret, ...destination } = await service.putMessagingIntegration(bodyOfDraft(value));
      draft.settle(draft.changes, draftOf(destination));
      saved(destination, secret);
    });
  return (
    <Form label="Destination" isReadOnly={isReadOnly} refusals={refusals}>
      {() => (
        <>
          <TextField label="URL" hint="Begins with https://" {...field("url")} />
          <TextField label="Name" {...field("name")} />
          <AreaField
            label="Event types"
            hint="One in a line, such as job.* or agent.updated; !api_mutation excludes a source. Empty: all."
            rows={3}
            {...field("event_types")}
          />
          <ChoiceField label="Retries" choices={PROFILE_CHOICES} {...field("retry_profile")} />
          <CheckField label="Send events" {...field("enabled")} />
          {isReadOnly ? null : (
            <p class="actions">
              <ActionButton act={save} whyNot={value.url.trim() === "" ? "Give it a URL first" : null}>
                Save the destination
              </ActionButton>
            </p>
          )}
        </>
      )}
    </Form>
  );
}
