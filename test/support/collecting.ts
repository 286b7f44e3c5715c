/**
 * Loaded before the service of the soak (`bun --preload`). On SIGUSR2 the process collects its garbage, gives back
 * what it can do without, and writes a line with what is left, so that memory that grows can be told from memory that
 * nobody has collected yet. And it has room for few actors, so that its working set is full within a minute, and not
 * after an hour: what it then takes more is a leak.
 */
import { heapStats } from "bun:jsc";
import { plugin } from "bun";

const LIMIT = /(export const LIVE_ACTORS = )[\d_]+;/;
const FEW = 1_000;

let hasRoomForFew = false;

plugin({
  name: "room for few actors",
  setup(build) {
    build.onLoad({ filter: /\/live-actors\.ts$/ }, async ({ path }) => {
      const text = await Bun.file(path).text();
      if (!LIMIT.test(text)) throw new Error(`${path} does not say how many actors there may be`);
      hasRoomForFew = true;
      return { contents: text.replace(LIMIT, `$1${FEW};`), loader: "ts" };
    });
  },
});

/** In which the allocators return their free pages to the system, by timers of their own: nothing says when they have. */
const RETURN_MS = 1_500;

process.on("SIGUSR2", () => {
  if (!hasRoomForFew) throw new Error("the service has loaded no live-actors.ts, so it has room for many actors");
  Bun.gc(true);
  // Compiled code that nobody has run for a while goes too: how much there is depends on the load of the machine.
  Bun.shrink();
  setTimeout(() => {
    Bun.gc(true);
    const { heapSize, objectCount } = heapStats();
    const { rss } = process.memoryUsage();
    console.log(
      JSON.stringify({ msg: "collected", level: 30, heapBytes: heapSize, objects: objectCount, rssBytes: rss }),
    );
  }, RETURN_MS);
});
