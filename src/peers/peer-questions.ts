/**
 * Turn groups and operations that are sent to the replica that owns their organization, and those that are received, as
 * JSON over HTTP. Each runs once: if its answer is lost, the outcome is unknown, and the caller does not retry by
 * itself.
 */
import { assert } from "../../actors/assert.ts";
import { parseStored } from "../../actors/exact-json.ts";
import { type Outcome, refuse } from "../../actors/fault.ts";
import type { GroupMember } from "../../actors/runtime/turns/members.ts";
import { SHARD_UNAVAILABLE, UNAVAILABLE_RETRY_MS } from "../../actors/runtime/placement/shards.ts";
import type { Clock } from "../../actors/runtime/ports.ts";
import { localCaller } from "../http/request/caller.ts";
import type { OperationCall } from "../http/request/forwarding.ts";
import type { Invoke } from "../http/request/operations.ts";
import type { Liveness } from "./liveness.ts";
import { ASK_PATH, INVOKE_PATH, NotReached, type PeerClient } from "./peer-client.ts";
import type { Owner } from "./placement-table.ts";
import { OWNER_WAIT_MS, type Routing } from "./routing.ts";

/** The part of the system that answers. */
export interface AskedSystem {
  serves(organizationId: string): boolean;
  dispatchGroup(members: readonly GroupMember[]): Promise<Outcome<readonly unknown[]>>;
  settled(organizationId: string): Promise<Outcome<null>>;
}

/** A question: the members of a group, null for `settled`, or an operation. */
type PeerQuestion = { readonly organizationId: string } & (
  | { readonly members: readonly GroupMember[] | null }
  | { readonly call: OperationCall }
);

interface QuestionParts {
  readonly self: Owner;
  readonly routing: Routing;
  readonly client: Pick<PeerClient, "ask">;
  readonly liveness: Pick<Liveness, "suspect">;
  readonly clock: Pick<Clock, "monotonic">;
  readonly system: () => AskedSystem;
  /** Runs an operation in this process; null before the service is ready. */
  readonly invoke: () => Invoke | null;
}

export class PeerQuestions {
  private readonly parts: QuestionParts;

  constructor(parts: QuestionParts) {
    this.parts = parts;
  }

  ask(organizationId: string, members: readonly GroupMember[]): Promise<Outcome<readonly unknown[]>> {
    return this.put({ organizationId, members }) as Promise<Outcome<readonly unknown[]>>;
  }

  settled(organizationId: string): Promise<Outcome<null>> {
    return this.put({ organizationId, members: null }) as Promise<Outcome<null>>;
  }

  invoke(call: OperationCall): Promise<Outcome<object>> {
    const { organizationId } = call.caller.principal;
    return this.put({ organizationId, call }) as Promise<Outcome<object>>;
  }

  /** Answers a question of another replica, or of this one; null if this replica does not serve the organization. */
  answer(text: string): Promise<Outcome<unknown>> | null {
    const question = parseStored(text) as PeerQuestion;
    return this.parts.system().serves(question.organizationId) ? this.here(question) : null;
  }

  private here(question: PeerQuestion): Promise<Outcome<unknown>> {
    if ("call" in question) return this.run(question.call);
    const system = this.parts.system();
    const { organizationId, members } = question;
    return members === null ? system.settled(organizationId) : system.dispatchGroup(members);
  }

  /** Counts the operation as a request in flight, so that a hand-over waits for it. */
  private async run({ id, caller, input }: OperationCall): Promise<Outcome<unknown>> {
    const { invoke, routing } = this.parts;
    const run = invoke();
    if (run === null) return refuse(SHARD_UNAVAILABLE);
    const end = routing.begin(caller.principal.organizationId);
    try {
      const outcome = await run(id, { ...localCaller(caller.principal), ...caller }, input);
      assert(!outcome.ok || !(outcome.value instanceof Response), "an operation that is called as data answers so");
      return outcome;
    } finally {
      end();
    }
  }

  private async put(question: PeerQuestion): Promise<Outcome<unknown>> {
    const { routing, client, liveness, clock } = this.parts;
    const untilMs = clock.monotonic() + OWNER_WAIT_MS;
    const text = JSON.stringify(question);
    for (;;) {
      const place = await routing.placeOf(question.organizationId, untilMs);
      if (place === null) return refuse(SHARD_UNAVAILABLE);
      if (place.kind === "here") return this.here(question);
      try {
        const answer = await client.ask(place.owner, "call" in question ? INVOKE_PATH : ASK_PATH, text);
        if (answer !== null) return answer as Outcome<unknown>;
      } catch (cause) {
        await liveness.suspect(place.owner, untilMs);
        if (!(cause instanceof NotReached))
          return refuse({ kind: "outcome_unknown", retryAfterMs: UNAVAILABLE_RETRY_MS });
      }
      if (clock.monotonic() >= untilMs) return refuse(SHARD_UNAVAILABLE);
      await routing.lookAgain(untilMs);
    }
  }
}
