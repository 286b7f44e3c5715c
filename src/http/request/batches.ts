/**
 * One request that contains several messages. Each message counts as a request and takes a turn of its organization
 * (`fair-turns.ts`), so that a batch gives its sender nothing that the same messages one by one would not.
 */
import { ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { CROWDED } from "../admission/fair-turns.ts";
import type { Caller } from "./caller.ts";
import { Exchange } from "./exchange.ts";
import type { SurfaceParts } from "./surface-parts.ts";

export class Batches {
  private readonly parts: Pick<SurfaceParts, "admission" | "system" | "turns">;

  constructor(parts: Pick<SurfaceParts, "admission" | "system" | "turns">) {
    this.parts = parts;
  }

  /** Counts all messages of a batch; its request has already counted as one. Refuses the whole batch if it must. */
  async count(caller: Caller, messages: number): Promise<Outcome<null>> {
    // Callers without HTTP have no limits.
    if (messages < 2 || !(caller instanceof Exchange)) return ok(null);
    return this.parts.admission.countMore(caller, messages - 1);
  }

  /** Does the synchronous part of a message's work in a turn of the organization, at a later turn of the loop. */
  async inTurn<T>({ principal: { organizationId } }: Pick<Caller, "principal">, work: () => T): Promise<Outcome<T>> {
    const { turns, system } = this.parts;
    await new Promise<void>((resolve) => void setImmediate(resolve));
    const isTurn = (await turns.enter(organizationId)) ?? true;
    if (!isTurn) return refuse(CROWDED);
    const from = system.loopTime.begin("requests", organizationId, "message of a batch");
    try {
      return ok(work());
    } finally {
      turns.cost(organizationId, system.loopTime.end(from, organizationId, "requests"));
    }
  }
}
