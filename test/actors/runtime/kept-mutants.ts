/** The checks of kept replies: what is taken out of which file, and the test that must fail without it. */
import type { SourceMutant } from "../../support/source-mutants.ts";

export const KEPT_REPLY_TESTS = "test/actors/runtime/kept-reply.test.ts";
const [KEPT, DRAFT, TX, ACTOR, ACTORS] = ["kept-reply", "draft", "tx", "live-actor", "live-actors"].map(
  (name) => `actors/runtime/turns/${name}.ts`,
) as [string, string, string, string, string];

const CHECKS: readonly (readonly [file: string, from: string, to: string, caughtBy: string])[] = [
  [KEPT, "!admitted.ok || admitted.value !== kept.grant || ", "", "the erasure of its organization"],
  [KEPT, "!admitted.ok || admitted.value !== kept.grant || ", "", "while both live"],
  [KEPT, "!admitted.ok || admitted.value !== kept.grant || ", "", "the lease"],
  [KEPT, "!admitted.ok || admitted.value !== kept.grant || ", "", "the loss of its shard"],
  [KEPT, "admitted.value !== kept.grant || ", "", "another grant of its shard"],
  [KEPT, " || actor.isEvicted", "", "the eviction of its actor"],
  [KEPT, "now < kept.fromMs || ", "", "its time"],
  [KEPT, " || now >= kept.untilMs", "", "its time"],
  [KEPT, "!actor.mailbox.isEmpty && !", "false && !", "a full mailbox"],
  [KEPT, "slot.record !== record || ", "", "a change of what it has read"],
  [KEPT, "slot.record !== record || ", "", "created after it was not found"],
  [KEPT, "slot.pending !== null || ", "", "a record that waits for a commit"],
  [KEPT, " || slot.isGone", "", "left the working set"],
  [KEPT, "slot.isUsed = true", "void slot", "stays in the working set"],
  [KEPT, "seen !== null || ", "", "a change of what it has read"],
  [KEPT, "remembered !== null || ", "", "look_and_remember"],
  [KEPT, "publications.length > 0 || ", "", "look_and_say"],
  [KEPT, " || !draft.isEmpty", "", "look_and_tell"],
  [KEPT, "if (actor.definition.isUnordered !== true) return;", "", "whose turns are ordered"],
  [KEPT, "Math.min(holdsUntilMs, now + MOVED_MS)", "holdsUntilMs", "among the recently used ones"],
  [DRAFT, "    this.reads = null;", "", "look_and_peek"],
  [TX, "    this.group.reads = null;\n    const", "    const", "look_and_recall"],
  [
    TX,
    "    this.group.reads = null;\n    return this.draft.actor.volatile",
    "    return this.draft.actor.volatile",
    "keys",
  ],
  [TX, "    this.group.reads = null;\n    return (this.draft", "    return (this.draft", "look_at_version"],
  [ACTOR, "slot.isGone = true;", "", "left the working set"],
  [
    ACTORS,
    "at - actor.usedAt <= IDLE_MS + (actor.kept === null ? 0 : MOVED_MS)",
    "at - actor.usedAt <= IDLE_MS",
    "stays in memory",
  ],
  [ACTORS, "at - actor.movedAt > MOVED_MS", "at - actor.usedAt > MOVED_MS", "among the recently used ones"],
];

export const KEPT_MUTANTS: readonly SourceMutant[] = CHECKS.map(([file, from, to, caughtBy]) => [
  file,
  from,
  to,
  KEPT_REPLY_TESTS,
  caughtBy,
]);
