/** The link between two replicas: over real sockets, with the clock in the test's hands, and with somebody between them. */
import { afterEach, describe, expect, test } from "bun:test";
import { ASK, type Direction, readFrames, LinkBroken, LinkSeals, LinkWriter } from "../../src/peers/link-frames.ts";
import { SEALED_WITHOUT_BODY, SEAL_HEADER } from "../../src/peers/peer-key.ts";
import { LINK_PATH, LinkLost, PeerLinks } from "../../src/peers/peer-link.ts";
import { ask, AskedReplica, keyOf, linkOf, NEAR, textOf } from "../support/asked-replica.ts";
import { until } from "../support/condition.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { AS_IT_IS, LinkInterceptor, type Tamper } from "../support/link-interceptor.ts";

const closing: (() => Promise<unknown> | void)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const linkTo = (url: string) => linkOf(closing, url);

describe("on the way", () => {
  /** What two calls, one after the other, come to when this is done to the messages of one direction, and what was done of them. */
  async function tampered(tampers: Direction, way: Tamper) {
    const there = new AskedReplica(closing);
    const between = new LinkInterceptor(there.url);
    closing.push(() => between.close());
    const link = (await linkTo(between.url))!;
    expect(textOf(await ask(link, "/0").answer)).toBe("answer to http://client/0");
    let seen = 0;
    between.tamper = (direction, message, number) => {
      if (direction !== tampers) return [message];
      seen++;
      return way(direction, message, number);
    };
    const calls = ["/1", "/2"].map(async (path, before) => {
      // In a message of its own.
      await until("the one before has been there", () => seen >= before || !link.isUsable);
      if (before > 0 && !link.isUsable) return "LinkLost";
      return await ask(link, path, "POST").answer.then(textOf, (cause: unknown) => (cause as Error).name);
    });
    return { ends: await Promise.all(calls), done: there.asked.slice(1) };
  }
  const changedAt = (message: string | Buffer, at: number): Buffer => {
    const changed = Buffer.from(message as Buffer);
    changed[at < 0 ? changed.length + at : at]! ^= 1;
    return changed;
  };
  const LOST = ["LinkLost", "LinkLost"];

  test("[REP-4] unchanged messages are answered", async () => {
    const answered = ["answer to http://client/1", "answer to http://client/2"];
    expect(await tampered("asks", AS_IT_IS)).toEqual({ ends: answered, done: ["/1", "/2"] });
  });

  test("[REP-4] a question that is changed anywhere ends the link and has no effect", async () => {
    // In its seal and its time, and in the kind, the id, the lengths, the head and the end of its frame.
    for (const at of [0, 31, 32, 39, 40, 41, 45, 49, 60, -1]) {
      const end = await tampered("asks", (_, message) => [changedAt(message, at)]);
      expect(end).toEqual({ ends: LOST, done: [] });
    }
  });

  test("[REP-4] a question that is missing, late, shortened or malformed ends the link", async () => {
    const held: (string | Buffer)[] = [];
    const ways: Tamper[] = [
      (_, message, number) => (number === 1 ? [] : [message]),
      (_, message) => (held.push(message) === 1 ? [] : [message, held[0]!]),
      (_, message) => [message.slice(0, -1)],
      (_, message) => [message.slice(0, 16)],
      () => [""],
      () => [Buffer.alloc(0)],
      () => ["words"],
    ];
    for (const way of ways) {
      held.length = 0;
      expect(await tampered("asks", way)).toEqual({ ends: LOST, done: [] });
    }
  });

  test("[REP-4] a repeated question is done once and ends the link", async () => {
    const { done } = await tampered("asks", (_, message) => [message, message]);
    expect(done).toEqual(["/1"]);
  });

  test("[REP-4] a changed or missing answer reaches nobody, and a repeated one ends the link", async () => {
    const ways: Tamper[] = [
      // The first one does not come: the second one is not taken for it.
      (_, message, number) => (number === 2 ? [] : [message]),
      (_, message) => [changedAt(message, 0)],
      (_, message) => [changedAt(message, 41)],
      (_, message) => [changedAt(message, -1)],
      () => ["words"],
    ];
    for (const way of ways) {
      expect((await tampered("answers", way)).ends).toEqual(LOST);
    }
    const repeated = await tampered("answers", (_, message) => [message, message]);
    expect(repeated.ends).toEqual(["answer to http://client/1", "LinkLost"]);
  });

  test("[REP-4] a question over a minute old has no effect and ends the link", async () => {
    for (const [aheadMs, done] of [
      [60_000, ["/1"]],
      [60_001, []],
      [-60_001, []],
    ] as const) {
      const there = new AskedReplica(closing);
      const link = (await linkTo(there.url))!;
      there.aheadMs = aheadMs;
      const end = await ask(link, "/1", "POST").answer.then(textOf, (cause: unknown) => (cause as Error).name);
      // The answer is of that time too.
      expect([end, there.asked]).toEqual([done.length > 0 ? "answer to http://client/1" : "LinkLost", [...done]]);
    }
  });

  test("[REP-4] a message whose frames do not end with it is refused even with a valid seal", () => {
    const key = new Uint8Array(32).fill(2);
    const sealed = (frames: Buffer): Buffer => {
      const rest = Buffer.concat([Buffer.alloc(8), frames]);
      return Buffer.concat([new LinkSeals(key, "asks", () => 0).next(rest), rest]);
    };
    const messages: Buffer[] = [];
    const writer = new LinkWriter(new LinkSeals(key, "asks", () => 0), (message) => void messages.push(message));
    writer.add({ kind: ASK, id: 7, head: "head", body: "body" });
    writer.flush();
    const frame = messages[0]!.subarray(32 + 8);
    const read = (frames: Buffer) => readFrames(sealed(frames), new LinkSeals(key, "asks", () => 0));
    expect(read(frame)).toMatchObject([{ kind: ASK, id: 7, head: "head" }]);
    for (let length = 1; length < frame.length; length++) {
      expect(() => read(frame.subarray(0, length))).toThrow(LinkBroken);
      expect(() => read(Buffer.concat([frame, frame.subarray(0, length)]))).toThrow(LinkBroken);
    }
    // As long as a number of its kind can say.
    for (const at of [5, 9]) {
      const endless = Buffer.from(frame);
      endless.fill(0xff, at, at + 4);
      expect(() => read(endless)).toThrow(LinkBroken);
    }
    expect(() => read(Buffer.alloc(0))).not.toThrow();
    expect(() => readFrames(Buffer.alloc(40), new LinkSeals(key, "asks", () => 0))).toThrow(LinkBroken);
    const short = Buffer.alloc(4);
    const seal = new LinkSeals(key, "asks", () => 0).next(short);
    expect(() => readFrames(Buffer.concat([seal, short]), new LinkSeals(key, "asks", () => 0))).toThrow(LinkBroken);
  });

  test("[REP-4] a replica's messages are refused when they are sent back to it or on another link", async () => {
    const there = new AskedReplica(closing);
    const [first, second] = [new LinkInterceptor(there.url), new LinkInterceptor(there.url)];
    closing.push(
      () => first.close(),
      () => second.close(),
    );
    const [one, other] = [(await linkTo(first.url))!, (await linkTo(second.url))!];
    let asked: string | Buffer = "";
    first.tamper = (direction, message) => {
      if (direction === "asks") asked = message;
      return direction === "asks" ? [] : [message];
    };
    const call = ask(one, "/1").answer.catch((cause: unknown) => cause);
    await until("it is on its way", () => asked !== "");
    // The numbers are the same: only the keys are not.
    second.inject("answers", asked);
    await until("that link has ended", () => !other.isUsable);
    first.inject("asks", asked);
    expect(await call).toBeInstanceOf(LinkLost);
    expect(there.asked).toEqual([]);
  });
});

describe("opening", () => {
  test("[REP-4] [REP-6] neither a stranger nor another replica at the address gets a link", async () => {
    const another = new AskedReplica(closing, "rpl_3");
    expect(await linkTo(another.url)).toBeNull();
    // They take every caller, and answer what they have: nothing, an answer that was made up, and one of another replica.
    const answers = [
      () => "",
      () => `${"0".repeat(64)} rpl_2.${"0".repeat(64)}`,
      (seal: string) => `${"0".repeat(64)} ${sealedBy("rpl_3", seal)}`,
      (seal: string) => `${"0".repeat(64)} ${sealedBy("rpl_3", seal).replace("rpl_3", "rpl_2")}`,
    ];
    for (const answer of answers) {
      const stranger = Bun.serve<{ seal: string }>({
        port: 0,
        hostname: "127.0.0.1",
        fetch: (request, server) => {
          const data = { seal: request.headers.get(SEAL_HEADER)! };
          return server.upgrade(request, { data }) ? undefined : new Response(null, { status: 404 });
        },
        websocket: { open: (link) => void link.sendText(answer(link.data.seal)), message: () => {} },
      });
      closing.push(() => stranger.stop(true));
      expect(await linkTo(stranger.url.origin)).toBeNull();
    }
  });

  /** What a replica that has the key says to the call, as it would of its own. */
  function sealedBy(id: string, header: string): string {
    const key = keyOf(id);
    return key.sealAnswer(key.open({ method: "GET", target: LINK_PATH, client: "" }, header)!);
  }

  test("[REP-4] no question is accepted with another nonce than the announced one", async () => {
    const there = new AskedReplica(closing);
    const between = new LinkInterceptor(there.url);
    closing.push(() => between.close());
    const nonces = new Set<string>();
    between.tamper = (_, message) => {
      if (typeof message !== "string") return [message];
      const [nonce = ""] = message.split(" ");
      nonces.add(nonce);
      return [
        message.replace(
          nonce,
          nonce.replaceAll(/./g, (digit) => (digit === "0" ? "1" : "0")),
        ),
      ];
    };
    const link = (await linkTo(between.url))!;
    await expect(ask(link, "/1").answer).rejects.toThrow(LinkLost);
    await linkTo(between.url);
    expect([there.asked, nonces.size]).toEqual([[], 2]);
  });

  test("[REP-4] a call opens at most one link, and none without a seal", async () => {
    const there = new AskedReplica(closing);
    const between = new LinkInterceptor(there.url);
    closing.push(() => between.close());
    await linkTo(between.url);
    for (const seal of [between.seals[0]!, "", NEAR.seal("rpl_2", OTHER_CALL, SEALED_WITHOUT_BODY).header]) {
      const again = new WebSocket(there.url.replace("http", "ws") + LINK_PATH, { headers: { [SEAL_HEADER]: seal } });
      const ends: string[] = [];
      for (const end of ["open", "error"] as const) again.addEventListener(end, () => void ends.push(end));
      await until("it is refused", () => ends.length > 0);
      expect(ends).toEqual(["error"]);
    }
  });
  const OTHER_CALL = { method: "GET", target: "/.replica/alive", client: "" };

  test("[REP-4] a lost link is opened again after growing waits of up to 30 s, and soon if it had served", async () => {
    const clock = new FakeClock();
    const there = new AskedReplica(closing);
    const tries: number[] = [];
    let isRefused = true;
    const door = new LinkInterceptor(there.url, () => {
      tries.push(clock.monotonic());
      return !isRefused;
    });
    closing.push(() => door.close());
    const links = new PeerLinks(NEAR, clock);
    closing.push(() => links.close());
    const owner = { id: "rpl_2", url: door.url };
    /** The next call that tries: no time passes while an answer is on its way. */
    const tried = async (): Promise<void> => {
      for (const before = tries.length; tries.length === before;) {
        expect(links.to(owner)).toBeNull();
        if (clock.pending === 0) await clock.advance(125);
        else await until("it has come", () => tries.length > before);
      }
    };
    for (let n = 0; n < 9; n++) {
      await tried();
      if (n < 8) await until("it is refused", () => clock.pending === 0);
      if (n === 7) isRefused = false;
    }
    const pauses = tries.slice(1).map((at, n) => at - tries[n]!);
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    await until("it is open", () => links.to(owner) !== null);
    // Lost, but it had served: that is no failure.
    door.cut();
    await until("it is lost", () => links.to(owner) === null);
    await tried();
    expect(tries.at(-1)! - tries.at(-2)!).toBe(250);
  });
});
