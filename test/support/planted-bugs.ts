/**
 * Preloaded into a real service by tests: at SIGUSR2 the bug that PLANTED_BUG names is there. The
 * service itself knows nothing of it.
 */
import { FlushLane } from "../../actors/runtime/commit/flush.ts";

const BUGS: Readonly<Record<string, () => void>> = {
  rejection: () => void Promise.reject(new Error("a planted rejection")),
  lane: () => {
    const lane = FlushLane.prototype as unknown as { takeBatch(): never };
    lane.takeBatch = () => {
      throw new Error("a planted bug of the lane");
    };
  },
};

process.on("SIGUSR2", () => BUGS[process.env["PLANTED_BUG"] ?? ""]?.());
