import { beforeAll, describe, expect, test } from "bun:test";
import type { Job, Sent } from "../support/current.ts";
import { gate } from "../support/fake-model.ts";
import { expectOne, expectReplay, keyed, type KeyedRequest, parallel } from "../support/keyed.ts";
import { sceneOfFile } from "../support/scene.ts";
import type { Caller } from "../support/service.ts";
import { ShiftedClock } from "../support/shifted-clock.ts";

let agent: string;
const clock = new ShiftedClock();

const AGENT = { name: "Ada", system_prompt: "Be brief." };
const newAgent: KeyedRequest = { method: "POST", path: "/api/agents", body: AGENT };

const { service, owner, client } = sceneOfFile({ clock });
beforeAll(async () => void (agent = (JSON.parse((await ask(newAgent, "the agent")).text) as { id: string }).id));

const ask = (request: KeyedRequest, key: string, by: Caller = owner) => keyed(service, by, key, request);
const chat = () => client.chat(agent, owner.workspaceId);
const code = (text: string): unknown => (JSON.parse(text) as { code?: unknown }).code;

async function count(table: string): Promise<number> {
  const { read } = service.database;
  const rows = await read<{ n: number }[]>`
    select count(*)::int as n from ${read(table)} where organization_id = ${owner.organizationId}`;
  return rows[0]!.n;
}

/** How many records each table has more after the run. */
async function made<T>(
  tables: readonly string[],
  run: () => Promise<T>,
): Promise<{ readonly more: number[]; readonly value: T }> {
  const before = await Promise.all(tables.map(count));
  const value = await run();
  const after = await Promise.all(tables.map(count));
  return { more: after.map((n, i) => n - before[i]!), value };
}

describe("one effect", () => {
  test("[IDEM-3] [IDEM-5] 50 concurrent requests with one key create one agent, and all get its answer", async () => {
    const { more, value } = await made(["agent", "chat", "idempotency_key"], () =>
      parallel(50, () => ask(newAgent, "agent 50")),
    );
    expect(more).toEqual([1, 1, 1]);
    expect(expectOne(value).status).toBe(201);
  });

  test("[IDEM-3] 50 concurrent requests with one key create one chat", async () => {
    const body = { agent_id: agent, workspace_id: owner.workspaceId };
    const { more, value } = await made(["chat", "idempotency_key"], () =>
      parallel(50, () => ask({ method: "POST", path: "/api/chats", body }, "chat 50")),
    );
    expect(more).toEqual([1, 1]);
    expect(expectOne(value).status).toBe(201);
  });

  test("[IDEM-3] 50 concurrent requests with one key send one message and create one job", async () => {
    const id = await chat();
    const request = { method: "POST", path: `/api/chats/${id}/messages`, body: { content: "once" } };
    const { more, value } = await made(["job"], () => parallel(50, () => ask(request, "message 50")));
    expect(more).toEqual([1]);
    const { job } = JSON.parse(expectOne(value).text) as Sent;
    await client.reached(job.id, "completed");
    expect((await client.messages(id)).map(({ content }) => content)).toEqual(["once", "echo: once"]);
  });

  test("[IDEM-2] of two concurrent inputs with one key one is executed, and the other is a conflict", async () => {
    const other = { ...newAgent, body: { ...AGENT, name: "Bea" } };
    const { more, value } = await made(["agent"], () =>
      Promise.all(Array.from({ length: 20 }, (_, i) => ask(i % 2 === 0 ? newAgent : other, "two inputs"))),
    );
    expect(more).toEqual([1]);
    const [even, odd] = [value.filter((_, i) => i % 2 === 0), value.filter((_, i) => i % 2 === 1)];
    const [won, lost] = even[0]?.status === 201 ? [even, odd] : [odd, even];
    expectOne(won);
    expect(lost.map(({ status, text, key }) => [status, code(text), key])).toEqual(
      lost.map(() => [409, "idempotency_conflict", null]),
    );
  });

  test("[IDEM-3] without a key each request has its effect, and the answer has no key headers", async () => {
    const { more, value } = await made(["agent", "idempotency_key"], () =>
      parallel(3, () => client.call("POST", "/api/agents", AGENT)),
    );
    expect(more).toEqual([3, 0]);
    for (const response of value) expect(response.headers.get("idempotency-status")).toBeNull();
  });
});

describe("every mutation", () => {
  /** Each with a request whose second effect would show. */
  const CASES: Record<string, () => Promise<KeyedRequest>> = {
    "POST /api/agents": async () => newAgent,
    "PATCH /api/agents/{id}": async () => ({ method: "PATCH", path: `/api/agents/${agent}`, body: { name: "Bea" } }),
    "DELETE /api/agents/{id}": async () => {
      const { id } = JSON.parse((await ask(newAgent, crypto.randomUUID())).text) as { id: string };
      return { method: "DELETE", path: `/api/agents/${id}` };
    },
    "PATCH /api/agents/{id}/install-state": async () => {
      const { agents } = await client.get<{ agents: { id: string; source: string }[] }>("/api/agents?limit=100");
      const id = agents.find(({ source }) => source === "library")?.id ?? "";
      return { method: "PATCH", path: `/api/agents/${id}/install-state`, body: { action: "install" } };
    },
    "POST /api/chats": async () => ({
      method: "POST",
      path: "/api/chats",
      body: { agent_id: agent, workspace_id: owner.workspaceId },
    }),
    "DELETE /api/chats/{id}": async () => ({ method: "DELETE", path: `/api/chats/${await chat()}` }),
    "PATCH /api/chats/{id}/options": async () => ({
      method: "PATCH",
      path: `/api/chats/${await chat()}/options`,
      body: { pinned: true },
    }),
    "POST /api/chats/{id}/messages": async () => ({
      method: "POST",
      path: `/api/chats/${await chat()}/messages`,
      body: { content: "hi" },
    }),
    "POST /api/jobs/{id}/approve": async () => {
      const { job } = await client.send(await chat(), "hi", { review_required: true });
      await client.reached(job.id, "needs_review");
      return { method: "POST", path: `/api/jobs/${job.id}/approve` };
    },
    "POST /api/jobs/{id}/cancel": async () => {
      const held = gate();
      service.model.script = () => [{ hold: held.hold }];
      const { job } = await client.send(await chat(), "hi");
      await client.reached(job.id, "running");
      return { method: "POST", path: `/api/jobs/${job.id}/cancel` };
    },
    "POST /api/jobs/{id}/cancel?wait": async () => {
      const held = gate();
      service.model.script = () => [{ hold: held.hold }];
      const { job } = await client.send(await chat(), "hi");
      await client.reached(job.id, "running");
      return { method: "POST", path: `/api/jobs/${job.id}/cancel?wait=20` };
    },
    "POST /api/jobs/{id}/resume": async () => {
      const held = gate();
      service.model.script = (call) => (call.entries.length > 1 ? [{ say: "ok" }] : [{ hold: held.hold }]);
      const { job } = await client.send(await chat(), "hi");
      await client.reached(job.id, "running");
      await client.decide(job.id, "cancel", undefined, "?wait=20");
      return { method: "POST", path: `/api/jobs/${job.id}/resume` };
    },
    "POST /api/jobs/{id}/iterate": async () => {
      const { job } = await client.send(await chat(), "hi");
      await client.reached(job.id, "completed");
      return { method: "POST", path: `/api/jobs/${job.id}/iterate`, body: { feedback: "again" } };
    },
    "PUT /api/secrets/{name}": async () => ({
      method: "PUT",
      path: "/api/secrets/KEY",
      body: { value: "a long secret" },
    }),
    "DELETE /api/secrets/{name}": async () => {
      const path = "/api/secrets/OTHER";
      await client.call("PUT", path, { value: "a long secret" });
      return { method: "DELETE", path };
    },
    "PATCH /api/tasks/{id}": async () => {
      const body = { title: "T" };
      const { task } = JSON.parse(
        (await ask({ method: "POST", path: "/api/v1/tasks", body }, crypto.randomUUID())).text,
      ) as {
        task: { id: string };
      };
      return { method: "PATCH", path: `/api/tasks/${task.id}`, body: { status: "in_progress" } };
    },
  };

  for (const [name, prepare] of Object.entries(CASES)) {
    test(`[IDEM-2] ${name} is done once and replayed byte by byte`, async () => {
      const echo = service.model.script;
      try {
        const request = await prepare();
        const [first, ...others] = [
          await ask(request, name),
          await ask(request, name),
          await ask(request, `"${name}"`),
        ];
        expect(first?.status).toBeLessThan(300);
        for (const other of others) expectReplay(first!, other);
        if (request.method === "PATCH") {
          // A change that is made again would have raised the version.
          const { version } = JSON.parse(first!.text) as { version: number };
          const path = request.path.replace(/\/(?:options|install-state)$/, "");
          expect((await client.get(path))["version"]).toBe(version);
        }
      } finally {
        service.model.script = echo;
      }
    });
  }
});

test("[IDEM-2] a replay is counted, and reports the current rate", async () => {
  const rate = async () => {
    const headers = {
      authorization: `Bearer ${owner.token}`,
      "content-type": "application/json",
      "idempotency-key": "rate",
    };
    const body = JSON.stringify(AGENT);
    const response = await fetch(`${service.url}/api/agents`, { method: "POST", headers, body });
    const of = (name: string): number => Number(response.headers.get(`x-ratelimit-${name}`));
    return { limit: of("limit"), remaining: of("remaining"), reset: of("reset") };
  };
  const [first, replay] = [await rate(), await rate()];
  expect([first.limit, replay.limit]).toEqual([3_000, 3_000]);
  expect(replay.reset > first.reset || replay.remaining < first.remaining).toBe(true);
});

describe("scope", () => {
  test("[IDEM-1] other organizations, people and tokens have separate keys", async () => {
    const stranger = await service.found("Other");
    const member = await service.join(owner.organizationId);
    const second = await service.tokenFor(owner, {});
    const answers = [];
    for (const by of [owner, stranger, member, second]) answers.push(await ask(newAgent, "shared", by));
    expect(answers.map(({ key }) => key)).toEqual(["created", "created", "created", "created"]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(4);
  });

  test("[IDEM-1] the same key on another path is another key", async () => {
    const [one, other] = [await chat(), await chat()];
    for (const id of [one, other])
      expect((await ask({ method: "DELETE", path: `/api/chats/${id}` }, "path")).key).toBe("created");
  });

  test("[IDEM-1] a key is forgotten after 24 hours, and not before", async () => {
    const first = await ask(newAgent, "day");
    await clock.shift(24 * 60 * 60_000 - 60_000);
    expectReplay(first, await ask(newAgent, "day"));
    await clock.shift(61_000);
    const next = await ask(newAgent, "day");
    expect(next.key).toBe("created");
    expect(next.text).not.toBe(first.text);
    expectReplay(next, await ask(newAgent, "day"));
  });
});

describe("refusals", () => {
  test("[IDEM-2] another body, white space included, or another query is 409 idempotency_conflict", async () => {
    await ask(newAgent, "conflict");
    for (const body of [{ ...AGENT, name: "Bea" }, `${JSON.stringify(AGENT)} `]) {
      const answer = await ask({ ...newAgent, body }, "conflict");
      expect([answer.status, code(answer.text), answer.key]).toEqual([409, "idempotency_conflict", null]);
    }
    const answer = await ask({ ...newAgent, path: "/api/agents?x=1" }, "conflict");
    expect([answer.status, code(answer.text)]).toEqual([409, "idempotency_conflict"]);
    expect((await ask(newAgent, "conflict")).key).toBe("replayed");
  });

  test.each(["", "é", "k".repeat(256), '"a'])("[IDEM-2] the key %j is 400 invalid_idempotency_key", async (key) => {
    const { more, value } = await made(["agent", "idempotency_key"], () => ask(newAgent, key));
    expect([value.status, code(value.text), value.key]).toEqual([400, "invalid_idempotency_key", null]);
    expect(more).toEqual([0, 0]);
  });

  test("[IDEM-3] [IDEM-4] a 400, 404 or 409 of the operation is kept with its body and its request_id", async () => {
    const id = await chat();
    const cases: [KeyedRequest, number][] = [
      [{ method: "POST", path: "/api/agents", body: {} }, 400],
      [{ method: "POST", path: "/api/agents", body: "{" }, 400],
      [{ method: "DELETE", path: "/api/agents/agt_000000000000000000000" }, 404],
      [{ method: "POST", path: "/api/jobs/job_000000000000000000000/cancel" }, 404],
    ];
    for (const [at, [request, status]] of cases.entries()) {
      const first = await ask(request, `refused ${at}`);
      expect(first.status).toBe(status);
      expect((JSON.parse(first.text) as { request_id: string }).request_id).toBe(first.requestId ?? "");
      expectReplay(first, await ask(request, `refused ${at}`));
    }
    const late: KeyedRequest = { method: "POST", path: `/api/chats/${id}/messages`, body: { content: "hi" } };
    await client.call("DELETE", `/api/chats/${id}`);
    expectReplay(await ask(late, "late"), await ask(late, "late"));
  });

  test("[IDEM-3] a kept refusal stays the same after the state has changed", async () => {
    const held = gate();
    const echo = service.model.script;
    service.model.script = () => [{ hold: held.hold }, { say: "done" }];
    const { job } = await client.send(await chat(), "hi");
    const request: KeyedRequest = { method: "POST", path: `/api/jobs/${job.id}/iterate`, body: { feedback: "again" } };
    const first = await ask(request, "too early");
    expect([first.status, code(first.text)]).toEqual([409, "invalid_state"]);
    held.open();
    service.model.script = echo;
    await client.reached(job.id, "completed");
    expectReplay(first, await ask(request, "too early"));
    expect((await ask(request, "in time")).status).toBe(202);
  });

  test("[IDEM-3] 401, 403 and 5xx are not kept", async () => {
    const reader = await service.tokenFor(owner, { scopes: ["agents:read"] });
    const { more, value } = await made(["idempotency_key"], () => ask(newAgent, "no scope", reader));
    expect([value.status, value.key]).toEqual([403, null]);
    const nobody = await ask(newAgent, "nobody", { ...owner, token: "pat_nope" });
    expect([nobody.status, nobody.key]).toEqual([401, null]);
    expect(more).toEqual([0]);
    const id = await chat();
    const send: KeyedRequest = { method: "POST", path: `/api/chats/${id}/messages`, body: { content: "hi" } };
    const { info } = service.model;
    service.model.becomeUnusable("no such model");
    const failed = await ask(send, "later");
    expect([failed.status, failed.key]).toEqual([502, null]);
    service.model.info = info;
    expect(await ask(send, "later")).toMatchObject({ status: 202, key: "created" });
  });
});

describe("work", () => {
  test("[IDEM-4] [IDEM-6] a replay of cancel?wait waits for the same end as the first request", async () => {
    const held = gate();
    const echo = service.model.script;
    service.model.script = () => [{ say: "part" }, { hold: held.hold }];
    const { job } = await client.send(await chat(), "hi");
    await client.reached(job.id, "running");
    const cancel: KeyedRequest = { method: "POST", path: `/api/jobs/${job.id}/cancel?wait=20` };
    const answer = expectOne(await parallel(10, () => ask(cancel, "stop")));
    service.model.script = echo;
    expect((JSON.parse(answer.text) as { job: Job }).job.status).toBe("cancelled");
    // What becomes of the job later does not change what was answered.
    expect((await client.decide(job.id, "resume")).status).toBe(202);
    expectReplay(answer, await ask(cancel, "stop"));
  });
});
