/** What happens between the look that a request takes and its commit. */
import { spyOn } from "bun:test";
import type { TroupeSystem } from "../../actors/troupe.ts";

/**
 * Before the next commit that has a command of one of these kinds, once, `act` happens. Other commits pass unchanged:
 * missions, webhooks and limits of the same service make groups too, at any time.
 */
export function beforeCommitOf(system: TroupeSystem, kinds: readonly string[], act: () => Promise<unknown>): void {
  const commit = system.dispatchGroup.bind(system);
  const spy = spyOn(system, "dispatchGroup");
  spy.mockImplementation((async (...group: Parameters<typeof commit>) => {
    const isAwaited = group[0].some((member) => "command" in member && kinds.includes(member.command.kind));
    if (isAwaited) {
      spy.mockRestore();
      await act();
    }
    return commit(...group);
  }) as typeof commit);
}
