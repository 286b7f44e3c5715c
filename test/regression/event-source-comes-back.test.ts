/** A browser's EventSource came back to a stream that had ended, every second and for ever. */
import { expect, test } from "bun:test";
import { EventSource } from "eventsource";
import { until } from "../support/condition.ts";
import { Client } from "../support/current.ts";
import { sceneOfFile } from "../support/scene.ts";
import { createAgent } from "../support/v1.ts";

const { service, owner } = sceneOfFile();

test("[SSE-6] a stream that has ended answers 204 to the cursor of its end, and an EventSource stays away", async () => {
  const client = new Client(service, owner);
  const { job } = await client.send(await client.chat(await createAgent(service, owner), owner.workspaceId), "hello");
  await client.reached(job.id, "completed");
  const opened: number[] = [];
  const events: string[] = [];
  const source = new EventSource(`${service.url}/api/jobs/${job.id}/events?replay=all`, {
    fetch: async (url, init) => {
      const response = await fetch(url, {
        ...init,
        headers: { ...init.headers, authorization: `Bearer ${owner.token}` },
      });
      opened.push(response.status);
      return response;
    },
  });
  source.addEventListener("stream.end", () => events.push("stream.end"));
  try {
    await until("it has given up", () => source.readyState === EventSource.CLOSED);
    expect(opened).toEqual([200, 204]);
    expect(events).toEqual(["stream.end"]);
  } finally {
    source.close();
  }
});
