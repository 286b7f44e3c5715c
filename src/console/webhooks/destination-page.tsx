/** Where the organization's events go: its form, its signing secret, and what was not delivered. */
import { useState } from "preact/hooks";
import { type MessagingIntegration, NotFoundError } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { Time } from "../format/time.tsx";
import { useLoaded, useRepeat, WhenLoaded } from "../loading.tsx";
import { CopyAsCurl, NothingYet } from "../pieces/curl.tsx";
import { OWNERS_DO_THIS } from "../pieces/owners-only.tsx";
import { ShownOnce } from "../pieces/shown-once.tsx";
import { type FactList, ShownFacts } from "../pieces/table.tsx";
import { service } from "../service.ts";
import { ownRole } from "../session.ts";
import { TitledPage } from "../title.tsx";
import { DestinationForm } from "./destination-form.tsx";
import { RotateSecret } from "./rotate-secret.tsx";

const DESTINATION_PATH = "/api/messaging-integration";
const REFRESH_SECONDS_OF_DESTINATION = 10;

async function readDestination(signal: AbortSignal): Promise<{ readonly integration: MessagingIntegration | null }> {
  try {
    return { integration: await service.getMessagingIntegration({ signal }) };
  } catch (error) {
    if (error instanceof NotFoundError) return { integration: null };
    throw error;
  }
}

export function DestinationPage() {
  const found = useLoaded(readDestination, []);
  useRepeat(found.reload, REFRESH_SECONDS_OF_DESTINATION);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <TitledPage title="Webhooks">
      {secret === null ? null : <ShownOnce name="The signing secret" text={secret} done={() => setSecret(null)} />}
      <WhenLoaded of={found}>
        {({ integration }) => {
          const saved = (destination: MessagingIntegration, made: string | undefined): void => {
            if (made !== undefined) setSecret(made);
            found.take({ integration: destination });
          };
          const isReadOnly = ownRole.value !== "owner";
          return (
            <>
              {integration === null ? <NoDestination /> : <DestinationFacts integration={integration} />}
              {isReadOnly ? <p class="quiet">{OWNERS_DO_THIS}.</p> : null}
              {integration === null && isReadOnly ? null : (
                <DestinationForm integration={integration} isReadOnly={isReadOnly} saved={saved} />
              )}
              {integration === null ? null : (
                <DestinationActions integration={integration} done={found.reload} rotated={setSecret} />
              )}
            </>
          );
        }}
      </WhenLoaded>
      <CopyAsCurl path={DESTINATION_PATH} />
    </TitledPage>
  );
}

function NoDestination() {
  return (
    <NothingYet
      request={{
        method: "PUT",
        path: DESTINATION_PATH,
        body: { url: "https://hooks.example.com/troupe", event_types: ["job.*"] },
      }}
    >
      No destination is set. The service sends an event to your server whenever a job or a record changes, signed and
      with retries.
    </NothingYet>
  );
}

const DISABLED_WORDS: Readonly<Record<NonNullable<MessagingIntegration["disabled_reason"]>, string>> = {
  gone: "The receiver has answered 410 Gone, so the service has stopped sending. Save the destination to send again.",
  failing:
    "Everything has failed for five days, so the service has stopped sending. Save the destination to send again.",
};

function DestinationFacts({ integration }: { readonly integration: MessagingIntegration }) {
  const { disabled_reason: reason, last_success_at: success, last_failure_at: failure } = integration;
  const facts: FactList = [
    ["Last success", success === null ? "–" : <Time at={success} />],
    ["Last failure", failure === null ? "–" : <Time at={failure} />],
    ["Signing secret", <code>…{integration.secret_last4}</code>],
    ...(integration.former_secret_until === null
      ? []
      : [["The former secret also signs until", <Time at={integration.former_secret_until} />] as const]),
  ];
  return (
    <>
      {reason === null ? null : <p class="bad">{DISABLED_WORDS[reason]}</p>}
      <ShownFacts facts={facts} />
    </>
  );
}

interface DestinationActionsProps {
  readonly integration: MessagingIntegration;
  readonly done: () => void;
  readonly rotated: (secret: string) => void;
}

function DestinationActions({ integration, done, rotated }: DestinationActionsProps) {
  const { allowed_actions: allowed, undelivered } = integration;
  const whyNot = allowed.includes("configure") ? null : OWNERS_DO_THIS;
  const [tested, setTested] = useState(false);
  const test = async (): Promise<void> => {
    await service.testMessagingIntegration();
    setTested(true);
    done();
  };
  return (
    <>
      <p class="actions">
        <ActionButton
          class="quiet"
          act={test}
          whyNot={whyNot ?? (allowed.includes("test") ? null : "Delivery is switched off")}
        >
          Send a test
        </ActionButton>
        <span role="status">{tested ? "Sent: see Deliveries." : ""}</span>
      </p>
      <RotateSecret whyNot={whyNot} rotated={rotated} done={done} />
      {undelivered === null ? null : (
        <section aria-labelledby="undelivered">
          <h2 id="undelivered">Not delivered</h2>
          <p>
            {undelivered.deliveries.toLocaleString()} deliveries were given up, of the events{" "}
            {undelivered.since_sequence} to {undelivered.until_sequence}.
          </p>
          <ActionButton
            whyNot={whyNot}
            question={`Send the events ${undelivered.since_sequence} to ${undelivered.until_sequence} again? Receivers also get events that they already have.`}
            act={() => {
              const { since_sequence, until_sequence } = undelivered;
              return service.redeliverEvents({ since_sequence, until_sequence });
            }}
            after={done}
          >
            Send them again
          </ActionButton>
        </section>
      )}
    </>
  );
}
