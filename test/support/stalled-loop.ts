/** A program whose loop is watched for a second, and then waits as for a disk: for a child that has its memory. */
import { cc } from "bun:ffi";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { watchLoop } from "../../src/service/loop-watchdog.ts";

const [, , folder = "", seconds = ""] = process.argv;
const source = join(folder, "stall.c");
writeFileSync(
  source,
  "int vfork(void); unsigned sleep(unsigned); void _exit(int);\n" +
    "int stall(int seconds) { int pid = vfork(); if (pid == 0) { sleep(seconds); _exit(0); } return pid; }\n",
);
const { symbols } = cc({ source, symbols: { stall: { args: ["int"], returns: "int" } } });
watchLoop(1);
await Bun.sleep(500);
symbols.stall(Number(seconds));
await Bun.sleep(500);
console.log("goes on");
process.exit(0);
