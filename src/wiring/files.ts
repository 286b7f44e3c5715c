/** The storage of files' content, from the settings. */
import type { S3Settings } from "../files/s3-blobs.ts";
import type { Config } from "../settings/settings.ts";

/** The bucket of FILES_URL; null without one. */
export function s3Of(
  config: Pick<Config, "filesUrl" | "filesAccessKeyId" | "filesSecretAccessKey">,
): S3Settings | null {
  const { filesUrl, filesAccessKeyId: accessKeyId, filesSecretAccessKey: secretAccessKey } = config;
  if (filesUrl === undefined) return null;
  const url = new URL(filesUrl);
  const endpoint = url.searchParams.get("endpoint");
  const region = url.searchParams.get("region");
  const folder = url.pathname.replaceAll(/^\/+|\/+$/g, "");
  return {
    bucket: url.hostname,
    prefix: folder === "" ? "" : `${folder}/`,
    ...(endpoint === null ? {} : { endpoint }),
    ...(region === null ? {} : { region }),
    ...(accessKeyId === undefined ? {} : { accessKeyId }),
    ...(secretAccessKey === undefined ? {} : { secretAccessKey }),
  };
}
