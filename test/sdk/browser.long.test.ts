/** The JavaScript SDK in a real browser, in a page of another origin than the service's. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { CHROMIUM, type WatchedBrowser, watchedBrowser } from "../support/browser.ts";
import { FaultyProxy } from "../support/faulty-proxy.ts";
import { type Founded, type Service, startService } from "../support/service.ts";

let service: Service;
let proxy: FaultyProxy;
let owner: Founded;
let browser: WatchedBrowser;
/** Where pages come from: one whose origin the service knows, and one that it does not. */
let known: ReturnType<typeof Bun.serve>;
let unknown: ReturnType<typeof Bun.serve>;

const pages = () =>
  Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response("<!doctype html><title>A page</title>", { headers: { "content-type": "text/html" } }),
  });
const originOf = (server: ReturnType<typeof Bun.serve>): string => server.url.origin;

beforeAll(async () => {
  if (CHROMIUM === null) return;
  known = pages();
  unknown = pages();
  service = await startService({ settings: { corsOrigins: [originOf(known)] } });
  proxy = await FaultyProxy.open(service.url);
  owner = await service.found();
  browser = await watchedBrowser();
});
afterAll(async () => {
  await browser?.close();
  proxy?.stop();
  await service?.stop();
  await Promise.all([known?.stop(true), unknown?.stop(true)]);
});

async function pageOf(server: ReturnType<typeof Bun.serve>): Promise<Page> {
  const { page } = await browser.open();
  await page.goto(originOf(server));
  return page;
}

/** Runs the body of a function in the page, over the SDK; what it returns comes back as JSON. */
const within = <T>(page: Page, body: string): Promise<T> =>
  page.evaluate<T>(`(async (url, token) => {
    const sdk = await import(url + "/api/sdk/javascript");
    ${body}
  })(${JSON.stringify(proxy.url)}, ${JSON.stringify(owner.token)})`);

const CLIENT = "const troupe = new sdk.Troupe({ baseUrl: url, token });";
const CHAT = `
  const agent = await troupe.createAgent({ name: "Ada", system_prompt: "Be brief." });
  const { workspaces } = await troupe.listWorkspaces();
  const chat = await troupe.createChat({ agent_id: agent.id, workspace_id: workspaces[0].id });`;

test.skipIf(CHROMIUM === null)(
  "[GEN-13] [DOC-3] a page of a configured origin imports the SDK and has a conversation, whose stream resumes where it is cut",
  async () => {
    service.model.script = () => [{ say: "One. " }, { say: "Two. " }, { say: "Three." }];
    const page = await pageOf(known);
    proxy.reset();
    const chat = await within<string>(
      page,
      `${CLIENT} ${CHAT} await troupe.sendMessage(chat.id, { content: "Count" }); return chat.id;`,
    );
    expect(proxy.requests.some(({ method }) => method === "OPTIONS")).toBe(true);
    // Its preflight passes, and the stream is cut in its last message.
    proxy.reset(null, { kind: "end", after: "event: message.completed" });
    const ids = await within<{ text: string; seqs: number[] }>(
      page,
      `${CLIENT}
       let text = "";
       const seqs = [];
       for await (const event of troupe.streamChatEvents("${chat}", { replay: "all", wait: "end" })) {
         if (event.event === "message.completed") text = event.data.content;
         if (event.data.seq !== undefined) seqs.push(event.data.seq);
       }
       return { text, seqs };`,
    );
    expect(ids.text).toBe("One. Two. Three.");
    expect(ids.seqs).toEqual(ids.seqs.map((_, i) => i + 1));
    const streams = proxy.requests.filter(({ method, path }) => method === "GET" && path.includes("/events"));
    expect(streams.length).toBeGreaterThan(1);
    expect(streams.at(-1)?.headers["last-event-id"]).toMatch(/^\d+/);
  },
);

test.skipIf(CHROMIUM === null)(
  "[GEN-13] [DOC-3] the page reads the request id of an error, and the limits",
  async () => {
    const page = await pageOf(known);
    proxy.reset();
    const told = await within<Record<string, unknown>>(
      page,
      `${CLIENT}
     const error = await troupe.getChat("cht_${"x".repeat(21)}").catch((cause) => cause);
     const plain = await fetch(url + "/api/tasks", { headers: { authorization: "Bearer " + token } });
     return {
       isNotFound: error instanceof sdk.NotFoundError,
       requestId: error.requestId,
       left: Number(plain.headers.get("x-ratelimit-remaining")),
       version: plain.headers.get("api-version"),
     };`,
    );
    expect(told).toEqual({
      isNotFound: true,
      requestId: expect.stringMatching(/^req_/) as string,
      left: expect.any(Number) as number,
      version: expect.stringMatching(/^\d{4}-/) as string,
    });
    expect(told["left"]).toBeGreaterThan(0);
  },
);

test.skipIf(CHROMIUM === null)(
  "[GEN-13] a page of another origin reads public documents and signed streams, and nothing of the API",
  async () => {
    const page = await pageOf(unknown);
    proxy.reset();
    const told = await within<{ version: string; failure: string }>(
      page,
      `const { api_version } = await new sdk.Troupe({ baseUrl: url }).getVersion();
     const troupe = new sdk.Troupe({ baseUrl: url, token, maxRetries: 0 });
     const failure = await troupe.listTasks().then(() => "read", (cause) => cause.constructor.name);
     return { version: api_version, failure };`,
    );
    expect(told.version).toMatch(/^\d{4}-/);
    expect(told.failure).toBe("ConnectionFailedError");
  },
);
