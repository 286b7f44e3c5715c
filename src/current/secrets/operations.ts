/** Operations on the secrets of an organization (RUN-5). */
import { KEYED_PROVIDERS } from "../../../actors/organization/schema.ts";
import { OneOf, Timestamp, Type } from "../../../actors/schema.ts";
import { noun, Text } from "../../http/contract/noun.ts";
import { operationGroup } from "../../http/contract/operation.ts";
import { PutProviderKeyBody, PutSecretBody, WrittenName } from "./schema.ts";

const Name = Text("The name of the secret: 1 to 64 letters, digits, `_`, `-` and `.`", "GITHUB_TOKEN");

export const SecretView = noun("Secret", "A value that is written and never read; agents refer to it by its name", {
  name: Name,
  created_at: Timestamp,
  updated_at: Timestamp,
});

const Provider = OneOf(KEYED_PROVIDERS, { description: "A provider of models", examples: ["anthropic"] });

export const ProviderKeyView = noun(
  "ProviderKey",
  "Calls of this provider are made with the value of this secret, in place of the operator's key",
  {
    provider: Provider,
    secret: Text("The name of the secret with the key", "ANTHROPIC_KEY"),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
);

export const secretOperations = operationGroup("Secrets", "Write-only credentials for agents; for owners", {
  listSecrets: {
    method: "GET",
    path: "/api/secrets",
    scope: "tokens:read",
    isForOwners: true,
    summary: "List the names of the secrets",
    answers: { 200: noun("SecretList", "All secrets, by name", { secrets: Type.Array(SecretView) }) },
  },
  putSecret: {
    method: "PUT",
    path: "/api/secrets/{name}",
    scope: "tokens:write",
    isForOwners: true,
    summary: "Write a secret",
    description: "Creates it, or replaces its value.",
    params: { name: WrittenName(Name) },
    body: PutSecretBody,
    answers: { 200: SecretView, 201: SecretView },
    emits: "resource.updated",
  },
  deleteSecret: {
    method: "DELETE",
    path: "/api/secrets/{name}",
    scope: "tokens:write",
    isForOwners: true,
    summary: "Delete a secret",
    description: "One that agents or repositories of workspaces name is deleted with `force` only.",
    params: { name: Name },
    query: { force: OneOf(["true", "false"] as const, { description: "Deletes it also where it is in use" }) },
    answers: { 200: SecretView },
    errors: ["not_found", "secret_in_use"],
    emits: "resource.deleted",
  },
  listProviderKeys: {
    method: "GET",
    path: "/api/provider-keys",
    scope: "tokens:read",
    isForOwners: true,
    summary: "List the organization's own keys for providers of models",
    answers: {
      200: noun("ProviderKeyList", "All keys, by provider", {
        provider_keys: Type.Array(ProviderKeyView, { description: "Each provider once" }),
      }),
    },
  },
  putProviderKey: {
    method: "PUT",
    path: "/api/provider-keys/{provider}",
    scope: "secrets:use",
    isForOwners: true,
    summary: "Have a provider's calls made with a key of the organization",
    description:
      "Takes effect with the next model call, also of running jobs. To rotate the key, write the secret again. If the key cannot be used, jobs fail with `provider_key_rejected`; the operator's key is never used instead.",
    params: { provider: Provider },
    body: PutProviderKeyBody,
    answers: { 200: ProviderKeyView, 201: ProviderKeyView },
    emits: "resource.updated",
  },
  deleteProviderKey: {
    method: "DELETE",
    path: "/api/provider-keys/{provider}",
    scope: "secrets:use",
    isForOwners: true,
    summary: "Have a provider's calls made with the operator's key again",
    params: { provider: Provider },
    answers: { 200: ProviderKeyView },
    errors: ["not_found"],
    emits: "resource.deleted",
  },
});
