/** Webhooks: the destination, the ledger of deliveries, and the signature debugger. */
import { SubPages } from "../pieces/sub-pages.tsx";
import { DeliveriesPage } from "./deliveries-page.tsx";
import { DestinationPage } from "./destination-page.tsx";
import { SentEventPage } from "./event-page.tsx";
import { SignaturePage } from "./signature-page.tsx";

const WEBHOOK_PAGES = [
  { path: "/webhooks", name: "Destination", Page: DestinationPage },
  { path: "/webhooks/deliveries", name: "Deliveries", Page: DeliveriesPage },
  { path: "/webhooks/signature", name: "Check a signature", Page: SignaturePage },
  { path: "/webhooks/events/:id", Page: SentEventPage },
];

export const WebhooksPages = () => <SubPages name="Webhooks" pages={WEBHOOK_PAGES} />;
