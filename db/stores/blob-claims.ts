/** Claims on content (port: `BlobClaims`). The sweep's side is in `db/workspace-sweeps.ts`. */
import type { BlobClaims, BlobKey } from "../../actors/workspace/ports.ts";
import type { Database } from "../client.ts";

export class PostgresBlobClaims implements BlobClaims {
  private readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  /** Waits while the sweep removes this very content, and claims it anew after that. */
  async claim({ organizationId, sha256 }: BlobKey): Promise<void> {
    await this.database.reading(
      "load",
      organizationId,
      ({ sql }) => sql`
        insert into blob_claim (organization_id, sha256, claimed_at) values (${organizationId}, ${sha256}, now())
        on conflict (organization_id, sha256) do update set claimed_at = now()`,
    );
  }
}
