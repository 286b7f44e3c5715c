/** A receiver of webhooks on loopback, over TLS by the authority of the test. */
import type { EgressWorld } from "./egress-world.ts";

export interface Delivery {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Byte for byte. */
  readonly body: string;
  readonly path: string;
  /** What the body says. */
  readonly event: { readonly id: string; readonly type: string; readonly sequence: number } & Readonly<
    Record<string, unknown>
  >;
}

type Respond = (delivery: Delivery, count: number) => Response | Promise<Response>;

export interface WebhookReceiver {
  /** For `name`.test. */
  readonly url: string;
  /** In the order of their arrival. */
  readonly deliveries: Delivery[];
  /** Most that were under way at once. */
  readonly most: number;
  respond: Respond;
  ofType(type: string): Delivery[];
  stop(): void;
}

const OK: Respond = () => new Response("taken");

/** Names that end in `.test` lead to 127.0.0.1, by the resolver of the world. */
export function startReceiver(world: EgressWorld, name = "hooks"): WebhookReceiver {
  const { cert, key } = world.authority.issue([`${name}.test`]);
  const deliveries: Delivery[] = [];
  const state = { respond: OK, most: 0, underWay: 0 };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    tls: { cert, key },
    idleTimeout: 60,
    async fetch(request) {
      state.most = Math.max(state.most, ++state.underWay);
      try {
        const body = await request.text();
        const event = JSON.parse(body) as Delivery["event"];
        const headers = Object.fromEntries(request.headers);
        const delivery = { headers, body, event, path: new URL(request.url).pathname };
        deliveries.push(delivery);
        return await state.respond(delivery, deliveries.length);
      } finally {
        state.underWay--;
      }
    },
  });
  return {
    url: `https://${name}.test:${server.port}/hook`,
    deliveries,
    get most() {
      return state.most;
    },
    get respond() {
      return state.respond;
    },
    set respond(respond) {
      state.respond = respond;
    },
    ofType: (type) => deliveries.filter(({ event }) => event.type === type),
    stop: () => void server.stop(true),
  };
}
