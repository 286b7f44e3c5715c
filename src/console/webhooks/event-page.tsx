/** One event: what is sent, and all attempts to deliver it. */
import type { Delivery, Event as SentEvent } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { Time } from "../format/time.tsx";
import { useLoaded, useRepeat, WhenLoaded } from "../loading.tsx";
import { CopyAsCurl } from "../pieces/curl.tsx";
import { OWNERS_DO_THIS, OwnersOnly } from "../pieces/owners-only.tsx";
import { service } from "../service.ts";
import { TitledPage } from "../title.tsx";
import { AttemptOutcome } from "./attempt-outcome.tsx";

const MOST_ATTEMPTS = 100;
const REFRESH_SECONDS_OF_ATTEMPTS = 5;

export function SentEventPage({ id }: { readonly id: string }) {
  return (
    <TitledPage title="Event">
      <OwnersOnly what="events and their deliveries">
        <SentEventDetails eventId={id} />
      </OwnersOnly>
    </TitledPage>
  );
}

function SentEventDetails({ eventId }: { readonly eventId: string }) {
  const found = useLoaded(
    async (signal) =>
      (await service.listDeliveries({ event_id: eventId, limit: MOST_ATTEMPTS }, { signal })).deliveries,
    [eventId],
  );
  useRepeat(found.reload, REFRESH_SECONDS_OF_ATTEMPTS);
  return (
    <WhenLoaded of={found}>
      {(attempts) => {
        const [latest] = attempts;
        if (latest === undefined) return <p class="quiet">There is no delivery of this event.</p>;
        return (
          <>
            <p>
              <strong>{latest.event_type}</strong> no. {latest.sequence} <code>{eventId}</code>
            </p>
            <p class="actions">
              <ActionButton
                whyNot={latest.allowed_actions.includes("redeliver") ? null : OWNERS_DO_THIS}
                act={() => service.redeliverEvent(latest.id)}
                after={found.reload}
              >
                Send it again
              </ActionButton>
              <CopyAsCurl path={`/api/messaging-integration/deliveries?event_id=${eventId}`} />
            </p>
            <h2>Attempts</h2>
            <ol class="rows" aria-label="Attempts" reversed>
              {attempts.map((attempt) => (
                <AttemptRow key={attempt.id} attempt={attempt} />
              ))}
            </ol>
            <SentBody sequence={latest.sequence} />
          </>
        );
      }}
    </WhenLoaded>
  );
}

function AttemptRow({ attempt }: { readonly attempt: Delivery }) {
  const headers = [
    `POST https://${attempt.destination_host}/…`,
    "Content-Type: application/json",
    `Service-Event-Id: ${attempt.event_id}`,
    `Service-Event-Type: ${attempt.event_type}`,
    `Service-Delivery-Attempt: ${attempt.attempt}`,
    `Idempotency-Key: ${attempt.delivery_key}`,
    "Service-Signature, webhook-id, webhook-timestamp, webhook-signature",
  ];
  return (
    <li>
      <details>
        <summary>
          Attempt {attempt.attempt} ({attempt.trigger}) <Time at={attempt.updated_at} />{" "}
          <AttemptOutcome delivery={attempt} />
        </summary>
        <pre tabIndex={0} aria-label="Headers that were sent">
          {headers.join("\n")}
        </pre>
        <p class="quiet">The status of an answer is kept, its text is not.</p>
      </details>
    </li>
  );
}

/** The feed of events has the same bodies as the deliveries. */
async function readEvent(sequence: number, signal: AbortSignal): Promise<{ readonly event: SentEvent | null }> {
  const { events } = await service.listEvents({ after: sequence - 1, limit: 1 }, { signal });
  return { event: events.find((one) => one.sequence === sequence) ?? null };
}

function SentBody({ sequence }: { readonly sequence: number }) {
  const found = useLoaded((signal) => readEvent(sequence, signal), [sequence]);
  return (
    <section aria-labelledby="body">
      <h2 id="body">Body</h2>
      <WhenLoaded of={found}>
        {({ event }) =>
          event === null ? (
            <p class="quiet">The event is no longer kept.</p>
          ) : (
            <pre tabIndex={0} aria-label="Body that is sent">
              {JSON.stringify(event, null, 2)}
            </pre>
          )
        }
      </WhenLoaded>
    </section>
  );
}
