/**
 * Keys of an organization for model providers (RUN-5): a provider names the secret whose value its calls use, in place
 * of the operator's key. They are in the record of the secrets, so a key and its secret are read together.
 *
 *   set ─▶ calls of the next steps use the secret's current value
 *   the secret is gone, or the provider refuses it ─▶ jobs fail; the operator's key is never used instead
 */
import { invalid, notFound, ok } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { noteInAudit } from "./audit.ts";
import type { OrganizationProtocol } from "./protocol.ts";
import { type ProviderKey, type SecretBook, secretTable } from "./schema.ts";

export const providerKeyHandlers = {
  put_provider_key(tx, { provider, secret, origin }) {
    const book = bookOf(tx);
    if (book === null || !book.secrets.some(({ name }) => name === secret))
      return invalid("/secret", `There is no secret ${secret}: store it first with PUT /api/secrets/${secret}`);
    const { providerKeys = [] } = book;
    const former = providerKeys.find((key) => key.provider === provider);
    if (former?.secret === secret) return ok({ key: former, isNew: false, isUnchanged: true });
    const now = isoTime(tx.now);
    const key: ProviderKey = { provider, secret, createdAt: former?.createdAt ?? now, updatedAt: now };
    const others = providerKeys.filter((other) => other !== former);
    keepProviderKeys(
      tx,
      book,
      [...others, key].sort((a, b) => (a.provider < b.provider ? -1 : 1)),
    );
    noteInAudit(tx, { action: "provider_key.set", subjectId: provider, detail: secret }, origin);
    return ok({ key, isNew: former === undefined, isUnchanged: false });
  },

  delete_provider_key(tx, { provider, origin }) {
    const book = bookOf(tx);
    const { providerKeys = [] } = book ?? {};
    const key = providerKeys.find((other) => other.provider === provider);
    if (book === null || key === undefined) return notFound("provider_key");
    keepProviderKeys(
      tx,
      book,
      providerKeys.filter((other) => other !== key),
    );
    noteInAudit(tx, { action: "provider_key.removed", subjectId: provider, detail: key.secret }, origin);
    return ok(key);
  },

  list_provider_keys: (tx) => ok(bookOf(tx)?.providerKeys ?? []),

  read_provider_key: (tx, { provider }) =>
    ok(bookOf(tx)?.providerKeys?.find((key) => key.provider === provider)?.secret ?? null),
} satisfies Partial<Handlers<OrganizationProtocol>>;

const bookOf = (tx: Tx): SecretBook | null => tx.read(secretTable, tx.self.id);

function keepProviderKeys(tx: Tx, book: SecretBook, providerKeys: ProviderKey[]): void {
  tx.update(secretTable, { ...book, providerKeys });
}
