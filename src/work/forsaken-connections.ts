/**
 * Ends the connections of a person who was removed from an organization (ACC-15), after the commit of the removal. It may
 * be repeated: a connection that has ended stays as it is, and so does one that the person has made after a return.
 */
import type { ConnectionDirectory } from "../../actors/connection/protocol.ts";
import { connectionRef } from "../../actors/connection/schema.ts";
import type { Outcome } from "../../actors/fault.ts";
import { FORSAKE_CONNECTIONS } from "../../actors/organization/members.ts";
import type { ForsakingIntent } from "../../actors/organization/protocol.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import { type BackoffParts, decidedUnlessAborted } from "../../actors/runtime/backoff.ts";
import type { EffectContext, EffectHandler } from "../../actors/runtime/outputs/effects.ts";
import type { EffectRow } from "../../actors/runtime/store.ts";
import { ask, type TroupeSystem } from "../../actors/troupe.ts";
import { lookUp } from "../log/look-up.ts";
import type { HttpLog } from "../log/port.ts";

export interface ForsakingParts {
  readonly system: Pick<TroupeSystem, "dispatch" | "dispatchGroup" | "settled">;
  readonly connections: Pick<ConnectionDirectory, "connectionsOf">;
  readonly pauses: BackoffParts;
  readonly log: HttpLog;
}

const FORSAKING_PAUSES = { firstMs: 50, lastMs: 5_000 };
const CONNECTIONS_PAGE = 100;

export function forsakingEffects(parts: ForsakingParts) {
  return {
    [FORSAKE_CONNECTIONS]: {
      run: (effect, context) => forsake(parts, effect, context),
      recover: (effect, context) => settleForsaking(parts, effect, context, forsakingIn(effect)),
    },
  } satisfies Readonly<Record<string, EffectHandler>>;
}

const forsakingIn = ({ intent }: EffectRow): ForsakingIntent => intent as ForsakingIntent;

async function forsake(parts: ForsakingParts, effect: EffectRow, context: EffectContext): Promise<void> {
  const { organizationId } = effect;
  const { userId, removedAt, origin } = forsakingIn(effect);
  const { system, connections } = parts;
  if ((await untilAnswered(parts, context, () => system.settled(organizationId))) === null) return;
  for (let last = ""; ;) {
    const page = await untilAnswered(parts, context, () =>
      lookUp(parts.log, connections.connectionsOf({ organizationId, userId }, last, CONNECTIONS_PAGE)),
    );
    if (page === null || !page.ok) return;
    for (const id of page.value) {
      const command = { kind: "forsake_connection", removedAt, origin } as const;
      const told = await untilAnswered(parts, context, () =>
        system.dispatch(connectionRef(organizationId, id), command),
      );
      if (told === null) return;
    }
    if (page.value.length < CONNECTIONS_PAGE) break;
    last = page.value.at(-1) ?? last;
  }
  await settleForsaking(parts, effect, context, null);
}

async function settleForsaking(
  parts: ForsakingParts,
  { id: effectId, organizationId }: EffectRow,
  context: EffectContext,
  again: ForsakingIntent | null,
): Promise<void> {
  const member = ask(organizationRef(organizationId), { kind: "connections_forsaken", effectId, again });
  await untilAnswered(parts, context, () => parts.system.dispatchGroup([member], { epoch: context.epoch }));
}

/** Repeats it while it fails for a passing reason; null when the effect is over. */
const untilAnswered = <T>(
  { pauses }: ForsakingParts,
  { signal }: EffectContext,
  attempt: () => Promise<Outcome<T>>,
): Promise<Outcome<T> | null> => decidedUnlessAborted(pauses, FORSAKING_PAUSES, signal, attempt);
