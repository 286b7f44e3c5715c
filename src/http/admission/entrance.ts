/**
 * Lets requests in to operations, or refuses them.
 *
 *   the owner of the organization, if that is another replica, answers
 *   ▶ target ▶ caller, counted ▶ version ▶ scope ▶ the operation's own check ▶ a turn of the organization
 *
 * Nothing of the input is read before.
 */
import { ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { type MaybePromise, whenReady } from "../../../actors/maybe-promise.ts";
import { CROWDED } from "./fair-turns.ts";
import { READ_AT_ONCE_BYTES } from "../body/body-pace.ts";
import type { BoundOperation } from "../request/bound-operation.ts";
import type { Exchange } from "../request/exchange.ts";
import type { Forwarding } from "../request/forwarding.ts";
import { EMPTY_BYTES } from "../input/input-reader.ts";
import { targetFault } from "../request/request-target.ts";
import type { SurfaceParts } from "../request/surface-parts.ts";

type EntranceParts = Pick<SurfaceParts, "admission" | "forwarding" | "log" | "turns" | "version">;

/** In: null; or the answer of the owner, who has let the request in. */
type Entered = Outcome<Response | null>;

const IN: Outcome<null> = ok(null);

export class Entrance {
  private readonly parts: EntranceParts;

  constructor(parts: EntranceParts) {
    this.parts = parts;
  }

  /** Lets the request in, or has the owner of its caller's organization answer it. */
  admit(exchange: Exchange, operation: BoundOperation): MaybePromise<Entered> {
    if (operation.isStreamed && exchange.announcedBytes > READ_AT_ONCE_BYTES) exchange.loopWork = "uploads";
    const { forwarding } = this.parts;
    if (forwarding === undefined) return this.admitHere(exchange, operation);
    const held = exchange.holdBody();
    return held.ok ? this.admitAtOwner(forwarding, exchange, operation) : held;
  }

  private admitAtOwner(forwarding: Forwarding, exchange: Exchange, operation: BoundOperation): MaybePromise<Entered> {
    const isAsSent = targetFault(exchange.request, exchange.server) === null;
    const bearer = isAsSent ? this.parts.admission.bearerOf(exchange, operation.contract.signed !== undefined) : null;
    return whenReady(bearer, (known) => {
      if (known === null) return this.admitHere(exchange, operation);
      return whenReady(
        exchange.within(() => forwarding.route(exchange, known)),
        (route): MaybePromise<Entered> => {
          if (route.kind === "nowhere") return refuse(route.fault);
          if (route.kind === "elsewhere") {
            exchange.answeredElsewhere(known.organizationId, route.response.status);
            return ok(route.response);
          }
          exchange.onAnswered = route.done;
          return this.admitHere(exchange, operation);
        },
      );
    });
  }

  private admitHere(exchange: Exchange, operation: BoundOperation): MaybePromise<Outcome<null>> {
    if (!operation.reader.waits && operation.keyIn(exchange) === null && hasNoUse(exchange, operation))
      exchange.dropBody();
    const checked = exchange.timed(() => this.check(exchange, operation));
    if (checked instanceof Promise) {
      const held = exchange.holdBody();
      if (!held.ok) {
        checked.catch((err: unknown) => this.parts.log.error({ err }, "a refused request also failed"));
        return held;
      }
    }
    return whenReady(checked, (outcome) =>
      // Unknown callers are refused in the turn of their address, so that bad tokens delay nobody else.
      outcome.ok || exchange.organizationId === null ? this.inTurn(exchange, outcome) : outcome,
    );
  }

  /** Authenticates and counts the caller, and checks what the operation requires. */
  private check(exchange: Exchange, operation: BoundOperation): MaybePromise<Outcome<null>> {
    const { admission } = this.parts;
    const { request, server } = exchange;
    const { scope, signed } = operation.contract;
    const misdirected = targetFault(request, server);
    if (misdirected !== null)
      return admission.countStranger(exchange, server).then((limited) => refuse(limited ?? misdirected));
    if (scope === null && signed === undefined)
      return admission
        .count(exchange, server)
        .then((limited) => (limited === null ? this.versioned(request) : refuse(limited)));
    const principal =
      signed === undefined ? admission.principalOf(exchange, server) : admission.subjectOf(exchange, server);
    return whenReady(principal, (admitted) => {
      if (!admitted.ok) return admitted;
      const versioned = this.versioned(request);
      if (!versioned.ok) return versioned;
      const fault = operation.refusalOf(admitted.value);
      if (fault !== null) return refuse(fault);
      exchange.principal = admitted.value;
      return operation.admit(exchange);
    });
  }

  private versioned(request: Request): Outcome<null> {
    return this.parts.version === undefined ? IN : this.parts.version(request);
  }

  /** Waits for the turn of the organization, or of the address of an unknown caller (`FairTurns`). */
  private inTurn(exchange: Exchange, outcome: Outcome<null>): MaybePromise<Outcome<null>> {
    const { turns } = this.parts;
    const { payer } = exchange;
    const held = turns.isFull(payer) ? exchange.holdBody() : IN;
    if (!held.ok) return held;
    const turn = turns.enter(payer);
    exchange.hasTurn = true;
    if (turn === null) return outcome;
    return turn.then((isTurn) => {
      exchange.hasTurn = isTurn;
      return isTurn || !outcome.ok ? outcome : refuse(CROWDED);
    });
  }
}

/** Whether nobody reads the body of an operation that takes none: a small one may turn out to be empty. */
const hasNoUse = ({ request }: Exchange, { isRead }: BoundOperation): boolean =>
  isRead || Number(request.headers.get("content-length") ?? 0) > EMPTY_BYTES;
