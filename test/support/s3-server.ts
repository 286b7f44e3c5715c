/** An S3 server for tests, in a process of its own: it is made for Node, and its memory is not ours. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { S3Settings } from "../../src/files/s3-blobs.ts";

export interface S3Server {
  readonly settings: Omit<S3Settings, "prefix"> & { readonly endpoint: string };
  stop(): Promise<void>;
}

const BUCKET = "troupe";

export async function startS3(): Promise<S3Server> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-s3-"));
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "s3-child.ts"), folder, BUCKET], {
    stdout: "pipe",
    stderr: "inherit",
    stdin: "pipe",
  });
  const { value } = await child.stdout.getReader().read();
  const endpoint = new TextDecoder().decode(value).trim();
  return {
    settings: { bucket: BUCKET, endpoint, region: "us-east-1", accessKeyId: "S3RVER", secretAccessKey: "S3RVER" },
    async stop() {
      child.kill();
      await child.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
