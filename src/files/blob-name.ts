/** Where content is, below the root of a store: `<organization>/<first two digits>/<digest>`. */
import { assert } from "../../actors/assert.ts";
import type { BlobKey } from "../../actors/workspace/ports.ts";

const ORGANIZATION_FOLDER = /^[A-Za-z0-9_-]{1,64}$/;
const SHA256_HEX = /^[0-9a-f]{64}$/;

/** The folder of an organization's content. */
export function organizationFolder(organizationId: string): string {
  // The id comes from the service, never from a caller. The assertion guards that.
  assert(ORGANIZATION_FOLDER.test(organizationId), "an organization's id can be part of a path");
  return organizationId;
}

/** Folders of about a thousand files stay quick to list; the first two digits of the digest spread content evenly. */
export function blobName({ organizationId, sha256 }: BlobKey): string {
  assert(SHA256_HEX.test(sha256), "a digest is 64 hexadecimal digits");
  return `${organizationFolder(organizationId)}/${sha256.slice(0, 2)}/${sha256}`;
}
