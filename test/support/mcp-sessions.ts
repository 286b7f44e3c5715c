/** The older era of the MCP endpoint by hand: sessions, streams, and events with their ids. */
import { expect } from "bun:test";
import type { Json } from "./current.ts";
import { postMcp, rpc } from "./mcp-clients.ts";
import type { Caller, Service } from "./service.ts";

const HELLO = rpc("initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
});

export async function openSession(service: Service, caller: Caller): Promise<string> {
  const answer = await postMcp(service, caller.token, HELLO);
  expect(await answer.json()).toMatchObject({ result: { protocolVersion: "2025-11-25" } });
  return answer.headers.get("mcp-session-id") ?? "";
}

export const inSession = (id: string, headers: Readonly<Record<string, string>> = {}) => ({
  "mcp-session-id": id,
  "mcp-protocol-version": "2025-11-25",
  ...headers,
});

/** A request without a body. */
export const request = (
  service: Service,
  method: string,
  caller: Caller,
  headers: Readonly<Record<string, string>>,
  signal?: AbortSignal,
) =>
  fetch(`${service.url}/mcp`, {
    method,
    headers: { accept: "text/event-stream", authorization: `Bearer ${caller.token}`, ...headers },
    ...(signal === undefined ? {} : { signal }),
  });

export interface SseEvent {
  readonly id: string;
  readonly message: Json | null;
}

/** Reads events of a stream until one is as it should be, or to its end. */
export async function eventsUntil(response: Response, isLast: (event: SseEvent) => boolean): Promise<SseEvent[]> {
  const events: SseEvent[] = [];
  let text = "";
  const decoder = new TextDecoder();
  for await (const piece of response.body!) {
    text += decoder.decode(piece, { stream: true });
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      const field = (name: string): string | undefined =>
        lines
          .find((line) => line.startsWith(`${name}:`))
          ?.slice(name.length + 1)
          .trim();
      const [id, data] = [field("id"), field("data")];
      if (id === undefined) continue; // a comment
      const event = { id, message: data === undefined || data === "" ? null : (JSON.parse(data) as Json) };
      events.push(event);
      if (isLast(event)) return events;
    }
  }
  return events;
}
