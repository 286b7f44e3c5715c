/** The log: its form, its levels, and that no secret gets out by any way into a line. */
import { expect, test } from "bun:test";
import { type Logger, createLogger } from "../../src/log/log.ts";
import { PlainFields } from "../../src/log/port.ts";
import { redact } from "../../src/log/redaction.ts";

const TOKEN = "pat_0123456789abcdefghijKLMNOP";
const KEY = "sk-ant-api03-0123456789abcdef";

async function capture(
  use: (log: Logger) => void,
  options: { level?: string; pretty?: boolean } = {},
): Promise<string> {
  let text = "";
  const sink = { write: (line: string) => void (text += line) };
  use(await createLogger({ level: options.level ?? "info", pretty: options.pretty ?? false, sink }));
  return text;
}

test("[START-7] a log line is one JSON object with level, time and message", async () => {
  const text = await capture((log) => log.child({ requestId: "req_1" }).info({ status: 200 }, "request"));
  expect(text.endsWith("\n")).toBe(true);
  expect(JSON.parse(text)).toEqual({
    level: 30,
    time: expect.any(String),
    requestId: "req_1",
    status: 200,
    msg: "request",
  });
});

test("[START-7] lines under the level are not written", async () => {
  const text = await capture(
    (log) => {
      log.info("no");
      log.warn("yes");
    },
    { level: "warn" },
  );
  expect(text.trim().split("\n")).toHaveLength(1);
});

test("[START-7] on a terminal lines are text for a person, and as redacted", async () => {
  const text = await capture((log) => log.info({ token: "hunter2" }, `hello ${TOKEN}`), { pretty: true });
  expect(text).toContain("hello pat_[redacted]");
  expect(text).not.toContain("hunter2");
  expect(text).not.toStartWith("{");
});

test("[START-7] in a terminal's absence standard output gets JSON, whole after flush", async () => {
  const script = `
    const { createLogger } = await import(${JSON.stringify(new URL("../../src/log/log.ts", import.meta.url).href)});
    const log = await createLogger({ level: "info" });
    for (let i = 0; i < 1000; i++) log.info({ i }, "line");
    await log.flush();
    process.exit(0);`;
  const child = Bun.spawn({ cmd: [process.execPath, "-e", script], stdio: ["ignore", "pipe", "inherit"] });
  const lines = (await child.stdout.text()).trim().split("\n");
  expect(lines).toHaveLength(1000);
  expect(JSON.parse(lines[999] ?? "")).toMatchObject({ i: 999, msg: "line" });
});

const SECRET_LINES: readonly (readonly [string, (log: Logger) => void])[] = [
  ["a token in a message", (log) => log.info(`made ${TOKEN}`)],
  ["a service token in a message", (log) => log.info("made svc_0123456789abcdefghijKLMNOP")],
  ["a session in a message", (log) => log.info("signed in with ses_0123456789abcdefghijKLMNOP")],
  ["a program's token in a message", (log) => log.info("made oat_0123456789abcdefghijKLMNOP")],
  ["a program's code in a message", (log) => log.info("took oac_KLMNOP.QRSTUV.0123456789abcdefghij")],
  ["a refresh token in a message", (log) => log.info("took ort_KLMNOP.QRSTUV.0123456789abcdefghij")],
  ["a provider's key in a message", (log) => log.info(`key ${KEY} refused`)],
  ["a bearer header in a message", (log) => log.info("sent Bearer abcdefghijKLMNOP0123456789==")],
  ["a token in a deep field", (log) => log.info({ a: { b: [{ note: `x ${TOKEN} y` }] } }, "m")],
  [
    "a field that is named as a secret",
    (log) => log.info({ request: { headers: { authorization: "abcdefghij0123456789" } } }, "m"),
  ],
  ["a secret with a quote in it", (log) => log.info({ password: 'a"abcdefghij0123456789' }, "m")],
  ["a list of cookies", (log) => log.info({ cookie: ["s=abcdefghij0123456789"] }, "m")],
  ["a token in a path", (log) => log.info({ method: "GET", path: `/api/${TOKEN}` }, "request")],
  ["a token that names a request", (log) => log.info({ requestId: TOKEN, status: 200 }, "request")],
  ["a password in a path", (log) => log.info({ path: "/a//b:abcdefghij0123456789@c" }, "request")],
  ["a token in a plain field of a child", (log) => log.child({ note: TOKEN }).info({ status: 200 }, "request")],
  ["a plain field that is named as a secret, in any case", (log) => log.info({ Api_Key: "abcdefghij" }, "m")],
  ["a list of plain fields", (log) => log.info({ status: 200, seen: [`abc ${TOKEN}`] }, "m")],
  ["a token in a message beside plain fields", (log) => log.info({ status: 200 }, `made ${TOKEN}`)],
  ["the stack of an error", (log) => log.error({ err: new Error(`cannot use ${KEY} or ${TOKEN}`) }, "failed")],
  ["the password of a URL", (log) => log.info({ url: "postgres://troupe:abcdefghij0123456789@db/x" }, "m")],
];

for (const [what, write] of SECRET_LINES) {
  test(`[START-8] ${what} is not logged`, async () => {
    const text = await capture(write);
    expect(text).toContain("[redacted]");
    expect(text).not.toMatch(/abcdefghij|0123456789/);
    expect(() => JSON.parse(text)).not.toThrow();
  });
}

test("[START-8] ids and ordinary words stay as they are", () => {
  for (const text of [
    "task-1718000000000-abcdefghijkl",
    "usr_V1StGXR8_Z5jdHi6B-myT",
    "pat_ is a prefix",
    '{"tokens":12}',
  ]) {
    expect(redact(text)).toBe(text);
  }
});

test("[START-7] a line is the same from every writer: plain fields, fields that are no JSON, a child's", async () => {
  const text = await capture((log) => {
    const circle: Record<string, unknown> = { a: 1 };
    circle["self"] = circle;
    log.info({ circle }, "round");
    log.info({ count: 1n }, "big");
    log.child({ job: "job_1" }).warn({ left: undefined, at: new Date(0) }, "plain");
    log.child({ job: "job_1" }).warn("words");
  });
  const lines = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.map(({ msg }) => msg)).toEqual(["round", "big", "plain", "words"]);
  expect(lines[2]).toEqual({
    level: 40,
    time: expect.any(String),
    job: "job_1",
    at: "1970-01-01T00:00:00.000Z",
    msg: "plain",
  });
  expect(Object.keys(lines[3])).toEqual(["level", "time", "job", "msg"]);
});

test("[START-8] a text is redacted each time that it comes, also after others that hold nothing", async () => {
  const path = `/api/${TOKEN}`;
  const text = await capture((log) => {
    for (const each of ["/a", path, "/a", path]) log.info({ path: each }, "request");
  });
  const paths = text
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { path: string }).path);
  expect(paths).toEqual(["/a", "/api/pat_[redacted]", "/a", "/api/pat_[redacted]"]);
});

test("[START-7] a line of plain values is as JSON writes them", async () => {
  const fields = {
    text: 'quotes " and \\ and \n and é and \ud800',
    long: "x".repeat(300),
    whole: 12,
    part: 0.25,
    none: null,
    yes: true,
    nan: Number.NaN,
    far: Number.POSITIVE_INFINITY,
    'a "name"': 1,
    left: undefined,
  };
  const line = await capture((log) => log.info(fields, 'a "message"'));
  expect(line).toEndWith(`,${JSON.stringify(fields).slice(1, -1)},"msg":"a \\"message\\""}\n`);
});

class Fields extends PlainFields {
  readonly path: string;
  readonly status = 200;
  constructor(path: string) {
    super();
    this.path = path;
  }
}

class Named extends PlainFields {
  readonly requestId: string;
  readonly path: string;
  readonly #made: string | null;
  constructor(requestId: string, path: string, made: string | null) {
    super();
    this.requestId = requestId;
    this.path = path;
    this.#made = made;
  }
  override get made(): string | null {
    return this.#made;
  }
}

test("[START-8] a text that was made here is written as it is, and every other one is searched for secrets", async () => {
  // As chance may make one: nobody would find the request by what was left of it.
  const own = "req_V1StGXR8-sk-0123456789ab";
  const text = await capture((log) => {
    log.info(new Named(own, `/a/${TOKEN}`, own), "request");
    log.info(new Named(TOKEN, "/b", null), "request");
  });
  const [made, given] = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(made).toMatchObject({ requestId: own, path: "/a/pat_[redacted]", msg: "request" });
  expect(given).toMatchObject({ requestId: "pat_[redacted]", path: "/b" });
  expect(Object.keys(made!)).toEqual(["level", "time", "requestId", "path", "msg"]);
});

test("[START-8] a line that is put together later is the same, in its place, and as redacted", async () => {
  const waiting: (string | { toString(): string })[] = [];
  const sink = {
    write: (line: string) => void waiting.push(line),
    writeLate: (line: { toString(): string }) => void waiting.push(line),
  };
  const log = await createLogger({ level: "info", pretty: false, sink, traceId: () => "abc" });
  const use = (each: Logger): void => {
    each.info("before");
    each.child({ job: "job_1", note: TOKEN }).info(new Fields(`/a/${TOKEN}`), "request");
    each.debug(new Fields("/unseen"), "request");
    each.warn({ path: "/b" }, "after");
  };
  use(log);
  expect(waiting.map((line) => typeof line)).toEqual(["string", "object", "string"]);
  const late = waiting.map(String).join("");
  const atOnce: string[] = [];
  use(
    await createLogger({
      level: "info",
      pretty: false,
      sink: { write: (line) => void atOnce.push(line) },
      traceId: () => "abc",
    }),
  );
  const withoutTimes = (text: string): string => text.replace(/"time":"[^"]+"/g, "");
  expect(withoutTimes(late)).toBe(withoutTimes(atOnce.join("")));
  expect(JSON.parse(late.split("\n")[1] ?? "")).toMatchObject({
    job: "job_1",
    note: "pat_[redacted]",
    path: "/a/pat_[redacted]",
    status: 200,
    trace_id: "abc",
    msg: "request",
  });
});

test("[START-7] keys of code hosts and providers are redacted, names of constraints are not", () => {
  const key = `ghp_${"a1B2".repeat(9)}`;
  expect(redact(`cloning with ${key} failed`)).toBe("cloning with ghp_[redacted] failed");
  expect(redact(`duplicate key violates pk_users_by_name and gsk-short`)).toBe(
    "duplicate key violates pk_users_by_name and gsk-short",
  );
});
