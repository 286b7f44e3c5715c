/** Where content is, below the root of a store: `<organization>/<first two digits>/<digest>`. */
import { assert } from "../../actors/assert.ts";
import type { BlobKey } from "../../actors/workspace/ports.ts";

const ORGANIZATION = /^[A-Za-z0-9_-]{1,64}$/;
const SHA256 = /^[0-9a-f]{64}$/;

/** Folders of a thousand files stay quick to list; the digits spread content evenly. */
export function blobName({ organizationId, sha256 }: BlobKey): string {
  // Both come from the service, never from a caller: this keeps it so.
  assert(ORGANIZATION.test(organizationId), "an organization's id can be part of a path");
  assert(SHA256.test(sha256), "a digest is 64 hexadecimal digits");
  return `${organizationId}/${sha256.slice(0, 2)}/${sha256}`;
}
