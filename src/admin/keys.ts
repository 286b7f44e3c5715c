/**
 * `secrets rotate-key`: seals again, under the present key, whatever was sealed under a former key of the
 * service. The organizations' actors replace a text only if it is still the one that was read, so a secret that
 * is set meanwhile stays. Then all texts are read again from the tables; once every one opens under the present
 * key alone, the database belongs to that key.
 */
import { type Resealed, type SealingContext, type SealingPurpose, secretContext } from "../../actors/sealing.ts";
import { connectionContext, connectionRef } from "../../actors/connection/schema.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import { messengerContext, reachRef } from "../../actors/reach/schema.ts";
import { signingContext } from "../../actors/webhook/schema.ts";
import { webhookRef } from "../../actors/webhook/events.ts";
import type { SealedTexts } from "../../db/key-rotation.ts";
import { keyCheckOf } from "../service/service-key.ts";
import { AdminRefused } from "./arguments.ts";
import type { AdminParts } from "../service/admin-door.ts";
import { type AdminCommand, valueOrRefuse } from "./subjects.ts";

/** Organizations whose sealed texts are in memory at once. */
const SEALED_PAGE = 50;
/** At most so many names of unopened texts are reported. */
const UNOPENED_SHOWN = 20;

export const KEY_COMMANDS: Readonly<Record<string, AdminCommand>> = {
  async "secrets rotate-key"(parts) {
    const { keyRotation, sealing } = parts;
    const check = keyCheckOf(sealing);
    const others = await keyRotation.sealingOtherwise(check);
    if (others.length > 0)
      throw new AdminRefused(
        `${others.map(({ address }) => address).join(", ")} still ${others.length === 1 ? "seals" : "seal"} under another key: start it anew with the same TROUPE_SECRET as this replica first`,
      );
    const count = { organizations: 0, secrets: 0, signing: 0, messengers: 0, connections: 0 };
    for await (const of of pages(parts)) {
      count.organizations++;
      count.secrets += await resealSecrets(parts, of);
      count.signing += (await resealSigning(parts, of)) + (await resealPushes(parts, of));
      count.messengers += await resealMessengers(parts, of);
      count.connections += await resealConnections(parts, of);
      valueOrRefuse(await parts.system.settled(of.organizationId));
    }
    const left = await stillSealed(parts);
    if (left.length > 0)
      throw new AdminRefused(
        `These cannot be decrypted with any key that the service has: ${left.slice(0, UNOPENED_SHOWN).join(", ")}${left.length > UNOPENED_SHOWN ? ` and ${left.length - UNOPENED_SHOWN} more` : ""}. ` +
          "Add the key that encrypted them to TROUPE_OTHER_SECRETS, or have them set again; then repeat this command",
      );
    await keyRotation.belongsTo(check);
    return {
      text:
        `${count.secrets} secrets, ${count.signing} signing secrets, ${count.messengers} addresses of messengers and ${count.connections} texts of connections of ${count.organizations} organizations were encrypted anew; all open under the present key alone.\n` +
        "Leave the former key in TROUPE_OTHER_SECRETS for a day: answers that are kept for Idempotency-Key, and forms on screens, still need it. Programs that have not refreshed their sign-in since the change have to sign in again once it is gone.",
      json: { ...count, key_check: check },
    };
  },
};

async function* pages({ keyRotation }: AdminParts): AsyncGenerator<SealedTexts> {
  let after = "";
  for (;;) {
    const page = await keyRotation.after(after, SEALED_PAGE);
    if (page.length === 0) return;
    yield* page;
    after = page.at(-1)?.organizationId ?? after;
  }
}

async function resealSecrets(parts: AdminParts, { organizationId, secrets }: SealedTexts): Promise<number> {
  const resealed = secrets.flatMap(({ name, sealed }) =>
    resealedUnder(parts, "secret", sealed, secretContext(organizationId, name)),
  );
  if (resealed.length === 0) return 0;
  return valueOrRefuse(
    await parts.system.dispatch(organizationRef(organizationId), { kind: "reseal_secrets", resealed }),
  );
}

async function resealSigning(parts: AdminParts, { organizationId, signing }: SealedTexts): Promise<number> {
  const resealed = signing.flatMap((sealed) => resealedUnder(parts, "webhook", sealed, signingContext(organizationId)));
  if (resealed.length === 0) return 0;
  return valueOrRefuse(await parts.system.dispatch(webhookRef(organizationId), { kind: "reseal_signing", resealed }));
}

async function resealPushes(parts: AdminParts, { organizationId, pushes }: SealedTexts): Promise<number> {
  let count = 0;
  for (const { jobId, sealed } of pushes) {
    const resealed = resealedUnder(parts, "webhook", sealed, signingContext(organizationId));
    if (resealed.length === 0) continue;
    const command = { kind: "reseal_pushes", jobId, resealed } as const;
    count += valueOrRefuse(await parts.system.dispatch(webhookRef(organizationId), command));
  }
  return count;
}

async function resealMessengers(parts: AdminParts, { organizationId, messengers }: SealedTexts): Promise<number> {
  const context = messengerContext(organizationId);
  const resealed = messengers.flatMap((sealed) => resealedUnder(parts, "webhook", sealed, context));
  if (resealed.length === 0) return 0;
  return valueOrRefuse(await parts.system.dispatch(reachRef(organizationId), { kind: "reseal_messengers", resealed }));
}

async function resealConnections(parts: AdminParts, { organizationId, connections }: SealedTexts): Promise<number> {
  let count = 0;
  for (const [id, texts] of Map.groupBy(connections, (one) => one.id)) {
    const resealed = texts.flatMap(({ sealed }) =>
      resealedUnder(parts, "connection", sealed, connectionContext(organizationId, id)),
    );
    const ref = connectionRef(organizationId, id);
    if (resealed.length > 0)
      count += valueOrRefuse(await parts.system.dispatch(ref, { kind: "reseal_connection", resealed }));
  }
  return count;
}

/** The same text under the present key; empty if it is already sealed under that key, or opens under none. */
function resealedUnder(
  { sealing }: AdminParts,
  purpose: SealingPurpose,
  former: string,
  context: SealingContext,
): readonly Resealed[] {
  if (sealing.isPresent(purpose, former, context)) return [];
  const plain = sealing.open(purpose, former, context);
  return plain === null ? [] : [{ former, sealed: sealing.seal(purpose, plain, context) }];
}

/** The texts in the tables that do not open under the present key. */
async function stillSealed(parts: AdminParts): Promise<readonly string[]> {
  const left: string[] = [];
  for await (const { organizationId, secrets, signing, pushes, messengers, connections } of pages(parts)) {
    for (const { id, sealed } of connections)
      if (!parts.sealing.isPresent("connection", sealed, connectionContext(organizationId, id)))
        left.push(`the connection ${id} of ${organizationId}`);
    for (const { name, sealed } of secrets)
      if (!parts.sealing.isPresent("secret", sealed, secretContext(organizationId, name)))
        left.push(`the secret ${name} of ${organizationId}`);
    for (const sealed of signing)
      if (!parts.sealing.isPresent("webhook", sealed, signingContext(organizationId)))
        left.push(`a signing secret of ${organizationId}`);
    for (const sealed of messengers)
      if (!parts.sealing.isPresent("webhook", sealed, messengerContext(organizationId)))
        left.push(`the address of a messenger of ${organizationId}`);
    for (const { jobId, sealed } of pushes)
      if (!parts.sealing.isPresent("webhook", sealed, signingContext(organizationId)))
        left.push(`the credentials of a push notification of ${jobId} of ${organizationId}`);
  }
  return left;
}
