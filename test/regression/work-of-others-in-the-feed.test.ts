/** The feed of events showed every member what owners alone may send to a webhook: words said to private agents. */
import { expect, test } from "bun:test";
import { Client, type Json, refused } from "../support/current.ts";
import { serviceOfFile } from "../support/scene.ts";

const service = serviceOfFile();

test("[AUTH-5] [AGT-5] [HOOK-10] the feed is for owners, because it has events of private agents", async () => {
  const owner = await service.found();
  const [mine, theirs] = [new Client(service, owner), new Client(service, await service.join(owner.organizationId))];
  await theirs.call("POST", "/api/agents", { name: "Ada", system_prompt: "Keep it to yourself." });
  expect((await mine.get<{ events: Json[] }>("/api/events")).events).toMatchObject([{ type: "agent.created" }]);
  for (const query of ["", "?after=0", "?after=x"])
    await refused(theirs.call("GET", `/api/events${query}`), 403, "owner_required");
});
