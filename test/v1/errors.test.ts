import { beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import type { Fault } from "../../actors/fault.ts";
import { v1Dialect } from "../../src/v1/dialect.ts";
import { sceneOfFile } from "../support/scene.ts";

import { createAgent, expectFailure, success } from "../support/v1.ts";

/** Of an agent that is there: what is wrong with a body is said of such records only. */
let agentId: string;
let isBroken = false;

const { service, owner } = sceneOfFile({
  overrides: {
    services: ({ directory }) => ({
      directory: Object.assign(Object.create(directory) as typeof directory, {
        listAgents: (organizationId: string, limit: number) => {
          if (isBroken) return Promise.reject(new Error("connect ECONNREFUSED 10.0.0.1:5432 password=secret"));
          return directory.listAgents(organizationId, limit);
        },
      }),
    }),
  },
});
beforeAll(async () => void (agentId = await createAgent(service, owner)));

const send = (
  body: string | ReadableStream,
  headers: Record<string, string> = {},
  path = "/api/v1/agents",
  method = "POST",
) =>
  fetch(service.url + path.replace("{id}", agentId), {
    method,
    headers: { authorization: `Bearer ${owner.token}`, "content-type": "application/json", ...headers },
    body,
  });

/** Sends bytes as they are and answers what comes back. */
function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
    let answer = "";
    socket.on("data", (bytes) => (answer += bytes.toString()));
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
    socket.write(text);
  });
}

const WITH_BODY = [
  ["POST", "/api/v1/agents"],
  ["POST", "/api/v1/agents/{id}/execute"],
  ["POST", "/api/v1/tasks"],
  ["PATCH", "/api/v1/agents/{id}"],
] as const;

describe("bodies", () => {
  test.each(WITH_BODY)("[ERR-3] malformed JSON to %s %s is 400", async (method, path) => {
    for (const body of ["", "{", "undefined", '{"name":}']) {
      await expectFailure(await send(body, {}, path, method), 400, "Invalid JSON in request body");
    }
    await expectFailure(await send("[]", {}, path, method), 400, "Request body must be a JSON object");
  });

  test.each(WITH_BODY)("[ERR-5] %s %s without a JSON content type is 415", async (method, path) => {
    await expectFailure(
      await send("{}", { "content-type": "text/plain" }, path, method),
      415,
      "Content-Type must be application/json",
    );
  });

  const filled = (bytes: number): string => {
    const frame = JSON.stringify({ name: "N", systemPrompt: "P", ignored: "" });
    return JSON.stringify({ name: "N", systemPrompt: "P", ignored: "x".repeat(bytes - frame.length) });
  };
  const MIB = 1024 * 1024;
  const TOO_LARGE = "Too large: the limit is 1048576 bytes";

  test("[ERR-5] a body of 1 MiB is accepted, one byte more is 413, with and without a length", async () => {
    await success(send(filled(MIB)));
    await expectFailure(await send(filled(MIB + 1)), 413, TOO_LARGE);
    const chunked = (text: string) => new Response(text).body!.pipeThrough(new TransformStream());
    await success(send(chunked(filled(MIB))));
    await expectFailure(await send(chunked(filled(MIB + 1))), 413, TOO_LARGE);
    await expectFailure(await send(filled(20 * MIB)), 413, TOO_LARGE);
  });

  test("[ERR-5] JSON of 64 levels is accepted, 65 and 100,000 are 400, never 500", async () => {
    const nested = (levels: number) =>
      `{"name":"N","systemPrompt":"P","ignored":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
    await success(send(nested(64)));
    for (const levels of [65, 100_000]) {
      await expectFailure(await send(nested(levels)), 400, "JSON in request body is nested deeper than 64 levels");
    }
  });

  test("[ERR-5] NUL, lone surrogates, broken UTF-8 and other charsets are refused, never stored as something else", async () => {
    await expectFailure(
      await send('{"name":"a\\u0000","systemPrompt":"P"}'),
      400,
      "NUL characters are not allowed in request body",
    );
    for (const name of ["\\ud800", "\\udfff!"]) {
      const outcome = await send(`{"name":"${name}","systemPrompt":"P"}`);
      await expectFailure(outcome, 400, "Lone surrogates are not allowed in request body");
    }
    const broken = await fetch(`${service.url}/api/v1/tasks`, {
      method: "POST",
      headers: { authorization: `Bearer ${owner.token}`, "content-type": "application/json" },
      body: Buffer.concat([Buffer.from('{"title":"'), Buffer.from([0xff, 0xc0]), Buffer.from('"}')]),
    });
    await expectFailure(broken, 400, "Request body must be UTF-8");
    const latin = { "content-type": "application/json; charset=iso-8859-1" };
    await expectFailure(await send("{}", latin), 415, "Content-Type must be application/json in UTF-8");
  });

  test("[GEN-7] a key named __proto__ is like any other", async () => {
    await expectFailure(
      await send('{"__proto__":{"name":"N","systemPrompt":"P"}}'),
      400,
      "Missing required field: name",
    );
  });
});

describe("paths and methods", () => {
  test.each([
    "/api/v1",
    "/api/v1/",
    "/api/v1/nope",
    "/api/v1/agents/a/b",
    "/api/v1/tasks/task-1",
    "/api/v1/agents/%E0%A4%A/x",
    "/api/v1/%00",
  ])("[ERR-3] %s does not exist: 404 in the error format of v1", async (path) => {
    for (const method of ["GET", "POST", "DELETE"])
      await expectFailure(await service.call(owner, method, path), 404, "Not found");
  });

  test.each([
    ["PUT", "/api/v1/agents", "GET, HEAD, POST, OPTIONS"],
    ["DELETE", "/api/v1/agents", "GET, HEAD, POST, OPTIONS"],
    ["POST", "/api/v1/agents/agt_x", "GET, HEAD, PATCH, DELETE, OPTIONS"],
    ["GET", "/api/v1/agents/{id}/execute", "POST, OPTIONS"],
    ["PATCH", "/api/v1/tasks", "GET, HEAD, POST, OPTIONS"],
    ["PUT", "/api/v1/tasks", "GET, HEAD, POST, OPTIONS"],
  ])("[ERR-3] %s %s is 405 and names the allowed methods", async (method, path, allow) => {
    const answer = await service.call(null, method, path);
    expect(answer.headers.get("allow")).toBe(allow);
    await expectFailure(answer, 405, "Method not allowed");
    const options = await service.call(null, "OPTIONS", path);
    expect([options.status, options.headers.get("allow"), await options.text()]).toEqual([204, allow, ""]);
  });

  test("[ERR-3] HEAD answers as GET does, without a body", async () => {
    const head = await service.call(owner, "HEAD", "/api/v1/agents");
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect((await service.call(null, "HEAD", "/api/v1/agents")).status).toBe(401);
  });
});

describe("requests", () => {
  test("[ERR-1] a valid x-request-id is echoed, another is replaced, on success and on failure", async () => {
    const withId = async (id: string, token = owner.token) => {
      const headers = { authorization: `Bearer ${token}`, "x-request-id": id };
      return (await fetch(`${service.url}/api/v1/agents`, { headers })).headers.get("x-request-id");
    };
    for (const id of ["a-valid_ID", "12345678", "x".repeat(128)]) {
      expect(await withId(id)).toBe(id);
      expect(await withId(id, "bad")).toBe(id);
    }
    for (const id of ["short", "x".repeat(129), "has space", "semi;colon", "é".repeat(8)]) {
      expect(await withId(id)).toMatch(/^req_[A-Za-z0-9_-]{21}$/);
    }
  });

  test("[ERR-5] two Host headers, or one that is not a host, are 400", async () => {
    const request = (host: string, path: string) =>
      raw(`GET ${path} HTTP/1.1\r\n${host}Authorization: Bearer ${owner.token}\r\nConnection: close\r\n\r\n`);
    for (const path of ["/api/v1/agents", "/api/v1/nope"]) {
      for (const host of ["Host: a\r\nHost: b\r\n", "Host: a b/c?d\r\n"]) {
        const answer = await request(host, path);
        expect(answer).toStartWith("HTTP/1.1 400");
        expect(answer).toContain(
          '{"error":true,"statusCode":400,"statusMessage":"Bad Request","message":"A request must have one valid Host header"}',
        );
      }
    }
    expect(await request("Host: a\r\n", "/api/v1/agents")).toStartWith("HTTP/1.1 200");
  });

  test("[ERR-5] a header block over 16 KiB is refused with 4xx", async () => {
    const answer = await raw(
      `GET /api/v1/agents HTTP/1.1\r\nHost: a\r\nX-A: ${"a".repeat(17_000)}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
  });
});

describe("failures inside", () => {
  test("[ERR-4] an unavailable database is 500 with Retry-After and no cause; the log has the cause", async () => {
    isBroken = true;
    const answer = await service.call(owner, "GET", "/api/v1/agents");
    isBroken = false;
    expect(answer.headers.get("retry-after")).toBe("1");
    await expectFailure(answer, 500, "The service is temporarily unavailable. Try again later");
    expect(service.log.some(({ fields }) => String(fields["err"]).includes("ECONNREFUSED"))).toBe(true);
  });

  test("[ERR-4] a bug is 500 without its cause, which is logged with the request's id", async () => {
    const { describe: described } = service.model;
    service.model.describe = () => {
      throw new Error("at /srv/secret.ts: select * from token");
    };
    const id = await createAgent(service, owner);
    const answer = await service.call(owner, "POST", `/api/v1/agents/${id}/execute`, { message: "hi" });
    service.model.describe = described;
    const requestId = answer.headers.get("x-request-id");
    await expectFailure(answer, 500, "Internal server error");
    const line = service.log.find(({ fields, level }) => level === "error" && fields["requestId"] === requestId);
    expect(String(line?.fields["err"])).toContain("secret.ts");
  });

  const LATER: Fault[] = [
    { kind: "overloaded", retryAfterMs: 1_500 },
    { kind: "outcome_unknown", retryAfterMs: 1_500 },
    { kind: "shutting_down", retryAfterMs: 1_500 },
  ];
  test.each(LATER)("[ERR-2] $kind is 503 and says when to retry", (fault) => {
    const { status, body, headers } = v1Dialect.refusal(fault, "req_12345678");
    expect({ status, body, headers }).toEqual({
      status: 503,
      body: { error: true, statusCode: 503, statusMessage: "Service Unavailable", message: expect.any(String) },
      headers: { "retry-after": "2" },
    });
  });
});

test("[ERR-4] a request writes one log line, without its query, headers and body", async () => {
  const before = service.log.length;
  const answer = await service.call(owner, "GET", "/api/v1/tasks?assignedTo=somebody-secret");
  const lines = service.log.slice(before);
  expect(lines).toEqual([
    {
      level: "info",
      message: "request",
      fields: {
        requestId: answer.headers.get("x-request-id"),
        organizationId: owner.organizationId,
        method: "GET",
        path: "/api/v1/tasks",
        status: 200,
        durationMs: expect.any(Number),
      },
    },
  ]);
  expect(JSON.stringify(service.log)).not.toContain(owner.token);
});
