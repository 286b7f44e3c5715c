/**
 * The secrets of an organization (RUN-5): write-only. A value is sealed here, first of all, so that no command,
 * record, event or log line ever holds it.
 */
import { invalid, mapOutcome, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { canUse, type Principal } from "../../../actors/organization/principal.ts";
import type { SecretInfo } from "../../../actors/organization/protocol.ts";
import { organizationRef, type ProviderKey } from "../../../actors/organization/schema.ts";
import { OneOf, Timestamp, Type } from "../../../actors/schema.ts";
import { USUAL_PROVIDERS } from "../../../actors/job/model-provider.ts";
import { didYouMean } from "../../../actors/near-name.ts";
import { secretContext } from "../../../actors/sealing.ts";
import { ask } from "../../../actors/troupe.ts";
import { created, done } from "../../http/commit/commit.ts";
import { fieldsFrom, noun, Text } from "../../http/contract/noun.ts";
import type { Shown } from "../../http/contract/operation.ts";
import { originOf } from "../../http/request/caller.ts";
import { operation } from "../../operations/operation.ts";
import type { Services } from "../../operations/services.ts";
import { doneIf } from "../updating.ts";
import { PutProviderKeyBody, PutSecretBody, SECRET_MAX_BYTES, SECRET_MIN, WrittenName } from "./schema.ts";

const SecretName = Text("The name of the secret: 1 to 64 letters, digits, `_`, `-` and `.`", "GITHUB_TOKEN");

export const SecretView = noun("Secret", "A write-only value that agents refer to by its name", {
  name: SecretName,
  created_at: Timestamp,
  updated_at: Timestamp,
});

const Provider = Text(
  "A provider of models: the part before the colon in the names of its models, as `GET /api/models` shows them",
  "anthropic",
);

export const ProviderKeyView = noun(
  "ProviderKey",
  "The secret whose value is used for calls to this provider, instead of the operator's key",
  {
    provider: Provider,
    secret: Text("The name of the secret with the key", "ANTHROPIC_KEY"),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
);

export const secretOperations = {
  listSecrets: operation(
    {
      method: "GET",
      path: "/api/secrets",
      scope: "tokens:read",
      isForOwners: true,
      summary: "List the names of the secrets",
      answers: { 200: noun("SecretList", "All secrets, by name", { secrets: Type.Array(SecretView) }) },
    },
    async ({ system }, { principal }) => {
      const secrets = await system.dispatch(organizationRef(principal.organizationId), { kind: "list_secrets" });
      return mapOutcome(secrets, (list) => ({ secrets: list.map(secretView) }));
    },
  ),

  putSecret: operation(
    {
      method: "PUT",
      path: "/api/secrets/{name}",
      scope: "tokens:write",
      isForOwners: true,
      summary: "Write a secret",
      description: "Creates it, or replaces its value.",
      params: { name: WrittenName(SecretName) },
      body: PutSecretBody,
      answers: { 200: SecretView, 201: SecretView },
      emits: "resource.updated",
    },
    async ({ sealing }, change, { params: { name }, body: { value } }) => {
      if (value.length < SECRET_MIN)
        return invalid("/value", `Field value must have at least ${SECRET_MIN} characters`);
      if (Buffer.byteLength(value) > SECRET_MAX_BYTES)
        return invalid("/value", `Field value must have at most ${SECRET_MAX_BYTES} bytes`);
      const { organizationId } = change.principal;
      const sealed = sealing.seal("secret", value, secretContext(organizationId, name));
      const command = { kind: "put_secret", name, sealed } as const;
      return change.commit([ask(organizationRef(organizationId), command)], ({ secret, isNew }) =>
        isNew ? created(secretView(secret)) : done(secretView(secret)),
      );
    },
  ),

  deleteSecret: operation(
    {
      method: "DELETE",
      path: "/api/secrets/{name}",
      scope: "tokens:write",
      isForOwners: true,
      summary: "Delete a secret",
      description: "A secret that agents or repositories use is deleted only with `force`.",
      params: { name: SecretName },
      query: { force: OneOf(["true", "false"] as const, { description: "Deletes the secret even if it is in use" }) },
      answers: { 200: SecretView },
      errors: ["not_found", "secret_in_use"],
      emits: "resource.deleted",
    },
    async (services, change, { params: { name }, query }) => {
      const inUse = query.force === "true" ? ok(null) : await unlessInUse(services, change.principal, name);
      if (!inUse.ok) return inUse;
      const command = { kind: "delete_secret", name } as const;
      return change.commit([ask(organizationRef(change.principal.organizationId), command)], (secret) =>
        done(secretView(secret)),
      );
    },
  ),

  listProviderKeys: operation(
    {
      method: "GET",
      path: "/api/provider-keys",
      scope: "tokens:read",
      isForOwners: true,
      summary: "List the organization's own keys for providers of models",
      answers: {
        200: noun("ProviderKeyList", "All keys, by provider", {
          provider_keys: Type.Array(ProviderKeyView, { description: "One entry per provider" }),
        }),
      },
    },
    async ({ system }, { principal }) => {
      const keys = await system.dispatch(organizationRef(principal.organizationId), { kind: "list_provider_keys" });
      return mapOutcome(keys, (list) => ({ provider_keys: list.map(providerKeyView) }));
    },
  ),

  putProviderKey: operation(
    {
      method: "PUT",
      path: "/api/provider-keys/{provider}",
      scope: "secrets:use",
      isForOwners: true,
      summary: "Use the organization's own key for a provider",
      description:
        "Takes effect with the next model call, also in running jobs. To rotate the key, write the secret again. If the provider rejects the key, jobs fail with `provider_key_rejected`; the operator's key is never used instead.",
      params: { provider: Provider },
      body: PutProviderKeyBody,
      answers: { 200: ProviderKeyView, 201: ProviderKeyView },
      emits: "resource.updated",
    },
    async ({ models }, change, { params: { provider }, body: { secret } }) => {
      const known = models.keyedProviders?.() ?? USUAL_PROVIDERS;
      if (!known.includes(provider)) {
        const words = didYouMean(provider, known) || `; there are ${known.join(", ")}`;
        return invalid("/provider", `No provider of models has this name${words}`);
      }
      const command = { kind: "put_provider_key", provider, secret, origin: originOf(change) } as const;
      return change.commit(
        [ask(organizationRef(change.principal.organizationId), command)],
        ({ key, isNew, isUnchanged }) =>
          isNew ? created(providerKeyView(key)) : doneIf(!isUnchanged, providerKeyView(key)),
      );
    },
  ),

  deleteProviderKey: operation(
    {
      method: "DELETE",
      path: "/api/provider-keys/{provider}",
      scope: "secrets:use",
      isForOwners: true,
      summary: "Use the operator's key for a provider again",
      params: { provider: Provider },
      answers: { 200: ProviderKeyView },
      errors: ["not_found"],
      emits: "resource.deleted",
    },
    async (_services, change, { params: { provider } }) => {
      const command = { kind: "delete_provider_key", provider, origin: originOf(change) } as const;
      return change.commit([ask(organizationRef(change.principal.organizationId), command)], (key) =>
        done(providerKeyView(key)),
      );
    },
  ),
};

/** Refuses if an agent or a repository uses the secret. Other people's private agents are counted, not named. */
async function unlessInUse(
  { system, directory, readCommitted }: Services,
  by: Principal,
  secret: string,
): Promise<Outcome<null>> {
  const known = await system.dispatch(organizationRef(by.organizationId), { kind: "list_secrets" });
  // A missing secret is 404 for every caller.
  if (!known.ok || !known.value.some(({ name }) => name === secret)) return known.ok ? ok(null) : known;
  const users = await readCommitted(by.organizationId, () => directory.usersOfSecret(by.organizationId, secret));
  if (!users.ok) return users;
  const { agents: all, workspaces } = users.value;
  const keys = await system.dispatch(organizationRef(by.organizationId), { kind: "list_provider_keys" });
  if (!keys.ok) return keys;
  const providers = keys.value.flatMap((key) => (key.secret === secret ? [key.provider] : []));
  if (all.length + workspaces.length + providers.length === 0) return ok(null);
  const agents = all.filter((agent) => canUse(agent, by));
  return refuse({ kind: "secret_in_use", agents, workspaces, providers, others: all.length - agents.length });
}

const providerKeyView: (key: ProviderKey) => Shown<typeof ProviderKeyView> = fieldsFrom(ProviderKeyView);

const secretView: (secret: SecretInfo) => Shown<typeof SecretView> = fieldsFrom(SecretView);
