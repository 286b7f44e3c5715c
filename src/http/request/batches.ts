/**
 * The messages in the body of one request. If it has several, each counts as a request, takes a turn of its organization
 * (`fair-turns.ts`) and is charged like a request, so that a batch gives its sender nothing that the same messages one
 * by one would not.
 */
import { ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { CROWDED } from "../admission/fair-turns.ts";
import { LONG_BODY_BYTES } from "../body/long-bodies.ts";
import { type Caller, chargeTo, timedBy } from "./caller.ts";
import { Exchange } from "./exchange.ts";
import type { SurfaceParts } from "./surface-parts.ts";

type BatchesParts = Pick<SurfaceParts, "admission" | "longBodies" | "system" | "turns">;

export class Batches {
  private readonly parts: BatchesParts;

  constructor(parts: BatchesParts) {
    this.parts = parts;
  }

  /**
   * Parses messages: at once and charged to the caller, or if they are long in a slice of the organization (FAIR-7).
   * While they wait for it, they count among the bodies of requests (FAIR-5).
   */
  async parse<T>(caller: Caller, bytes: number, parse: () => T): Promise<Outcome<T>> {
    const { organizationId } = caller.principal;
    const hold = bytes > LONG_BODY_BYTES && caller instanceof Exchange ? caller.bodies.begin(bytes) : null;
    if (hold?.ok === false) return hold;
    try {
      return ok(await this.parts.longBodies.parse(organizationId, bytes, () => chargeTo(caller, parse)));
    } finally {
      hold?.value.release();
    }
  }

  /** Counts all messages of a batch; its request has already counted as one. Refuses the whole batch if it must. */
  async count(caller: Caller, messages: number): Promise<Outcome<null>> {
    // Callers without HTTP have no limits.
    if (messages < 2 || !(caller instanceof Exchange)) return ok(null);
    return this.parts.admission.countMore(caller, messages - 1);
  }

  /**
   * Does a message's work in a turn of the organization, at a later turn of the loop. What it charges to the caller
   * that it is given is the cost of the turn, as for a request.
   */
  async inTurn<T>(caller: Caller, work: (by: Caller) => Promise<T>): Promise<Outcome<T>> {
    const { turns, system } = this.parts;
    const { organizationId } = caller.principal;
    await new Promise<void>((resolve) => void setImmediate(resolve));
    const isTurn = (await turns.enter(organizationId)) ?? true;
    if (!isTurn) return refuse(CROWDED);
    let spentMs = 0;
    const timed = <V>(run: () => V): V => {
      const from = system.loopTime.begin("requests", organizationId, "message of a batch");
      try {
        return chargeTo(caller, run);
      } finally {
        spentMs += system.loopTime.end(from, organizationId, "requests");
      }
    };
    try {
      return ok(await timed(() => work(timedBy(caller, timed))));
    } finally {
      turns.cost(organizationId, spentMs);
    }
  }
}
