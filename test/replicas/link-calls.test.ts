/** Calls over the link between two replicas, and those that it leaves to HTTP: of real ports, with the clock in the test's hands. */
import { afterEach, describe, expect, test } from "bun:test";
import type { LinkAnswer } from "../../src/peers/peer-link.ts";
import { LINK_PATH, LinkLost, PeerLinks } from "../../src/peers/peer-link.ts";
import { PeerClient } from "../../src/peers/peer-client.ts";
import { SEAL_HEADER } from "../../src/peers/peer-key.ts";
import { linkedResponse } from "../../src/peers/relay.ts";
import { ask, AskedReplica, keyOf, linkOf, NEAR, textOf, whole } from "../support/asked-replica.ts";
import { until } from "../support/condition.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { LinkInterceptor } from "../support/link-interceptor.ts";
import { isOverLink, ReplicaPair, toldBy, UNKNOWN_OUTCOME } from "../support/replica-pair.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const { signal: NEVER } = new AbortController();

describe("answers", () => {
  test("[REP-4] bodies, methods, headers and cookies cross a link unchanged", async () => {
    const there = new AskedReplica(closing);
    const link = (await linkOf(closing, there.url))!;
    there.pipeline = async (request) => {
      const { method, url } = request;
      return whole(request, `${method} ${url} ${request.headers.get("x-two")} ${await request.text()}`, {
        status: 201,
      });
    };
    const body = new TextEncoder().encode("ein Körper");
    const answer = await link.call(["PUT", "/a?b=%20", "10.0.0.1", { host: "client", "x-two": "2" }], body).answer;
    const response = linkedResponse((answer as LinkAnswer & { kind: "whole" }).head, (answer as { body: Buffer }).body);
    expect(response.status).toBe(201);
    expect(await response.text()).toBe("PUT http://client/a?b=%20 2 ein Körper");
    expect([response.headers.get("x-one"), response.headers.get("connection")]).toEqual(["1", null]);
    const headers = new Headers();
    for (const cookie of ["a=1; Path=/, x", "b=2"]) headers.append("set-cookie", cookie);
    there.pipeline = () => Promise.resolve(new Response(null, { status: 204, headers }));
    const empty = (await ask(link, "/").answer) as LinkAnswer & { kind: "whole" };
    expect(empty).toMatchObject({ kind: "whole", body: null });
    expect(linkedResponse(empty.head, null).headers.getSetCookie()).toEqual(["a=1; Path=/, x", "b=2"]);
  });

  test("[REP-4] a host that no URL can have crosses a link, and HTTP, as a header", async () => {
    const there = new AskedReplica(closing);
    const link = (await linkOf(closing, there.url))!;
    there.pipeline = (request) => Promise.resolve(whole(request, `${request.headers.get("host")} ${request.url}`));
    const body = new TextEncoder().encode("{}");
    const client = new PeerClient(NEAR);
    for (const host of ["a:b:c", "1.2.3.999", "x:99999", "[::1"]) {
      const told = textOf(await link.call(["POST", "/api/x?y", "10.0.0.1", { host }], body).answer);
      expect(told).toBe(`${host} http://replica/api/x?y`);
      const request = new Request("http://client/api/x?y", { method: "POST", headers: { host } });
      const passed = { request, target: "/api/x?y", body: body.buffer, requestId: "r", client: "10.0.0.1" };
      const response = await client.pass({ id: "rpl_2", url: there.url }, { ...passed, signal: NEVER });
      expect([response.status, await response.text()]).toEqual([200, `${host} http://replica/api/x?y`]);
    }
  });

  test("[REP-4] a request that fails by a bug has an unknown outcome, and the link continues", async () => {
    const there = new AskedReplica(closing);
    const link = (await linkOf(closing, there.url))!;
    const { pipeline } = there;
    there.pipeline = () => Promise.reject(new Error("a bug"));
    await expect(ask(link, "/").answer).rejects.toThrow(LinkLost);
    there.pipeline = pipeline;
    expect(textOf(await ask(link, "/1").answer)).toBe("answer to http://client/1");
  });
});

describe("what is kept for HTTP", () => {
  /** A long answer that is kept, and whether it has been let go there. */
  async function kept() {
    const there = new AskedReplica(closing);
    const link = (await linkOf(closing, there.url))!;
    let isCancelled = false;
    there.pipeline = () =>
      Promise.resolve(
        new Response(
          new ReadableStream({
            start: (sink) => sink.enqueue(new TextEncoder().encode("a part")),
            cancel: () => void (isCancelled = true),
          }),
          { status: 202 },
        ),
      );
    const client = new PeerClient(NEAR);
    const answer = await ask(link, "/").answer;
    if (answer.kind !== "kept") throw new Error("it is not kept");
    const take = (signal = NEVER) => client.take({ id: "rpl_2", url: there.url }, answer.ticket, signal);
    return { there, take, isCancelled: () => isCancelled };
  }

  test("[REP-4] an answer that is not a small text is fetched once over HTTP, and closing it ends the request", async () => {
    const { there, take, isCancelled } = await kept();
    const call = new AbortController();
    const response = await take(call.signal);
    expect(response.status).toBe(202);
    expect(new TextDecoder().decode((await response.body!.getReader().read()).value)).toStartWith("a part");
    await expect(take()).rejects.toThrow(LinkLost);
    // It has been taken: its time has no end.
    await there.clock.advance(60_000);
    expect([isCancelled(), there.requests[0]!.signal.aborted]).toEqual([false, false]);
    call.abort();
    await until("it has ended there", () => isCancelled() && there.requests[0]!.signal.aborted);
  });

  test("[REP-4] an answer that nobody fetches is dropped after 10 s", async () => {
    const { there, take, isCancelled } = await kept();
    await there.clock.advance(9_999);
    expect(isCancelled()).toBe(false);
    await there.clock.advance(1);
    expect([isCancelled(), there.requests[0]!.signal.aborted]).toEqual([true, true]);
    await expect(take()).rejects.toThrow(LinkLost);
  });

  test("[REP-4] an answer that nobody awaits any more is not kept", async () => {
    const there = new AskedReplica(closing);
    const link = (await linkOf(closing, there.url))!;
    const answer = Promise.withResolvers<Response>();
    there.pipeline = () => answer.promise;
    const call = ask(link, "/");
    call.answer.catch(() => {});
    await until("it is there", () => there.asked.length === 1);
    call.abort();
    await until("its owner knows", () => there.requests[0]!.signal.aborted);
    let isCancelled = false;
    answer.resolve(new Response(new ReadableStream({ cancel: () => void (isCancelled = true) })));
    await until("it is let go", () => isCancelled);
    expect(there.clock.pending).toBe(0);
  });
});

describe("requests of clients", () => {
  test("[REP-4] a client that disconnects ends its request at the owner, also just after it has arrived", async () => {
    const pair = await new ReplicaPair(closing).linked();
    const clients = [new AbortController(), new AbortController(), new AbortController()];
    const routes = clients.map(({ signal }) => pair.send("GET", { signal }));
    await until("they are there", () => pair.handed.length === 3);
    expect(pair.handed.map(isOverLink)).toEqual([true, true, true]);
    const areLeft = () => pair.handed.map(({ signal }) => signal.aborted);
    clients[0]!.abort();
    await pair.clock.advance(20);
    await until("its owner knows", () => pair.handed.some(({ signal }) => signal.aborted));
    expect(areLeft()).toEqual([true, false, false]);
    clients[1]!.abort();
    await until("its owner knows", () => pair.handed.filter(({ signal }) => signal.aborted).length > 1);
    expect(areLeft()).toEqual([true, true, false]);
    for (const answer of pair.answers) answer.resolve(new Response("done"));
    expect(await toldBy(routes[2]!)).toEqual([200, "done"]);
    await Promise.all(routes);
  });

  test("[REP-8] if a replica ends before it answers a change, the outcome is unknown, and the change is made once", async () => {
    const pair = await new ReplicaPair(closing).linked();
    const route = pair.send("POST");
    await until("it is there", () => pair.handed.length === 1);
    expect(isOverLink(pair.handed[0]!)).toBe(true);
    await pair.far.stop();
    expect(await toldBy(route)).toEqual(UNKNOWN_OUTCOME);
    expect([pair.handed.length, pair.ownAnswers]).toEqual([1, 0]);
    pair.answers[0]!.resolve(new Response("too late"));
  });

  test("[REP-8] a leaving replica gets no new questions over its link, and answers those that it has", async () => {
    const pair = await new ReplicaPair(closing).linked();
    const before = pair.send("POST");
    await until("it is there", () => pair.handed.length === 1);
    const stopped = pair.far.stop();
    await until("what is new comes over HTTP", async () => {
      const asked = pair.handed.length;
      void pair.send("GET").catch(() => {});
      await until("it is there", () => pair.handed.length > asked);
      return !isOverLink(pair.handed.at(-1)!);
    });
    for (const answer of pair.answers) answer.resolve(new Response("done", { status: 201 }));
    await stopped;
    expect(await toldBy(before)).toEqual([201, "done"]);
  });

  test("[REP-4] a client that does not read a long answer delays nobody else", async () => {
    const pair = await new ReplicaPair(closing).linked();
    const slow = pair.send("GET");
    await until("it is there", () => pair.handed.length === 1);
    pair.answers[0]!.resolve(new Response(new Uint8Array(32 * 1024 * 1024)));
    const end = await slow;
    for (let n = 1; n <= 100; n++) {
      const route = pair.send("GET");
      await until("it is there", () => pair.handed.length === n + 1);
      expect(isOverLink(pair.handed[n]!)).toBe(true);
      pair.answers[n]!.resolve(whole(pair.handed[n]!, `small ${n}`));
      expect(await toldBy(route)).toEqual([200, `small ${n}`]);
    }
    expect(end.kind === "elsewhere" && (await end.response.bytes()).length).toBe(32 * 1024 * 1024);
  });

  test("[REP-4] a replica of an older release, without links, is called over HTTP", async () => {
    const key = keyOf("rpl_2");
    let links = 0;
    const older = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => {
        const path = new URL(request.url).pathname;
        const call = { method: request.method, target: path, client: request.headers.get("troupe-client") ?? "" };
        const seal = key.open(call, request.headers.get(SEAL_HEADER));
        if (seal === null) return new Response(null, { status: 403 });
        if (path === LINK_PATH) links++;
        const response = path === LINK_PATH ? new Response(null, { status: 404 }) : new Response("over HTTP");
        response.headers.set(SEAL_HEADER, key.sealAnswer(seal));
        return response;
      },
    });
    closing.push(() => older.stop(true));
    const owner = { id: "rpl_2", url: older.url.origin };
    const client = new PeerClient(NEAR, null, new PeerLinks(NEAR, new FakeClock()));
    const request = new Request("http://client/api/tasks", { headers: { host: "client" } });
    const passed = { request, target: "/api/tasks", body: null, requestId: "r", client: "10.0.0.1" };
    expect(client.link(owner, passed)).toBeNull();
    await until("a link was asked for", () => links === 1);
    for (let n = 0; n < 3; n++) {
      expect(client.link(owner, passed)).toBeNull();
      expect(await (await client.pass(owner, { ...passed, signal: NEVER })).text()).toBe("over HTTP");
    }
  });
});

test("[REP-4] a silent link gets no new calls until it speaks again, and is replaced after 17 s", async () => {
  const there = new AskedReplica(closing);
  const proxy = await TcpProxy.open(Number(new URL(there.url).port));
  closing.push(() => proxy.close());
  const clock = new FakeClock();
  const links = new PeerLinks(NEAR, clock);
  closing.push(async () => links.close());
  const owner = { id: "rpl_2", url: `http://127.0.0.1:${proxy.port}` };
  await until("it is open", () => links.to(owner) !== null);
  const link = links.to(owner)!;
  const late = Promise.withResolvers<Response>();
  there.pipeline = () => late.promise;
  const call = link.call(["GET", "/", "10.0.0.1", { host: "client" }], null);
  const end = call.answer.catch((cause: unknown) => cause);
  await until("it is there", () => there.asked.length === 1);
  proxy.freeze();
  await clock.advance(2_000);
  await until("it gets nothing new", async () => {
    if (links.to(owner) !== null) await clock.advance(1_000);
    return links.to(owner) === null;
  });
  proxy.thaw();
  await until("it is used again", () => links.to(owner) === link);
  expect(Bun.peek.status(call.answer)).toBe("pending");
  proxy.freeze();
  await clock.advance(18_000);
  expect(await end).toBeInstanceOf(LinkLost);
  expect(links.to(owner)).toBeNull();
  proxy.cut();
  proxy.thaw();
  await until("another one is open", async () => {
    await clock.advance(50);
    return links.to(owner) !== null;
  });
  expect(links.to(owner)).not.toBe(link);
  late.resolve(new Response("too late"));
});

test("[REP-4] a long call does not make its link count as silent", async () => {
  const there = new AskedReplica(closing);
  const between = new LinkInterceptor(there.url);
  closing.push(() => between.close());
  const clock = new FakeClock();
  const link = (await linkOf(closing, between.url, clock))!;
  let answers = 0;
  between.tamper = (direction, message) => {
    if (direction === "answers") answers++;
    return [message];
  };
  const late = Promise.withResolvers<Response>();
  there.pipeline = () => late.promise;
  const call = ask(link, "/");
  await until("it is there", () => there.asked.length === 1);
  for (let second = 1; second <= 30; second++) {
    await clock.advance(1_000);
    await until("it says that it is there", () => answers === second);
    expect(link.isUsable).toBe(true);
  }
  late.resolve(new Response(null, { status: 204 }));
  expect(await call.answer).toMatchObject({ kind: "whole" });
});
