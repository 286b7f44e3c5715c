/** The contract of content on a local folder, and on an S3 server. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { LocalBlobStore } from "../../src/files/local-blobs.ts";
import { S3BlobStore } from "../../src/files/s3-blobs.ts";
import { type S3Server, startS3 } from "../support/s3-server.ts";
import { blobFolder, blobStoreContract } from "./blob-store.ts";

blobStoreContract("a local folder", async () => {
  const { path, remove } = blobFolder();
  return { store: new LocalBlobStore(join(path, "blobs")), folder: path, close: async () => remove() };
});

let s3: S3Server;
beforeAll(async () => void (s3 = await startS3()));
afterAll(() => s3.stop());

blobStoreContract("S3", async () => {
  const { path, remove } = blobFolder();
  const store = new S3BlobStore({ ...s3.settings, prefix: `${crypto.randomUUID()}/` });
  return { store, folder: path, close: async () => remove() };
});

test("[WSP-7] nobody but the service reads the folder of its files", async () => {
  const { path, remove } = blobFolder();
  const staged = join(path, "staged");
  await Bun.write(staged, "secret");
  const store = new LocalBlobStore(join(path, "blobs"));
  await store.put({ organizationId: "org_a", sha256: "a".repeat(64) }, staged);
  expect(statSync(join(path, "blobs", "org_a")).mode & 0o077).toBe(0);
  remove();
});
