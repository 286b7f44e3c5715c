/** People's credentials, grants, connections, and their audit. Memberships are in `records.ts`. */
import { sql } from "drizzle-orm";
import { index } from "drizzle-orm/pg-core";
import { createdAtColumn, generatedField, recordTable } from "./records.ts";

/** Credentials of people; one row for each, under the user's id. */
export const account = recordTable("account", {});

/** Links that make a person a member; the sweep deletes them after their end. */
export const invitation = recordTable(
  "invitation",
  { createdAt: createdAtColumn, expiresAt: generatedField("expires_at", "expiresAt") },
  (t) => [
    index("invitation_newest").on(t.organizationId, t.createdAt, t.id),
    index("invitation_expiry").on(t.expiresAt),
  ],
);

/** Programs that have registered themselves; the sweep deletes unused ones. */
export const oauthClient = recordTable(
  "oauth_client",
  { expiresAt: generatedField("expires_at", "expiresAt") },
  (t) => [index("oauth_client_expiry").on(t.expiresAt)],
);

/** People's grants to programs; the sweep deletes ended ones. */
export const oauthGrant = recordTable(
  "oauth_grant",
  {
    createdAt: createdAtColumn,
    userId: generatedField("user_id", "userId"),
    expiresAt: generatedField("expires_at", "expiresAt"),
  },
  (t) => [
    index("oauth_grant_user").on(t.organizationId, t.userId, t.createdAt, t.id),
    index("oauth_grant_expiry").on(t.expiresAt),
  ],
);

/** Attempts to sign in, by a hash of the account or address; a row that has not changed for a day is expired. */
export const signInAttempts = recordTable(
  "sign_in_attempts",
  { updatedAt: generatedField("updated_at", "updatedAt") },
  (t) => [index("sign_in_attempts_updated").on(t.updatedAt)],
);

/** Sign-ins that continue in a later request; the sweep deletes them after their end. */
export const signInFlow = recordTable("sign_in_flow", { expiresAt: generatedField("expires_at", "expiresAt") }, (t) => [
  index("sign_in_flow_expiry").on(t.expiresAt),
]);

/** The owner of an identity at an OpenID provider, by a hash of the identity. */
export const identityOwner = recordTable("identity_owner", {});

/** The audit of an organization; the sweep deletes old entries. */
export const auditEntry = recordTable(
  "audit_entry",
  {
    createdAt: createdAtColumn,
    action: generatedField("action", "action"),
    userId: generatedField("user_id", "userId"),
  },
  (t) => [
    index("audit_entry_newest").on(t.organizationId, t.createdAt, t.id),
    index("audit_entry_user").on(t.organizationId, t.userId, t.createdAt, t.id),
    index("audit_entry_action").on(t.organizationId, t.action, t.createdAt, t.id),
    index("audit_entry_created").on(t.createdAt),
  ],
);

/** Connections to tool servers (`actors/connection/`). A removed one keeps its row, without anything secret. */
export const connection = recordTable(
  "connection",
  {
    createdAt: createdAtColumn,
    ownerId: generatedField("owner_id", "ownerId"),
    removedAt: generatedField("removed_at", "removedAt"),
  },
  (t) => [
    index("connection_owner")
      .on(t.organizationId, t.ownerId, t.createdAt, t.id)
      .where(sql`removed_at is null`),
    index("connection_removed")
      .on(t.removedAt)
      .where(sql`removed_at is not null`),
  ],
);
