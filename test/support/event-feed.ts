/** The feed of an organization's events, as `GET /api/events` answers it (HOOK-10). */
import type { Client, Json } from "./current.ts";

/** An event of the feed. */
export interface FedEvent {
  readonly type: string;
  readonly source: string;
  readonly sequence: number;
  readonly request_id: string | null;
  readonly actor: Json;
  readonly resource: {
    readonly type: string;
    readonly id: string | null;
    readonly url: string | null;
    readonly version: number | null;
  };
  readonly data: Json;
}

/** The events after this number, 100 at most; without one, from the first. */
export const eventsAfter = async (client: Client, after = 0): Promise<readonly FedEvent[]> =>
  (await client.get<{ events: FedEvent[] }>(`/api/events?after=${after}&limit=100`)).events;

/** The number of the newest event among the first 100; 0 if there is none. */
export const feedHead = async (client: Client): Promise<number> => (await eventsAfter(client)).at(-1)?.sequence ?? 0;
