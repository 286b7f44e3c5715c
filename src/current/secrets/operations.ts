/** What there is to do with the secrets of an organization (RUN-5). */
import { OneOf, Timestamp, Type } from "../../../actors/schema.ts";
import { noun, Text } from "../../http/contract/noun.ts";
import { operationGroup } from "../../http/contract/operation.ts";
import { PutSecretBody, WrittenName } from "./schema.ts";

const Name = Text("The name of the secret: 1 to 64 letters, digits, `_`, `-` and `.`", "GITHUB_TOKEN");

export const SecretView = noun("Secret", "A value that is written and never read; agents refer to it by its name", {
  name: Name,
  created_at: Timestamp,
  updated_at: Timestamp,
});

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
});
