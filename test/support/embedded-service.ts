/**
 * A service as far as its data folder goes, as a process that a test can kill: opens the folder,
 * starts PostgreSQL in it, prints one line of JSON, and gives both up at SIGTERM.
 *
 *   bun embedded-service.ts <root of a clone> <data folder> <system folder>
 */
import { join } from "node:path";

const [root = "", path = "", systemFolder = ""] = process.argv.slice(2);
const { openDataFolder } = (await import(join(root, "db/data-folder.ts"))) as typeof import("../../db/data-folder.ts");
const { startEmbedded } = (await import(join(root, "db/embedded.ts"))) as typeof import("../../db/embedded.ts");

const print = (value: object): void => console.log(JSON.stringify(value));

try {
  const folder = openDataFolder(path);
  const database = await startEmbedded({ folder: folder.path, systemFolder, log: () => {} });
  process.on("SIGTERM", async () => {
    await database.stop();
    folder.release();
    process.exit(0);
  });
  print({ url: database.url, pid: database.pid, adopted: database.adopted });
  setInterval(() => {}, 60_000);
} catch (error) {
  print({ error: error instanceof Error ? error.message : String(error) });
  process.exit(1);
}
