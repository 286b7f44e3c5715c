/** What FILES_URL says of the bucket. */
import { expect, test } from "bun:test";
import { s3Of } from "../../src/files/s3-blobs.ts";

test("[WSP-7] FILES_URL names the bucket, a folder in it, and where the server is", () => {
  expect(s3Of({})).toBeNull();
  expect(s3Of({ filesUrl: "s3://bucket" })).toEqual({ bucket: "bucket", prefix: "" });
  const filesUrl = "s3://bucket/a/b/?endpoint=https://s3.example:9000&region=eu-1";
  expect(s3Of({ filesUrl, filesAccessKeyId: "id", filesSecretAccessKey: "key" })).toEqual({
    bucket: "bucket",
    prefix: "a/b/",
    endpoint: "https://s3.example:9000",
    region: "eu-1",
    accessKeyId: "id",
    secretAccessKey: "key",
  });
});
