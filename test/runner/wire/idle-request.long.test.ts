/** A call that is silent for longer than Bun lets a request be: five minutes, which its variable shortens here. */
import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";

const CODE = fileURLToPath(new URL("../../../src/runner/provider-fetch.ts", import.meta.url));
/** Bun looks at its timers each four seconds. */
const SILENCE_MS = 12_000;

test("[RUN-3] the silence of a call is not limited by the client of the process", async () => {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch() {
      await Bun.sleep(SILENCE_MS);
      return new Response("answered");
    },
  });
  try {
    const script = `const { askProvider } = await import(${JSON.stringify(CODE)});
      console.log(await fetch(${JSON.stringify(server.url.href)}).then(() => "answered", ({ name }) => name));
      console.log(await (await askProvider(${JSON.stringify(server.url.href)}, {})).text());`;
    const env = { PATH: "/usr/bin:/bin", BUN_CONFIG_HTTP_IDLE_TIMEOUT: "2" };
    const child = Bun.spawn([process.execPath, "-e", script], { env, stdout: "pipe", stderr: "inherit" });
    expect(await new Response(child.stdout).text()).toBe("TimeoutError\nanswered\n");
  } finally {
    await server.stop(true);
  }
});
