/** A password in the address of an MCP server was kept, and shown to all who could read the agent. */
import { beforeAll, expect, test } from "bun:test";
import { answered, Client, refused } from "../support/current.ts";
import { serviceOfFile } from "../support/scene.ts";

let client: Client;
const service = serviceOfFile();
beforeAll(async () => void (client = new Client(service, await service.found())));

test("[RUN-6] [RUN-5] an MCP server's url with a user name or a password is refused, when it is made and later", async () => {
  const body = { name: "Ada", system_prompt: "Be brief." };
  const agent = await answered<{ id: string }>(client.call("POST", "/api/agents", body), 201);
  for (const url of ["https://ada:secret@mcp.example/", "https://ada@mcp.example/", "https://:secret@mcp.example/"]) {
    const servers = { mcp_servers: [{ name: "wiki", url }] };
    const refusals = [
      await refused(client.call("POST", "/api/agents", { ...body, ...servers }), 400, "invalid_request"),
      await refused(client.call("PATCH", `/api/agents/${agent.id}`, servers), 400, "invalid_request"),
    ];
    expect(JSON.stringify(refusals)).not.toContain("secret@");
  }
  expect(await client.get(`/api/agents/${agent.id}`)).toMatchObject({ mcp_servers: [] });
});
