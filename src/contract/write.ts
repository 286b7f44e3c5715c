/** Writes `docs/openapi.json` from the operations: `bun run contract`. */
import { documentText } from "./document.ts";

await Bun.write(new URL("../../docs/openapi.json", import.meta.url), documentText());
