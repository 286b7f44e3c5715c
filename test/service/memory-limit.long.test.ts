/** The whole service under a limit of memory that it cannot keep. */
import { expect, test } from "bun:test";
import { guardedFolder } from "../support/guarded-folder.ts";
import { startTroupe } from "../support/troupe-process.ts";

test("[OPS-5] a process over its limit drains and ends with code 69", async () => {
  const folder = guardedFolder();
  try {
    const service = await startTroupe(folder, { env: { MEMORY_LIMIT_MIB: "16" } });
    expect(await service.ended()).toBe(69);
    const said = service.log.map(({ msg }) => msg);
    expect(said).toContain("memory is over its limit: collecting garbage");
    expect(said.find((msg) => msg.includes("MEMORY_LIMIT_MIB"))).toMatch(/^the process has \d+ MiB of memory/);
    expect(said).toContain("draining");
    expect(said.at(-1)).toBe("stopped");
  } finally {
    await folder.remove();
  }
});
