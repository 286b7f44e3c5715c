/** Times that callers give. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { timeOf } from "../../actors/schema.ts";

const FIELD = join(import.meta.dir, "../../actors/schema.ts");
const TIMES = {
  "2026-11-24": "2026-11-24T00:00:00.000Z",
  "2026-11-24T10:00": "2026-11-24T10:00:00.000Z",
  "2026-11-24 10:00:00.5": "2026-11-24T10:00:00.500Z",
  "2026-11-24T10:00:00.123456Z": "2026-11-24T10:00:00.123Z",
  "2026-11-24T10:00:00.123456789+0200": "2026-11-24T08:00:00.123Z",
  "2026-11-24T10:00:00Z": "2026-11-24T10:00:00.000Z",
  "2026-11-24T10:00:00+02:00": "2026-11-24T08:00:00.000Z",
  "2028-02-29T10:00Z": "2028-02-29T10:00:00.000Z",
};

test.each(["UTC", "America/New_York", "Asia/Kathmandu"])("[GEN-1] times are the same on a machine in %s", (zone) => {
  const program = `import { timeOf } from ${JSON.stringify(FIELD)};
    console.log(JSON.stringify(${JSON.stringify(Object.keys(TIMES))}.map(timeOf)));`;
  const { stdout } = Bun.spawnSync([process.execPath, "-e", program], { env: { TZ: zone } });
  expect(JSON.parse(stdout.toString())).toEqual(Object.values(TIMES));
});

test.each(["2026-02-30", "2026-02-30T00:00:00Z", "2026-02-29T10:00", "2026-04-31T10:00:00+02:00", "2026-13-01", ""])(
  "[GEN-1] %p is not a time",
  (text) => {
    expect(timeOf(text)).toBeNull();
  },
);
