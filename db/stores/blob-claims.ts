/** Claims on content (port: `BlobClaims`). The sweep's side is in `db/workspace-sweeps.ts`. */
import type { BlobClaims, BlobKey } from "../../actors/workspace/ports.ts";
import { OverDatabase } from "../client.ts";

export class PostgresBlobClaims extends OverDatabase implements BlobClaims {
  /**
   * Waits while the sweep removes this very content, and then claims it again. An erased organization claims nothing.
   */
  async claim({ organizationId, sha256 }: BlobKey, size: number | null = null): Promise<void> {
    await this.database.reading(
      "load",
      organizationId,
      ({ sql }) => sql`
        insert into blob_claim as claim (organization_id, sha256, claimed_at, size)
        select ${organizationId}, ${sha256}, now(), ${size}::bigint
        where not exists (select from erasure where organization_id = ${organizationId})
        on conflict (organization_id, sha256) do update set claimed_at = now(), size = coalesce(excluded.size, claim.size)`,
    );
  }

  async stands({ organizationId, sha256 }: BlobKey): Promise<boolean> {
    const rows = await this.database.reading(
      "load",
      organizationId,
      ({ sql }) => sql`select 1 from blob_claim where organization_id = ${organizationId} and sha256 = ${sha256}`,
    );
    return rows.length === 1;
  }
}
