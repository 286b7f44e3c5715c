/**
 * The secrets of an organization (RUN-5), as sealed texts: neither this actor nor the tables know their values. All are
 * in one record, so their number is easy to bound, and a deleted one leaves nothing behind.
 */
import { notFound, ok, refuse } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import type { OrganizationProtocol, SecretInfo } from "./protocol.ts";
import { MAX_SECRETS, type Secret, secretTable } from "./schema.ts";

export const secretCommandHandlers = {
  put_secret(tx, { name, sealed }) {
    const secrets = readSecrets(tx);
    const former = secrets.find((secret) => secret.name === name);
    if (former === undefined && secrets.length >= MAX_SECRETS)
      return refuse({ kind: "quota_exceeded", quota: "secrets", limit: MAX_SECRETS, used: secrets.length });
    const now = isoTime(tx.now);
    const secret: Secret = { name, sealed, createdAt: former?.createdAt ?? now, updatedAt: now };
    const others = secrets.filter((other) => other.name !== name);
    // Names are ASCII, so this is byte order.
    keepSecrets(
      tx,
      [...others, secret].sort((a, b) => (a.name < b.name ? -1 : 1)),
    );
    return ok({ secret: secretInfo(secret), isNew: former === undefined });
  },

  delete_secret(tx, { name }) {
    const secrets = readSecrets(tx);
    const secret = secrets.find((other) => other.name === name);
    if (secret === undefined) return notFound("secret");
    keepSecrets(
      tx,
      secrets.filter((other) => other !== secret),
    );
    return ok(secretInfo(secret));
  },

  read_secret(tx, { name }) {
    const secret = readSecrets(tx).find((other) => other.name === name);
    return secret === undefined ? notFound("secret") : ok(secret.sealed);
  },

  read_sealed_secrets: (tx) => ok(readSecrets(tx).map(({ name, sealed }) => ({ name, sealed }))),

  reseal_secrets(tx, { resealed }) {
    const fresh = new Map(resealed.map(({ former, sealed }) => [former, sealed]));
    const secrets = readSecrets(tx);
    const count = secrets.filter(({ sealed }) => fresh.has(sealed)).length;
    if (count > 0)
      keepSecrets(
        tx,
        secrets.map((secret) => ({ ...secret, sealed: fresh.get(secret.sealed) ?? secret.sealed })),
      );
    return ok(count);
  },

  list_secrets: (tx) => ok(readSecrets(tx).map(secretInfo)),
} satisfies Partial<Handlers<OrganizationProtocol>>;

const readSecrets = (tx: Tx): readonly Secret[] => tx.read(secretTable, tx.self.id)?.secrets ?? [];

function keepSecrets(tx: Tx, secrets: Secret[]): void {
  const record = tx.read(secretTable, tx.self.id);
  if (record === null) tx.create(secretTable, { id: tx.self.id, secrets });
  else tx.update(secretTable, { ...record, secrets });
}

const secretInfo = ({ name, createdAt, updatedAt }: Secret): SecretInfo => ({ name, createdAt, updatedAt });
