/** What there is to do with the secrets of an organization (RUN-5). */
import { Timestamp, Type } from "../../../actors/schema.ts";
import { noun, Text } from "../../http/noun.ts";
import { operationGroup } from "../../http/operation.ts";
import { PutSecretBody } from "./schema.ts";

const Name = Text("The name of the secret: 1 to 64 letters, digits, `_`, `-` and `.`", "GITHUB_TOKEN");
const params = { name: Name };

export const SecretView = noun("Secret", "A value that is written and never read; agents refer to it by its name", {
  name: Name,
  created_at: Timestamp,
  updated_at: Timestamp,
});

export const secretOperations = operationGroup("Secrets", "Credentials that agents use and nobody reads; for owners", {
  listSecrets: {
    method: "GET",
    path: "/api/secrets",
    scope: "tokens:read",
    summary: "List the names of the secrets",
    answers: { 200: noun("SecretList", "All secrets, by name", { secrets: Type.Array(SecretView) }) },
    errors: ["owner_required"],
  },
  putSecret: {
    method: "PUT",
    path: "/api/secrets/{name}",
    scope: "tokens:write",
    summary: "Write a secret",
    description: "Makes it, or replaces its value.",
    params,
    body: PutSecretBody,
    answers: { 200: SecretView, 201: SecretView },
    errors: ["owner_required"],
    emits: "resource.updated",
  },
  deleteSecret: {
    method: "DELETE",
    path: "/api/secrets/{name}",
    scope: "tokens:write",
    summary: "Delete a secret",
    params,
    answers: { 200: SecretView },
    errors: ["owner_required", "not_found"],
    emits: "resource.deleted",
  },
});
