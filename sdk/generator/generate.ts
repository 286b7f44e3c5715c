/** Writes the SDKs from the contract: the second half of `bun run contract`. */
import { FILES, generated } from "./files.ts";

for (const path of FILES) {
  const text = await generated(path);
  await Bun.write(new URL(`../../${path}`, import.meta.url), text);
  console.log(`${path}: ${text.length} characters`);
}
