/**
 * A headless Chromium of the system, for tests of pages. Everything that it asks of another host than
 * this machine goes to a proxy of ours, which answers nothing and remembers it: whatever a page does,
 * by whatever means, a request that would leave is seen.
 */
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/** The program; null where there is none, and its tests skip. */
export const CHROMIUM = Bun.which("chromium-headless-shell") ?? Bun.which("chromium");

export interface WatchedBrowser {
  /** A page in a context of its own. */
  open(options?: BrowserContextOptions): Promise<WatchedPage>;
  /** What was asked of other hosts: the first lines of the requests. */
  readonly left: readonly string[];
  close(): Promise<void>;
}

export interface WatchedPage {
  readonly page: Page;
  /** The addresses that it has asked for. */
  readonly asked: readonly string[];
  /** Exceptions, and what the browser complains of: a policy that was breached, a resource that failed. */
  readonly complaints: readonly string[];
}

/** Starts Chromium. As root it has no sandbox to start; what it opens is ours alone. */
export async function watchedBrowser(): Promise<WatchedBrowser> {
  const left: string[] = [];
  const proxy = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket, bytes) {
        left.push(bytes.toString("latin1").split("\r\n", 1)[0] ?? "");
        socket.end("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n");
      },
    },
  });
  const browser = await chromium.launch({
    executablePath: CHROMIUM ?? "",
    chromiumSandbox: process.getuid?.() !== 0,
    proxy: { server: `http://127.0.0.1:${proxy.port}`, bypass: "127.0.0.1,localhost" },
  });
  return {
    left,
    open: (options = {}) => open(browser, options),
    async close() {
      await browser.close();
      proxy.stop(true);
    },
  };
}

async function open(browser: Browser, options: BrowserContextOptions): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1_400, height: 900 }, ...options });
  // On a slow and busy machine; tests may set another.
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const asked: string[] = [];
  const complaints: string[] = [];
  context.on("request", (request) => asked.push(request.url()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  return { page, asked, complaints };
}
