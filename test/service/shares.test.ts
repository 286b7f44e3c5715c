/**
 * Every gate of the running service asks who has used more than its share. Each gate has a test of its own for what it
 * then does; here it is only whether the service has told it whom to ask, which is optional for all of them.
 */
import { expect, test } from "bun:test";
import { Glob } from "bun";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dir, "../../src/service");
/** How each gate is made, and how often the service makes it. */
const GATES: Readonly<Record<string, number>> = {
  "new Slots": 1,
  // One of them for administration commands, which share it with nobody.
  createSandbox: 2,
  openDatabase: 1,
  shellService: 1,
};

/** The arguments of each call of `name` in a text, by its brackets. */
function argumentsOf(text: string, name: string): string[] {
  return [...text.matchAll(new RegExp(`\\b${name}\\(`, "g"))].map(({ index }) => {
    const from = index + name.length + 1;
    let depth = 1;
    let at = from;
    for (; depth > 0 && at < text.length; at++) depth += text[at] === "(" ? 1 : text[at] === ")" ? -1 : 0;
    return text.slice(from, at - 1);
  });
}

test("[FAIR-4] every gate of the service checks which organizations are over their share", () => {
  const texts = [...new Glob("*.ts").scanSync(FOLDER)].map((file) => readFileSync(join(FOLDER, file), "utf8"));
  for (const [name, times] of Object.entries(GATES)) {
    const calls = texts.flatMap((text) => argumentsOf(text, name));
    expect({ name, times: calls.length }).toEqual({ name, times });
    for (const call of calls) expect({ name, call, asks: call.includes("isOverShare") }).toMatchObject({ asks: true });
  }
});
