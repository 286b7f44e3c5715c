/** The ledger of deliveries: one row for each attempt, newest first, filtered by the address of the page. */
import { Link } from "wouter-preact";
import type { Delivery, ListDeliveriesQuery } from "../../../sdk/typescript/troupe.ts";
import { Time } from "../format/time.tsx";
import { useRepeat } from "../loading.tsx";
import { CopyAsCurl, NothingYet } from "../pieces/curl.tsx";
import { anyOf, FilterChoice, FilterBar, FilterDay, FilterText } from "../pieces/filter.tsx";
import { OwnersOnly } from "../pieces/owners-only.tsx";
import { ItemPages, usePaged } from "../pieces/paged.tsx";
import { givenParameters, useSearchState } from "../pieces/search-state.ts";
import { ScrolledTable } from "../pieces/table.tsx";
import { service } from "../service.ts";
import { TitledPage } from "../title.tsx";
import { AttemptOutcome } from "./attempt-outcome.tsx";

const DELIVERY_STATUSES: readonly Delivery["status"][] = ["pending", "success", "failed", "retrying", "skipped"];
const REFRESH_SECONDS_OF_DELIVERIES = 5;

export function DeliveriesPage() {
  return (
    <TitledPage title="Deliveries">
      <OwnersOnly what="the deliveries">
        <DeliveryLedger />
      </OwnersOnly>
    </TitledPage>
  );
}

function DeliveryLedger() {
  const [state, change] = useSearchState({ status: "", event_type: "", event_id: "", since: "" });
  const inputs = Object.values(state);
  const paged = usePaged(
    (query, options) => service.listDeliveries({ ...deliveryQuery(state), ...query }, options),
    (page) => page.deliveries,
    inputs,
  );
  useRepeat(paged.reload, REFRESH_SECONDS_OF_DELIVERIES);
  const isFiltered = inputs.some((value) => value !== "");
  return (
    <>
      <FilterBar label="Filters of deliveries">
        <FilterChoice
          label="Status"
          value={state.status}
          choices={anyOf(DELIVERY_STATUSES)}
          change={(status) => change({ status })}
        />
        <FilterText label="Event type" value={state.event_type} change={(type) => change({ event_type: type })} />
        <FilterText label="Event id" value={state.event_id} change={(id) => change({ event_id: id })} />
        <FilterDay label="Since" value={state.since} change={(since) => change({ since })} />
      </FilterBar>
      <ItemPages
        of={paged}
        empty={
          isFiltered ? (
            <p class="quiet">No delivery fits these filters.</p>
          ) : (
            <NothingYet request={{ method: "POST", path: "/api/messaging-integration/test" }}>
              No event was sent yet. Set <Link href="/webhooks">the destination</Link>, and send a test there, or use a
              shell:
            </NothingYet>
          )
        }
      >
        {(deliveries) => <DeliveryTable deliveries={deliveries} />}
      </ItemPages>
      <CopyAsCurl path="/api/messaging-integration/deliveries" query={givenParameters(state)} />
    </>
  );
}

type DeliveryFilters = Readonly<Record<"status" | "event_type" | "event_id" | "since", string>>;

/** A text that is no event type is refused by the service, in words. */
const deliveryQuery = ({ status, event_type: type, ...rest }: DeliveryFilters): ListDeliveriesQuery => ({
  ...givenParameters(rest),
  ...(status === "" ? {} : { status: [status as Delivery["status"]] }),
  ...(type === "" ? {} : { event_type: [type as Delivery["event_type"]] }),
});

function DeliveryTable({ deliveries }: { readonly deliveries: readonly Delivery[] }) {
  return (
    <ScrolledTable label="Deliveries" columns={["Event", "Attempt", "Outcome", "Made by", "When"]}>
      {deliveries.map((delivery) => (
        <tr key={delivery.id}>
          <td>
            <Link href={`/webhooks/events/${delivery.event_id}`}>{delivery.event_type}</Link>{" "}
            <span class="quiet">no. {delivery.sequence}</span>
          </td>
          <td>{delivery.attempt}</td>
          <td>
            <AttemptOutcome delivery={delivery} />
          </td>
          <td>{delivery.trigger}</td>
          <td>
            <Time at={delivery.updated_at} />
          </td>
        </tr>
      ))}
    </ScrolledTable>
  );
}
