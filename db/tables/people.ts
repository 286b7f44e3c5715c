/** How people sign in, whom they let in, and what is written down of it. Their membership is in `records.ts`. */
import { index, pgTable, primaryKey } from "drizzle-orm/pg-core";
import { columns, createdAt, generated } from "./records.ts";

/** Credentials of people; one row for each, under the user's id. */
export const account = pgTable("account", columns, (t) => [primaryKey({ columns: [t.organizationId, t.id] })]);

/** Links that make somebody a member; the sweep takes them by their end. */
export const invitation = pgTable(
  "invitation",
  { ...columns, createdAt, expiresAt: generated("expires_at", "expiresAt") },
  (t) => [
    primaryKey({ columns: [t.organizationId, t.id] }),
    index("invitation_newest").on(t.organizationId, t.createdAt, t.id),
    index("invitation_expiry").on(t.expiresAt),
  ],
);

/** Programs that have registered themselves; the sweep takes those that nobody uses. */
export const oauthClient = pgTable(
  "oauth_client",
  { ...columns, expiresAt: generated("expires_at", "expiresAt") },
  (t) => [primaryKey({ columns: [t.organizationId, t.id] }), index("oauth_client_expiry").on(t.expiresAt)],
);

/** What people have granted to programs; the sweep takes what has ended. */
export const oauthGrant = pgTable(
  "oauth_grant",
  { ...columns, createdAt, userId: generated("user_id", "userId"), expiresAt: generated("expires_at", "expiresAt") },
  (t) => [
    primaryKey({ columns: [t.organizationId, t.id] }),
    index("oauth_grant_user").on(t.organizationId, t.userId, t.createdAt, t.id),
    index("oauth_grant_expiry").on(t.expiresAt),
  ],
);

/** Attempts to sign in, by a hash of what they were made at; what has not changed for a day has no meaning any more. */
export const signInAttempts = pgTable(
  "sign_in_attempts",
  { ...columns, updatedAt: generated("updated_at", "updatedAt") },
  (t) => [primaryKey({ columns: [t.organizationId, t.id] }), index("sign_in_attempts_updated").on(t.updatedAt)],
);

/** Sign-ins that go on in another request; the sweep takes them by their end. */
export const signInFlow = pgTable(
  "sign_in_flow",
  { ...columns, expiresAt: generated("expires_at", "expiresAt") },
  (t) => [primaryKey({ columns: [t.organizationId, t.id] }), index("sign_in_flow_expiry").on(t.expiresAt)],
);

/** Whose an identity at an OpenID provider is, by a hash of it. */
export const identityOwner = pgTable("identity_owner", columns, (t) => [
  primaryKey({ columns: [t.organizationId, t.id] }),
]);

/** The audit of an organization; the sweep takes its entries by their time. */
export const auditEntry = pgTable(
  "audit_entry",
  {
    ...columns,
    createdAt,
    action: generated("action", "action"),
    userId: generated("user_id", "userId"),
  },
  (t) => [
    primaryKey({ columns: [t.organizationId, t.id] }),
    index("audit_entry_newest").on(t.organizationId, t.createdAt, t.id),
    index("audit_entry_user").on(t.organizationId, t.userId, t.createdAt, t.id),
    index("audit_entry_action").on(t.organizationId, t.action, t.createdAt, t.id),
    index("audit_entry_created").on(t.createdAt),
  ],
);
