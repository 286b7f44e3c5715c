/** Answers that fit a schema, over HTTP: of an agent, of a message, refused schemas, and what is shown. */
import { beforeEach, describe, expect, test } from "bun:test";
import { SCHEMA_BYTES, SCHEMA_DEPTH } from "../../src/operations/usable-schema.ts";
import { isClosed } from "../../src/runner/wire/closed-schema.ts";
import { JOB_OUTPUT_BYTES, outputChecks } from "../../src/wiring/schema-checks.ts";
import { answered, type Job, type Json, refused } from "../support/current.ts";
import { sceneOfTest } from "../support/scene.ts";

const PRICE: Json = {
  type: "object",
  required: ["price"],
  additionalProperties: false,
  properties: { price: { type: "number", minimum: 0 }, note: { type: "string", pattern: "^[a-z ]*$" } },
};

/** What the model says, one after the other; the last again and again. */
let answers: readonly string[];

const { service, owner, client } = sceneOfTest();
beforeEach(() => {
  service.model.script = ({ entries }) => {
    const said = entries.filter(({ role }) => role === "assistant").length;
    return [{ say: answers[said] ?? answers.at(-1)! }];
  };
});

const agent = (fields: Json = {}): Promise<Response> =>
  client.call("POST", "/api/agents", { name: "Ada", system_prompt: "x", ...fields });

async function done(fields: Json, message: Json = {}, status = "completed"): Promise<Job> {
  const { id } = await answered<{ id: string }>(agent(fields), 201);
  const { job } = await client.send(await client.chat(id, owner.workspaceId), "hello", message);
  return client.reached(job.id, status);
}

describe("an answer", () => {
  test("[JOB-16] of an agent with a schema is a checked value in job.output; v1 has it as text", async () => {
    answers = ['{"price": -1}', '```json\n{"price": 7}\n```'];
    const job = await done({ output_schema: PRICE });
    expect(job).toMatchObject({ output: { price: 7 }, output_schema: PRICE, error: null });
    const { events } = await client.get<{ events: { data: Json }[] }>(
      `/api/jobs/${job.id}/transcript-events?types=transcript.event`,
    );
    expect(events.map(({ data }) => data["kind"])).toEqual(["assistant_text", "repair", "assistant_text"]);
    expect(events[1]!.data["text"]).toContain("- /price: Field output.price must be >= 0");

    answers = ['{"price": 1}'];
    const { id } = await answered<{ id: string }>(agent({ output_schema: PRICE }), 201);
    const old = await service.call(owner, "POST", `/api/v1/agents/${id}/execute`, { message: "hello", stream: false });
    expect(await old.json()).toMatchObject({ success: true, result: '{"price": 1}' });
  });

  test("[JOB-16] of a message fits the message's schema, or else the agent's", async () => {
    answers = ['{"done": true}'];
    const own = { type: "object", properties: { done: { const: true } }, required: ["done"] };
    expect(await done({ output_schema: PRICE }, { output_schema: own })).toMatchObject({ output: { done: true } });
    expect(await done({})).toMatchObject({ output: null, output_schema: null, result: '{"done": true}' });
  });

  test("[JOB-16] that fits after no repair fails the job with the errors of the last one", async () => {
    answers = ["hm", '{"price": "x", "more": 1}'];
    expect(await done({ output_schema: PRICE }, {}, "failed")).toMatchObject({
      output: null,
      error: {
        code: "output_invalid",
        errors: [
          { path: "/more", message: "Unknown field: output.more" },
          { path: "/price", message: "Field output.price must be a number" },
        ],
      },
    });
  });

  test("[JOB-16] is read without a fence around it, up to a size and a depth; what is not JSON is reported as that", async () => {
    const { signal } = new AbortController();
    const checks = outputChecks({ run: async () => ({ ok: true, value: [] }) });
    const check = async (text: string) => {
      const checked = await checks.check({ organizationId: "org_a", schema: {}, text }, signal);
      return checked?.kind === "invalid" ? checked.errors[0]!.message : checked?.value;
    };
    const filled = (bytes: number) => JSON.stringify({ a: "x".repeat(bytes - '{"a":""}'.length) });
    expect(await check('```json\n{"a": 1}\n```')).toEqual({ a: 1 });
    expect(await check(filled(JOB_OUTPUT_BYTES))).toBeObject();
    expect(await check(filled(JOB_OUTPUT_BYTES + 1))).toContain(`at most ${JOB_OUTPUT_BYTES}`);
    expect(await check(`${'{"a":'.repeat(65)}1${"}".repeat(65)}`)).toContain("nested deeper");
    expect(await check("")).toContain("empty");
    expect(await check('Here it is: {"a": 1}')).toContain("not JSON");
  });
});

describe("a schema", () => {
  const deep = (levels: number): Json =>
    levels === 0 ? { type: "string" } : { type: "object", properties: { a: deep(levels - 1) } };

  test("[JOB-16] that cannot be used is refused when it is saved, with the path of what is wrong", async () => {
    const cases: readonly [Json, string][] = [
      [{ type: "array" }, "/output_schema/type"],
      [{ type: "object", properties: { a: { type: "strin" } } }, "/output_schema/properties/a/type"],
      [{ type: "object", properties: { a: { $ref: "https://example.com/a" } } }, "/output_schema/properties/a/$ref"],
      [{ type: "object", $id: "x" }, "/output_schema/$id"],
      [{ type: "object", properties: { a: { $ref: "#/$defs/b" } } }, "/output_schema"],
      [{ type: "object", properties: { a: { pattern: "(" } } }, "/output_schema"],
      [{ type: "object", description: "x".repeat(SCHEMA_BYTES) }, "/output_schema"],
      [deep(SCHEMA_DEPTH / 2), `/output_schema${"/properties/a".repeat(SCHEMA_DEPTH / 2)}`],
    ];
    for (const [schema, path] of cases) {
      const { errors } = (await refused(agent({ output_schema: schema }), 400, "invalid_request")) as {
        errors: { path: string }[];
      };
      expect(errors.map((error) => error.path)).toContain(path);
    }
    const typo = { type: "object", properties: { a: { type: "strin" } } };
    const told = (await refused(agent({ output_schema: typo }), 400, "invalid_request")) as { errors: Json[] };
    expect(told.errors).toEqual([
      {
        path: "/output_schema/properties/a/type",
        message:
          "Field output_schema.properties.a.type is not valid JSON Schema: must be one of: array, boolean, integer, null, number, object, string",
      },
    ]);
    // Names of fields are no keywords, and data is data.
    const odd = { type: "object", properties: { $id: { enum: [{ $ref: "x" }] } } };
    const { id } = await answered<{ id: string }>(agent({ output_schema: odd }), 201);
    await answered(agent({ output_schema: deep(SCHEMA_DEPTH / 2 - 1) }), 201);
    const chat = await client.chat(id, owner.workspaceId);
    await refused(
      client.call("POST", `/api/chats/${chat}/messages`, { content: "x", output_schema: { type: "array" } }),
      400,
      "invalid_request",
    );
    const cleared = await answered(client.call("PATCH", `/api/agents/${id}`, { output_schema: null }));
    expect(cleared["output_schema"]).toBe(null);
  });

  test("[JOB-16] is closed where each object names all of its fields and allows no others", () => {
    const closed = {
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
      additionalProperties: false,
    };
    expect(isClosed({ ...closed, properties: { a: closed } })).toBe(true);
    expect(isClosed({ ...closed, properties: { a: { ...closed, required: [] } } })).toBe(false);
    expect(isClosed({ ...closed, additionalProperties: true })).toBe(false);
    expect(isClosed(PRICE as never)).toBe(false);
  });
});
