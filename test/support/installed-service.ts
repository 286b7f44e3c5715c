/** Whether a service that was installed in some way is a whole one: what of it lies in files, native code and children. */
import { expect } from "bun:test";
import sharp from "sharp";
import { pdfOf } from "./pdf.ts";

/** Documents that the service reads from its own files. */
const DOCUMENTS = [
  "/guides/files.md",
  "/api/openapi.json",
  "/api/reference",
  "/api/errors",
  "/api/sdk/typescript",
  "/api/sdk/javascript",
  "/api/sdk/python",
  "/api/sdk-examples",
  "/app",
];

/** Goes through a new service with the tokens of its first run, and fails with the first thing that is not as it should be. */
export async function tourOf(url: string, { token, agentId }: { token: string; agentId: string }): Promise<void> {
  const api = (path: string, init: { method?: string; body?: string | Uint8Array<ArrayBuffer> } = {}) =>
    fetch(url + path, {
      ...init,
      headers: {
        authorization: `Bearer ${token}`,
        ...(init.method === "POST" ? { "content-type": "application/json" } : {}),
      },
    });
  const post = (path: string, body: object): Promise<Response> =>
    api(path, { method: "POST", body: JSON.stringify(body) });

  for (const path of DOCUMENTS) expect({ path, status: (await api(path)).status }).toEqual({ path, status: 200 });

  const answer = await (await post(`/api/v1/agents/${agentId}/execute`, { message: "Hello", stream: true })).text();
  expect(answer).toContain("event: result");

  const { workspaces } = (await (await api("/api/workspaces")).json()) as { workspaces: readonly { id: string }[] };
  const files = `/api/workspaces/${workspaces[0]?.id}/files`;
  const write = (path: string, body: string | Uint8Array<ArrayBuffer>): Promise<Response> =>
    api(`${files}/content?path=${path}`, { method: "PUT", body });
  const preview = async (path: string): Promise<unknown> => (await post(`${files}/preview`, { path })).json();

  // DuckDB, libvips, PDFium and the highlighter, each in a child.
  await write("sales.csv", "region,amount\nnorth,10\nsouth,20\nnorth,5\n");
  const query = "SELECT sum(amount) AS total FROM 'sales.csv'";
  const told = await post(`/api/workspaces/${workspaces[0]?.id}/data-blocks/query`, { query });
  expect(await told.json()).toMatchObject({ rows: [[35]] });
  const picture = await sharp({ create: { width: 3, height: 5, channels: 4, background: "red" } })
    .png()
    .toBuffer();
  await write("dot.png", new Uint8Array(picture));
  expect(await preview("dot.png")).toMatchObject({ image: { width: 3, height: 5 } });
  await write("page.pdf", new Uint8Array(pdfOf(["Hello from page one"])));
  expect(await preview("page.pdf")).toMatchObject({ kind: "pdf", content: expect.stringContaining("Hello") });
  await write("code.ts", "const a = 1;\n");
  expect(await preview("code.ts")).toMatchObject({ html: expect.stringContaining("hljs") });
}
