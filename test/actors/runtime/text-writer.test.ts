/** Live text without a turn: what it tells readers, and when it leaves it to a turn. */
import { describe, expect, test } from "bun:test";
import { LEASE_TERM_MS, type ShardGrant } from "../../../actors/runtime/placement/placement.ts";
import type { Subscription } from "../../../actors/runtime/streams/subscription.ts";
import type { TextWriter } from "../../../actors/runtime/streams/text-writer.ts";
import { ledgerRef } from "../../support/ledger-actor.ts";
import { type LedgerReplica, ORG, said, startLedgers } from "../../support/ledger-replica.ts";
import { inWorld, type World } from "../../support/replica.ts";

interface Written {
  readonly replica: LedgerReplica;
  readonly world: World;
  readonly writer: TextWriter;
  readonly readers: readonly Subscription[];
}

/** Two ledgers whose turns have begun a text, each with one event and a reader that has it. */
async function written(): Promise<Written> {
  const { world, replica } = await inWorld(startLedgers);
  const ids = ["a", "b"];
  for (const id of ids) {
    await replica.add(id);
    await replica.ask(id, { kind: "begin_text" });
  }
  const { epoch } = grantOf(replica);
  const actors = ids.map((id) => ledgerRef(ORG, id));
  const writer = replica.system.textWriter({ actors, epoch, messageId: "text", attempt: 1 });
  return { replica, world, writer, readers: ids.map((id) => replica.subscribe(id, 1)) };
}

function grantOf(replica: LedgerReplica): ShardGrant {
  const grant = replica.system.shards.admit(ORG, {});
  if (!grant.ok) throw new Error("the shard is not served");
  return grant.value;
}

describe("text without a turn", () => {
  test("[RT-18] reaches the readers of all its streams at once, with the positions that turns would use", async () => {
    const { replica, writer, readers } = await written();
    const turns = replica.turns.length;
    expect([writer.add("one "), writer.add("two ")]).toEqual([true, true]);
    for (const reader of readers) expect(said(await reader.next())).toEqual(['"one two "@8']);
    expect(replica.turns.length).toBe(turns);
    await replica.ask("a", { kind: "say", text: "three " });
    expect(said(await readers[0]!.next())).toEqual(['"three "@14']);
    expect(writer.add("four")).toBe(true);
    expect(said(await readers[0]!.next())).toEqual(['"four"@18']);
  });

  test("[RT-18] an event after it stores the position of the text", async () => {
    const { replica, world, writer } = await written();
    writer.add("one ");
    await replica.add("a");
    expect(world.database.stream(ORG, "a").at(-1)?.live).toMatchObject({ messageId: "text", position: 4 });
  });

  test("[RT-18] never waits: while a commit of one of the actors is pending it leaves the text to a turn", async () => {
    const { replica, writer, readers } = await written();
    const adding = replica.add("b");
    expect(writer.add("too early")).toBe(false);
    await adding;
    expect(writer.add("now")).toBe(true);
    expect(said(await readers[0]!.next())).toEqual(['"now"@3']);
    expect(said(await readers[1]!.next())).toEqual(["2", '"2 now"@5']);
  });

  test("[RT-18] is refused before its text has begun, after it has ended, and for another attempt or message", async () => {
    const { replica } = await written();
    const { epoch } = grantOf(replica);
    const by = (name: { messageId: string; attempt: number }, ids = ["a", "b"]): TextWriter =>
      replica.system.textWriter({ actors: ids.map((id) => ledgerRef(ORG, id)), epoch, ...name });
    expect(by({ messageId: "text", attempt: 2 }).add("x")).toBe(false);
    expect(by({ messageId: "other", attempt: 1 }).add("x")).toBe(false);
    expect(by({ messageId: "text", attempt: 1 }, ["a", "unknown"]).add("x")).toBe(false);
    await replica.add("c");
    expect(by({ messageId: "text", attempt: 1 }, ["a", "c"]).add("x")).toBe(false);
  });

  test("[RT-18] is refused under an old epoch, and if the lease has lapsed", async () => {
    const { writer, world } = await written();
    expect(writer.add("x")).toBe(true);
    world.clock.jump(LEASE_TERM_MS);
    expect(writer.add("x")).toBe(false);
    const other = await written();
    const { shard, epoch } = grantOf(other.replica);
    other.replica.system.shards.grant(shard, epoch + 1);
    expect(other.writer.add("x")).toBe(false);
  });
});
