/** What is answered while the disk of the database is nearly full (RT-17). */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { until } from "../support/condition.ts";
import { answered, Client, refused } from "../support/current.ts";
import { gate } from "../support/fake-model.ts";
import { sceneOfFile } from "../support/scene.ts";
import { createAgent } from "../support/v1.ts";

let hasRoom = true;

const { service, owner } = sceneOfFile({ hasRoom: () => hasRoom });

let written = 0;
const write = () => service.call(owner, "PUT", `/api/secrets/key-${++written}`, { value: "long enough" });

test("[RT-17] writes are 503 storage_full and leave nothing, reads continue, and it recovers by itself", async () => {
  await answered(write(), 201);
  hasRoom = false;
  const refusal = await write();
  expect(refusal.headers.get("retry-after")).toBe("10");
  await refused(refusal, 503, "storage_full");
  expect((await service.call(owner, "POST", "/api/v1/tasks", { title: "x" })).status).toBe(503);
  // More than one reservation of the rate window, which is a commit.
  const list = () => answered<{ secrets: unknown[] }>(service.call(owner, "GET", "/api/secrets"));
  for (let i = 0; i < 100; i++) expect((await list()).secrets).toHaveLength(1);
  hasRoom = true;
  await answered(write(), 201);
});

test("[RT-17] an upload is refused before it is written, also halfway; received parts are kept", async () => {
  const target = `${service.url}/api/workspaces/${owner.workspaceId}/files/content?path=large.bin`;
  const bytes = crypto.getRandomValues(new Uint8Array(60_000));
  const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("base64");
  const headers = { authorization: `Bearer ${owner.token}` };
  const inParts = { ...headers, "repr-digest": `sha-256=:${sha256}:` };
  /** Goes on when the disk is full, and never ends. */
  const endless = (isFull: Promise<void>) => {
    let sent = 0;
    return new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (sent === 20_000) await isFull;
        controller.enqueue(bytes.slice(sent, (sent += 20_000)));
        if (sent === bytes.length) await new Promise(() => {});
      },
    });
  };
  const put = (body: RequestInit["body"], more: Readonly<Record<string, string>> = {}) =>
    fetch(target, { method: "PUT", headers: { ...headers, ...more }, body: body ?? null });
  const arrived = (folder: string): readonly string[] =>
    Array.from(new Bun.Glob("**/*").scanSync({ cwd: join(service.filesFolder, folder) }));
  hasRoom = false;
  await refused(put(endless(Promise.resolve())), 503, "storage_full");
  hasRoom = true;
  const full = Promise.withResolvers<void>();
  const part = { "content-range": `bytes 0-${bytes.length - 1}/${bytes.length}` };
  const uploads = [put(endless(full.promise)), put(endless(full.promise), { ...inParts, ...part })];
  await until("the parts have begun to arrive", () =>
    arrived("uploads").some((file) => Bun.file(join(service.filesFolder, "uploads", file)).size === 20_000),
  );
  hasRoom = false;
  full.resolve();
  for (const upload of uploads) await refused(upload, 503, "storage_full");
  expect(arrived("staging")).toEqual([]);
  hasRoom = true;
  const asked = put(null, { ...inParts, "content-range": `bytes */${bytes.length}` });
  expect(await answered<{ offset: number }>(asked, 202)).toMatchObject({ offset: 20_000 });
  const rest = { "content-range": `bytes 20000-${bytes.length - 1}/${bytes.length}` };
  await answered(put(bytes.slice(20_000), { ...inParts, ...rest }), 201);
});

test("[RT-17] a running job waits for free space, then continues", async () => {
  const client = new Client(service, owner);
  const hold = gate();
  service.model.script = () => [{ say: "half" }, hold, { say: " and half" }];
  const { job } = await client.send(await client.chat(await createAgent(service, owner), owner.workspaceId), "hi");
  await client.reached(job.id, "running");
  hasRoom = false;
  hold.open();
  await refused(write(), 503, "storage_full");
  expect((await client.job(job.id)).status).toBe("running");
  hasRoom = true;
  expect((await client.reached(job.id, "completed")).result).toBe("half and half");
});
