/**
 * The secrets of an organization (RUN-5): written and never read. A value is sealed here, before it
 * goes any further, so that no command, record, event or log line ever holds it.
 */
import { invalid, mapped, type Outcome } from "../../../actors/fault.ts";
import { unlessOwner } from "../../../actors/organization/principal.ts";
import type { SecretInfo } from "../../../actors/organization/protocol.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import { secretContext } from "../../../actors/sealing.ts";
import { ask } from "../../../actors/troupe.ts";
import { created, done } from "../../http/commit.ts";
import type { Handlers, Shown } from "../../http/operation.ts";
import { operationRoutes } from "../../http/operation-routes.ts";
import type { Surface } from "../../http/surface.ts";
import { Body } from "../../http/validation.ts";
import type { CurrentParts } from "../parts.ts";
import { secretOperations, type SecretView } from "./operations.ts";
import { PutSecretBody, SECRET_MAX_BYTES, SECRET_MIN, SECRET_NAME } from "./schema.ts";

const putBody = new Body(PutSecretBody);

export const secretRoutes = (current: Surface, parts: CurrentParts) =>
  operationRoutes(current, secretOperations, handlers(parts));

const handlers = ({ system, sealing }: CurrentParts): Handlers<typeof secretOperations.operations> => ({
  async listSecrets({ principal }) {
    const refused = unlessOwner(principal);
    if (refused !== null) return refused;
    const secrets = await system.dispatch(organizationRef(principal.organizationId), { kind: "list_secrets" });
    return mapped(secrets, (list) => ({ secrets: list.map(secretView) }));
  },

  async putSecret(call) {
    const { principal, params } = call;
    const name = params["name"] ?? "";
    const refused = unlessOwner(principal) ?? unlessName(name);
    if (refused !== null) return refused;
    const body = await call.body.as(putBody);
    if (!body.ok) return body;
    const { value } = body.value;
    if (value.length < SECRET_MIN) return invalid("/value", `Field value must have at least ${SECRET_MIN} characters`);
    if (Buffer.byteLength(value) > SECRET_MAX_BYTES)
      return invalid("/value", `Field value must have at most ${SECRET_MAX_BYTES} bytes`);
    const { organizationId } = principal;
    const sealed = sealing.seal("secret", value, secretContext(organizationId, name));
    const command = { kind: "put_secret", name, sealed } as const;
    return call.commit([ask(organizationRef(organizationId), command)], ({ secret, isNew }) =>
      isNew ? created(secretView(secret)) : done(secretView(secret)),
    );
  },

  async deleteSecret(call) {
    const { principal, params } = call;
    const refused = unlessOwner(principal);
    if (refused !== null) return refused;
    const command = { kind: "delete_secret", name: params["name"] ?? "" } as const;
    return call.commit([ask(organizationRef(principal.organizationId), command)], (secret) => done(secretView(secret)));
  },
});

const unlessName = (name: string): Outcome<never> | null =>
  SECRET_NAME.test(name)
    ? null
    : invalid("/name", "A name has 1 to 64 letters, digits, _, - and ., and begins with none of - and .");

const secretView = ({ name, createdAt, updatedAt }: SecretInfo): Shown<typeof SecretView> => ({
  name,
  created_at: createdAt,
  updated_at: updatedAt,
});
