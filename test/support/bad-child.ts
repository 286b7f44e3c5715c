/** A child of the sandbox that does not do as it should: it answers a ping, and any other job as its argument says. */
import { readSync, writeSync } from "node:fs";

const frame = (status: number, text: string, length = text.length + 9): Buffer => {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(length, 0);
  head.writeUInt8(status, 4);
  head.writeUInt32BE(text.length, 9);
  return Buffer.concat([head, Buffer.from(text)]);
};
const hear = (): string => {
  const head = Buffer.alloc(4);
  if (readSync(0, head) === 0) process.exit(0);
  const job = Buffer.alloc(head.readUInt32BE(0));
  for (let have = 0; have < job.length;) have += readSync(0, job, have, job.length - have, null);
  return job.toString("latin1");
};

const [, , fault] = process.argv;
if (hear().includes('"ping"') || fault === "unasked") {
  writeSync(1, frame(0, '"pong"'));
  // Nobody has asked.
  if (fault === "unasked") writeSync(1, frame(0, '"hi"'));
  hear();
}
if (fault === "oversized") writeSync(1, frame(0, "x", 2 ** 31));
else if (fault === "bytes") writeSync(1, frame(0, '"a"', 9 + 3 + 64 * 1024 * 1024));
else if (fault === "short") writeSync(1, frame(0, "x", 1));
else if (fault === "twice") writeSync(1, Buffer.concat([frame(0, '"a"'), frame(0, '"b"')]));
else if (fault === "no-json") writeSync(1, frame(0, "<html>"));
else if (fault === "deep") writeSync(1, frame(0, `${"[".repeat(10_000)}${"]".repeat(10_000)}`));
else if (fault === "exits") process.exit(0);
else if (fault === "spins") for (;;) Math.random();
else if (fault === "eats") for (const kept: Buffer[] = []; ;) kept.push(Buffer.alloc(16 * 1024 * 1024, 1));
hear();
