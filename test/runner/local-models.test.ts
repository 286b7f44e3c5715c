import { describe, expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { findLocalModels } from "../../src/runner/local-models.ts";
import { startFakeOpenAi } from "../support/fake-openai.ts";

/** Serves `body` at /v1/models. */
function serve(body: () => Response | Promise<Response>) {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: body });
  return { port: server.port ?? 0, stop: () => server.stop(true) };
}

describe("local models", () => {
  test("[RUN-1] finds the first model of each server, in order, and sends no prompt", async () => {
    const fake = await startFakeOpenAi();
    const found = await findLocalModels([
      { server: "nothing", port: 1 },
      { server: "ollama", port: fake.port },
      { server: "vllm", port: fake.port },
    ]);
    expect(found).toEqual([
      { server: "ollama", baseUrl: fake.baseUrl, model: "fake-model" },
      { server: "vllm", baseUrl: fake.baseUrl, model: "fake-model" },
    ]);
    expect(fake.requests).toEqual([]);
    await fake.stop();
  });

  test("[RUN-1] does not use the environment's proxy, for which 127.0.0.1 is another machine", async () => {
    const fake = await startFakeOpenAi();
    let asked = 0;
    const proxy = serve(() => Response.json({ data: [{ id: `by the proxy, ${++asked}` }] }));
    const address = `http://127.0.0.1:${proxy.port}`;
    const file = fileURLToPath(new URL("../../src/runner/local-models.ts", import.meta.url));
    const script = `const { findLocalModels } = await import(${JSON.stringify(file)});
      console.log(JSON.stringify(await findLocalModels([{ server: "x", port: ${fake.port} }], 5_000)));`;
    const env = { PATH: "/usr/bin:/bin", HTTP_PROXY: address, http_proxy: address, NO_PROXY: "", no_proxy: "" };
    const child = Bun.spawn([process.execPath, "-e", script], { env, stdout: "pipe", stderr: "inherit" });
    expect(JSON.parse(await new Response(child.stdout).text())).toEqual([
      { server: "x", baseUrl: fake.baseUrl, model: "fake-model" },
    ]);
    expect(asked).toBe(0);
    await proxy.stop();
    await fake.stop();
  });

  const strangers: readonly (readonly [string, () => Response | Promise<Response>])[] = [
    ["a page", () => new Response("<html>")],
    ["another JSON", () => Response.json({ data: "no" })],
    ["an empty list", () => Response.json({ data: [] })],
    ["an error", () => Response.json({ data: [{ id: "x" }] }, { status: 401 })],
    ["a redirect", () => Response.redirect("http://127.0.0.1:1/v1/models")],
    ["an endless list", () => new Response("[".repeat(2 * 1024 * 1024))],
    ["silence", () => new Promise<Response>(() => {})],
  ];
  for (const [what, answer] of strangers) {
    test(`[RUN-1] skips a server that answers with ${what}`, async () => {
      const server = serve(answer);
      // Only the silent one takes this long.
      expect(await findLocalModels([{ server: "x", port: server.port }], 200)).toEqual([]);
      await server.stop();
    });
  }
});
