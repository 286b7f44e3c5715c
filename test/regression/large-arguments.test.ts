/** Arguments that a person gave to calls had no bound but that of the body: each decision wrote all of them again. */
import { expect, test } from "bun:test";
import { ARGUMENTS_BYTES } from "../../src/http/contract/limits.ts";
import { answered, Client, refused } from "../support/current.ts";
import { FakeTools } from "../support/fake-tools.ts";
import { serviceOfFile } from "../support/scene.ts";

const tools = new FakeTools();

const service = serviceOfFile({ tools });

test("[JOB-8] [ERR-5] arguments of 64 KiB are accepted, one byte more is 413 and decides nothing", async () => {
  const owner = await service.found();
  const client = new Client(service, owner);
  service.model.script = ({ entries }) =>
    entries.length === 1 ? [{ use: { type: "tool_use", id: "c1", name: "send", input: {} } }] : [{ say: "Done." }];
  const agent = await client.agent({ allowed_tools: ["send"], approval_tools: ["send"] });
  const { job } = await client.send(await client.chat(agent, owner.workspaceId), "go");
  const { version } = await client.reached(job.id, "blocked");
  const given = (bytes: number) => ({ to: "é".repeat((bytes - '{"to":""}'.length - 1) / 2) + "x" });
  expect(Buffer.byteLength(JSON.stringify(given(ARGUMENTS_BYTES)))).toBe(ARGUMENTS_BYTES);
  const tooMuch = { ...given(ARGUMENTS_BYTES), to: `${given(ARGUMENTS_BYTES).to}x` };
  const limit = await refused(client.decide(job.id, "approve", { arguments: tooMuch }), 413, "payload_too_large");
  expect(limit).toMatchObject({ limit_bytes: ARGUMENTS_BYTES, errors: [{ path: "/arguments" }] });
  expect(await client.job(job.id)).toMatchObject({ status: "blocked", version });
  await answered(client.decide(job.id, "approve", { arguments: given(ARGUMENTS_BYTES) }));
  await client.reached(job.id, "completed");
  expect(tools.calls.map(({ input }) => input)).toEqual([given(ARGUMENTS_BYTES)]);
});
