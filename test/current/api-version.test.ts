/** The version of the current surface's contract: told by every response, asked for by a request. */
import { expect, test } from "bun:test";
import { API_VERSION, SUPPORTED_VERSIONS } from "../../src/http/contract/deprecation.ts";
import { answered, refused } from "../support/current.ts";
import { sceneOfFile } from "../support/scene.ts";
import { createAgent } from "../support/v1.ts";

const { service, owner } = sceneOfFile();

const ask = (path: string, headers: Record<string, string>, method = "GET"): Promise<Response> =>
  service.call(owner, method, `${path}`, undefined, { ...headers });

test("[VER-1] every response of the current surface reports its version, refusals too", async () => {
  const asked = [
    ask("/api/agents", {}),
    ask("/api/agents", { authorization: "Bearer nobody" }),
    ask("/api/nothing", {}),
    ask("/api/agents", {}, "OPTIONS"),
    ask("/api/agents", {}, "PUT"),
    ask(`/api/jobs/job_nothing`, {}),
  ];
  for (const response of await Promise.all(asked)) {
    expect({ status: response.status, version: response.headers.get("api-version") }).toEqual({
      status: response.status,
      version: API_VERSION,
    });
  }
});

test("[VER-1] the head of a stream and a long poll that ends without news report it too", async () => {
  const agentId = await createAgent(service, owner);
  const made = { agent_id: agentId, workspace_id: owner.workspaceId };
  const chat = await answered<{ id: string; version: number }>(service.call(owner, "POST", "/api/chats", made), 201);
  const stream = await ask(`/api/chats/${chat.id}/events`, {});
  expect({ status: stream.status, version: stream.headers.get("api-version") }).toEqual({
    status: 200,
    version: API_VERSION,
  });
  await stream.body?.cancel();
  const poll = await ask(`/api/chats/${chat.id}?since_version=${chat.version}`, {});
  expect({ status: poll.status, version: poll.headers.get("api-version") }).toEqual({
    status: 304,
    version: API_VERSION,
  });
});

test("[VER-1] the current version may be requested; another one is 400 and names those that exist", async () => {
  expect(API_VERSION).toBe("2026-11-01");
  expect((await ask("/api/agents", { "api-version": API_VERSION })).status).toBe(200);
  const details = await refused(ask("/api/agents", { "api-version": "2025-01-01" }), 400, "unsupported_api_version");
  expect(details).toEqual({ supported: SUPPORTED_VERSIONS });
  await refused(ask("/api/tasks/x", { "api-version": "latest" }, "PATCH"), 400, "unsupported_api_version");
});

test("[VER-1] v1 is versioned by its path: it reports no version and accepts any", async () => {
  const response = await ask("/api/v1/agents", { "api-version": "2025-01-01" });
  expect({ status: response.status, version: response.headers.get("api-version") }).toEqual({
    status: 200,
    version: null,
  });
});
