/**
 * Receives one content as the service does, in a process of its own, so that its system calls can be traced:
 * `bun receiving-child.ts FOLDER BYTES`. Prints the digest when it is stored.
 */
import { writeSync } from "node:fs";
import { openFiles } from "../../src/files/files.ts";

const [folder = "", bytes = "0"] = process.argv.slice(2);
const claims = { claim: () => Promise.resolve(), stands: () => Promise.resolve(true) };
const files = await openFiles(
  { folder, s3: null },
  {
    claims,
    clock: { now: () => 0 },
    onFailure: (err) => {
      throw err;
    },
  },
);
const received = await files.receive("org_a", new Blob([new Uint8Array(Number(bytes))]).stream(), Number(bytes));
if (!received.ok) throw new Error(received.fault.kind);
writeSync(1, received.value.sha256);
