/** The contracts on the model in memory. */
import { LEASE_TERM_MS } from "../../actors/runtime/placement/placement.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { MemoryDatabase } from "../support/memory-database.ts";
import { MemoryPlacement } from "../support/memory-placement.ts";
import { Gate, MemoryActorStore } from "../support/memory-store.ts";
import { actorStoreContract } from "./actor-store.ts";
import { placementContract } from "./placement.ts";

function join(database: MemoryDatabase, id: string): MemoryPlacement {
  const placement = new MemoryPlacement(database, id);
  placement.join();
  return placement;
}

actorStoreContract("the model in memory", async () => {
  const database = new MemoryDatabase(new FakeClock());
  const store = new MemoryActorStore(database);
  return {
    store,
    replica: async (id) => join(database, id),
    stall: async () => {
      const gate = new Gate();
      store.failNext({ kind: "hold", gate });
      return {
        reached: gate.reached,
        release: async () => gate.open(),
        kill: async () => gate.break(),
      };
    },
    erase: async (organizationId) => void database.erased.add(organizationId),
    close: async () => {},
  };
});

placementContract("the model in memory", async () => {
  const clock = new FakeClock();
  const database = new MemoryDatabase(clock);
  return {
    replica: async (id) => join(database, id),
    expire: async (id) => {
      const others = [...database.replicas].filter(([other]) => other !== id);
      clock.jump(LEASE_TERM_MS + 1);
      for (const [, replica] of others) replica.leaseUntil += LEASE_TERM_MS + 1;
    },
    collide: (first, second) => Promise.all([first(), second()]),
    close: async () => {},
  };
});
