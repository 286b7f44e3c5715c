/**
 * The secrets of an organization (RUN-5): write-only. A value is sealed here, first of all, so that no command,
 * record, event or log line ever holds it.
 */
import { invalid, mapped, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { canUse, type Principal } from "../../../actors/organization/principal.ts";
import type { SecretInfo } from "../../../actors/organization/protocol.ts";
import { organizationRef, type ProviderKey } from "../../../actors/organization/schema.ts";
import { secretContext } from "../../../actors/sealing.ts";
import { ask } from "../../../actors/troupe.ts";
import { originOf } from "../../http/request/caller.ts";
import { created, done } from "../../http/commit/commit.ts";
import type { Handlers, Shown } from "../../http/contract/operation.ts";
import { lookUp } from "../../log/look-up.ts";
import type { Services } from "../../operations/services.ts";
import { doneIf } from "../updating.ts";
import type { ProviderKeyView, secretOperations, SecretView } from "./operations.ts";
import { SECRET_MAX_BYTES, SECRET_MIN } from "./schema.ts";

export const secretHandlers: Handlers<typeof secretOperations.operations, Services> = {
  async listSecrets({ system }, { principal }) {
    const secrets = await system.dispatch(organizationRef(principal.organizationId), { kind: "list_secrets" });
    return mapped(secrets, (list) => ({ secrets: list.map(secretView) }));
  },

  async putSecret({ sealing }, change, { params: { name }, body: { value } }) {
    if (value.length < SECRET_MIN) return invalid("/value", `Field value must have at least ${SECRET_MIN} characters`);
    if (Buffer.byteLength(value) > SECRET_MAX_BYTES)
      return invalid("/value", `Field value must have at most ${SECRET_MAX_BYTES} bytes`);
    const { organizationId } = change.principal;
    const sealed = sealing.seal("secret", value, secretContext(organizationId, name));
    const command = { kind: "put_secret", name, sealed } as const;
    return change.commit([ask(organizationRef(organizationId), command)], ({ secret, isNew }) =>
      isNew ? created(secretView(secret)) : done(secretView(secret)),
    );
  },

  async deleteSecret(services, change, { params: { name }, query }) {
    const inUse = query.force === "true" ? ok(null) : await unlessInUse(services, change.principal, name);
    if (!inUse.ok) return inUse;
    const command = { kind: "delete_secret", name } as const;
    return change.commit([ask(organizationRef(change.principal.organizationId), command)], (secret) =>
      done(secretView(secret)),
    );
  },

  async listProviderKeys({ system }, { principal }) {
    const keys = await system.dispatch(organizationRef(principal.organizationId), { kind: "list_provider_keys" });
    return mapped(keys, (list) => ({ provider_keys: list.map(providerKeyView) }));
  },

  async putProviderKey(_services, change, { params: { provider }, body: { secret } }) {
    const command = { kind: "put_provider_key", provider, secret, origin: originOf(change) } as const;
    return change.commit(
      [ask(organizationRef(change.principal.organizationId), command)],
      ({ key, isNew, isUnchanged }) =>
        isNew ? created(providerKeyView(key)) : doneIf(!isUnchanged, providerKeyView(key)),
    );
  },

  async deleteProviderKey(_services, change, { params: { provider } }) {
    const command = { kind: "delete_provider_key", provider, origin: originOf(change) } as const;
    return change.commit([ask(organizationRef(change.principal.organizationId), command)], (key) =>
      done(providerKeyView(key)),
    );
  },
};

/** Refuses if an agent or a repository uses the secret. Other people's private agents are counted, not named. */
async function unlessInUse(
  { system, directory, log }: Services,
  by: Principal,
  secret: string,
): Promise<Outcome<null>> {
  const known = await system.dispatch(organizationRef(by.organizationId), { kind: "list_secrets" });
  // A missing secret is 404 for every caller.
  if (!known.ok || !known.value.some(({ name }) => name === secret)) return known.ok ? ok(null) : known;
  const settled = await system.settled(by.organizationId);
  if (!settled.ok) return settled;
  const users = await lookUp(log, directory.usersOfSecret(by.organizationId, secret));
  if (!users.ok) return users;
  const { agents: all, workspaces } = users.value;
  const keys = await system.dispatch(organizationRef(by.organizationId), { kind: "list_provider_keys" });
  if (!keys.ok) return keys;
  const providers = keys.value.flatMap((key) => (key.secret === secret ? [key.provider] : []));
  if (all.length + workspaces.length + providers.length === 0) return ok(null);
  const agents = all.filter((agent) => canUse(agent, by));
  return refuse({ kind: "secret_in_use", agents, workspaces, providers, others: all.length - agents.length });
}

const providerKeyView = ({ provider, secret, createdAt, updatedAt }: ProviderKey): Shown<typeof ProviderKeyView> => ({
  provider,
  secret,
  created_at: createdAt,
  updated_at: updatedAt,
});

const secretView = ({ name, createdAt, updatedAt }: SecretInfo): Shown<typeof SecretView> => ({
  name,
  created_at: createdAt,
  updated_at: updatedAt,
});
