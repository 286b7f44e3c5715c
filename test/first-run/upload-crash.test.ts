/** An upload in parts whose service is killed in the middle of one. */
import { expect, test } from "bun:test";
import { firstRunOfFile } from "../support/first-run-copy.ts";
import { eventually, startTroupe, type TroupeProcess } from "../support/troupe-process.ts";

const { folder, first } = firstRunOfFile();

const BYTES = crypto.getRandomValues(new Uint8Array(65_536));
const DIGEST = `sha-256=:${new Bun.CryptoHasher("sha256").update(BYTES).digest("base64")}:`;
const headers = () => ({ authorization: `Bearer ${first.personal}`, "repr-digest": DIGEST });

test("[WSP-13] after kill -9 an upload continues after its last byte, and nothing acknowledged is lost", async () => {
  let service = await startTroupe(folder);
  const at = await contentAt(service);
  // As long as what a thread writes.
  const whole = new Uint8Array(2_000_000).fill(7);
  const wholeAt = () => at(service).replace("big.bin", "whole.bin");
  const { authorization } = headers();
  expect((await fetch(wholeAt(), { method: "PUT", headers: { authorization }, body: whole })).status).toBe(201);
  const range = (from: number) => ({ "content-range": `bytes ${from}-${BYTES.length - 1}/${BYTES.length}` });
  const part = { "content-range": `bytes 0-9999/${BYTES.length}` };
  const begun = await fetch(at(service), {
    method: "PUT",
    headers: { ...headers(), ...part },
    body: BYTES.slice(0, 10_000),
  });
  expect([begun.status, await begun.json()]).toMatchObject([202, { offset: 10_000 }]);
  let sent = 10_000;
  const hanging = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent === 10_000) controller.enqueue(BYTES.slice(sent, (sent += 20_000)));
      else return new Promise(() => {});
    },
  });
  const lost = fetch(at(service), { method: "PUT", headers: { ...headers(), ...range(10_000) }, body: hanging }).catch(
    (cause: unknown) => cause,
  );
  await eventually("the part has begun to arrive", async () => (await bytesOf(service)) > 10_000);
  await service.end("SIGKILL");
  await lost;
  service = await startTroupe(folder);
  expect(Buffer.compare(await (await fetch(wholeAt(), { headers: { authorization } })).bytes(), whole)).toBe(0);
  const asked = await fetch(at(service), {
    method: "PUT",
    headers: { ...headers(), "content-range": `bytes */${BYTES.length}` },
  });
  const { offset } = (await asked.json()) as { offset: number };
  expect(offset).toBeGreaterThan(10_000);
  const last = await fetch(at(service), {
    method: "PUT",
    headers: { ...headers(), ...range(offset) },
    body: BYTES.slice(offset),
  });
  expect(last.status).toBe(201);
  const read = await fetch(at(service), { headers: { authorization: `Bearer ${first.personal}` } });
  expect(await read.bytes()).toEqual(BYTES);
  expect(await service.end()).toBe(0);
});

async function contentAt(service: TroupeProcess): Promise<(service: TroupeProcess) => string> {
  const answer = await fetch(`${service.url}/api/workspaces`, {
    headers: { authorization: `Bearer ${first.personal}` },
  });
  const { workspaces } = (await answer.json()) as { workspaces: { id: string }[] };
  return ({ url }) => `${url}/api/workspaces/${workspaces[0]!.id}/files/content?path=big.bin`;
}

/** Of the one upload on the disk. */
async function bytesOf({ dataDir }: TroupeProcess): Promise<number> {
  const [file] = await Array.fromAsync(new Bun.Glob("files/uploads/*/*").scan(dataDir));
  return file === undefined ? 0 : Bun.file(`${dataDir}/${file}`).size;
}
