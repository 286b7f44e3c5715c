/** The whole service on a file system that fills up: a small one of its own, which only root can make. */
import { expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { guardedFolder } from "../support/guarded-folder.ts";
import { embeddedUrl, withTables } from "../support/service-tables.ts";
import { mayMount, mountSmallDisk, unmount } from "../support/small-disk.ts";
import { eventually, startTroupe } from "../support/troupe-process.ts";

const MIB = 1_048_576;
const SIZE_MIB = 512;
const RESERVE_MIB = 96;
/** With what the database has itself, more than leaves the reserve, and less than there is. */
const FILLED_MIB = SIZE_MIB - RESERVE_MIB - 32;

test.skipIf(!mayMount())(
  "[RT-17] on a full disk reads continue, writes are 503 and nothing acknowledged is lost; with room they continue",
  async () => {
    const folder = guardedFolder();
    const dataDir = join(folder.path, "small");
    mkdirSync(dataDir);
    expect(mountSmallDisk(dataDir, SIZE_MIB)).toBe(true);
    try {
      const service = await startTroupe(folder, { dataDir, env: { DISK_RESERVE_MIB: String(RESERVE_MIB) } });
      const { personal } = service.firstRun();
      const headers = { authorization: `Bearer ${personal}`, "content-type": "application/json" };
      const acknowledged: string[] = [];
      const add = async (): Promise<number> => {
        const title = `task ${acknowledged.length}`;
        const made = await fetch(`${service.url}/api/v1/tasks`, {
          method: "POST",
          headers,
          body: JSON.stringify({ title }),
        });
        await made.text();
        if (made.ok) acknowledged.push(title);
        return made.status;
      };
      expect(await add()).toBeLessThan(300);
      const filler = join(dataDir, "filler");
      // Writes go on until the disk is full.
      for (let part = 0; part < FILLED_MIB && (await add()) < 300; part++)
        writeFileSync(filler, Buffer.alloc(MIB, 1), { flag: "a" });
      await eventually("writes are refused", async () => (await add()) === 503);
      const read = await fetch(`${service.url}/api/v1/tasks`, { headers });
      expect(read.status).toBe(200);
      expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
      rmSync(filler);
      await eventually("writes are accepted again", async () => (await add()) < 300);
      const titles = await withTables(embeddedUrl(dataDir), async (sql) => {
        const rows = await sql<{ title: string }[]>`select body ->> 'title' as title from task order by position`;
        return rows.map(({ title }) => title);
      });
      expect(titles).toEqual(acknowledged);
      expect(await service.end()).toBe(0);
    } finally {
      unmount(dataDir);
      await folder.remove();
    }
  },
);
