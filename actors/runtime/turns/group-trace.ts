/**
 * The spans of one turn group that stores something: one for the group, from its dispatch to its answer, and in it one
 * for each flush. A group that only reads has none, because it is over in microseconds. The group's span begins when
 * something asks for its carrier, or when the group is sent; only then is it known that the group may store something.
 */
import type { Fault } from "../../fault.ts";
import type { CommitResult } from "../store.ts";
import type { GroupMember, MemberStep } from "./members.ts";
import type { Span, SpanFacts, Tracing } from "../tracing.ts";

export class GroupTrace {
  private readonly tracing: Tracing;
  private readonly parent: string;
  private readonly first: GroupMember | null;
  private readonly since: number;
  private span: Span | null = null;
  private flush: Span | null = null;

  private constructor(tracing: Tracing, parent: string, steps: readonly MemberStep[]) {
    this.tracing = tracing;
    this.parent = parent;
    const [first] = steps;
    this.first = first === undefined || typeof first === "function" ? null : first;
    this.since = tracing.now();
  }

  /** Null if tracing is off or the group belongs to no trace. */
  static of(tracing: Tracing | null, steps: readonly MemberStep[]): GroupTrace | null {
    const parent = tracing?.current() ?? null;
    return tracing === null || parent === null ? null : new GroupTrace(tracing, parent, steps);
  }

  get carrier(): string {
    return this.begun.carrier;
  }

  /** The group is on its way to the store. */
  sent(): void {
    this.flush = this.tracing.begin("flush", { parent: this.carrier });
  }

  concluded({ kind }: CommitResult): void {
    this.flush?.tell({ "troupe.flush.outcome": kind });
    if (kind !== "committed") this.flush?.fail(kind);
    this.flush?.end();
    this.flush = null;
  }

  answered(fault: Fault | null): void {
    if (fault !== null) this.span?.fail(fault.kind);
    this.span?.end();
  }

  failed(): void {
    // It has thrown after it was sent and before the store's answer.
    this.flush?.fail("bug");
    this.flush?.end();
    this.flush = null;
    this.span?.fail("bug");
    this.span?.end();
  }

  within<T>(run: () => T): T {
    return this.begun.within(run);
  }

  private get begun(): Span {
    const { first, parent, since } = this;
    const name = first === null ? "turn" : `turn ${first.ref.kind}.${first.command.kind}`;
    return (this.span ??= this.tracing.begin(name, { parent, since, facts: first === null ? {} : factsOf(first) }));
  }
}

function factsOf({ ref: { kind, id, organizationId }, command }: GroupMember): SpanFacts {
  const own = kind === "chat" || kind === "job" ? { [`troupe.${kind}.id`]: id } : {};
  const actor = { "troupe.actor.kind": kind, "troupe.command": command.kind };
  return { "troupe.organization.id": organizationId, ...actor, ...own };
}
