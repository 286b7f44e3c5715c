/**
 * Turn groups that the runtime sends to another replica, and those that it receives, as JSON over HTTP. A group runs
 * once: if its answer is lost, the outcome is unknown, and the caller does not retry by itself.
 */
import { parseStored } from "../../actors/exact-json.ts";
import { type Outcome, refuse } from "../../actors/fault.ts";
import type { Member } from "../../actors/runtime/turns/members.ts";
import { UNAVAILABLE, UNAVAILABLE_RETRY_MS } from "../../actors/runtime/placement/shards.ts";
import type { Clock } from "../../actors/runtime/ports.ts";
import type { Liveness } from "./liveness.ts";
import { NotReached, type PeerClient } from "./peer-client.ts";
import type { Owner } from "./placement-table.ts";
import { OWNER_WAIT_MS, type Routing } from "./routing.ts";

/** The part of the system that answers. */
export interface AskedSystem {
  serves(organizationId: string): boolean;
  dispatchGroup(members: readonly Member[]): Promise<Outcome<readonly unknown[]>>;
  settled(organizationId: string): Promise<Outcome<null>>;
}

/** A question: the members of a group, or null for `settled`. */
interface Question {
  readonly organizationId: string;
  readonly members: readonly Member[] | null;
}

interface QuestionParts {
  readonly self: Owner;
  readonly routing: Routing;
  readonly client: Pick<PeerClient, "ask">;
  readonly liveness: Pick<Liveness, "suspect">;
  readonly clock: Pick<Clock, "monotonic">;
  readonly system: () => AskedSystem;
}

export class PeerQuestions {
  private readonly parts: QuestionParts;

  constructor(parts: QuestionParts) {
    this.parts = parts;
  }

  ask(organizationId: string, members: readonly Member[]): Promise<Outcome<readonly unknown[]>> {
    return this.put({ organizationId, members }) as Promise<Outcome<readonly unknown[]>>;
  }

  settled(organizationId: string): Promise<Outcome<null>> {
    return this.put({ organizationId, members: null }) as Promise<Outcome<null>>;
  }

  /** Answers a question of another replica, or of this one; null if this replica does not serve the organization. */
  answer(text: string): Promise<Outcome<unknown>> | null {
    const question = parseStored(text) as Question;
    return this.parts.system().serves(question.organizationId) ? this.here(question) : null;
  }

  private here({ organizationId, members }: Question): Promise<Outcome<unknown>> {
    const system = this.parts.system();
    return members === null ? system.settled(organizationId) : system.dispatchGroup(members);
  }

  private async put(question: Question): Promise<Outcome<unknown>> {
    const { routing, client, liveness, clock } = this.parts;
    const untilMs = clock.monotonic() + OWNER_WAIT_MS;
    const text = JSON.stringify(question);
    for (;;) {
      const place = await routing.placeOf(question.organizationId, untilMs);
      if (place === null) return refuse(UNAVAILABLE);
      if (place.kind === "here") return this.here(question);
      try {
        const answer = await client.ask(place.owner, text);
        if (answer !== null) return answer as Outcome<unknown>;
      } catch (cause) {
        await liveness.suspect(place.owner, untilMs);
        if (!(cause instanceof NotReached))
          return refuse({ kind: "outcome_unknown", retryAfterMs: UNAVAILABLE_RETRY_MS });
      }
      if (clock.monotonic() >= untilMs) return refuse(UNAVAILABLE);
      await routing.lookAgain(untilMs);
    }
  }
}
