/** Programs with both SDKs that compact a conversation and fork it. */
import { beforeAll, expect, test } from "bun:test";
import { hasPython, PROGRAMS } from "../support/python.ts";
import { sceneOfFile } from "../support/scene.ts";

const SDK = new URL("../../sdk/", import.meta.url).pathname;
const SAID = [
  "echo: My name is Grace",
  "echo: Count to three",
  "They have talked.",
  "The summary stands for 4 messages",
  "echo: My name is Ada",
];

const { service, owner } = sceneOfFile();
beforeAll(() => {
  const { script } = service.model;
  service.model.script = (call) => (call.purpose === "summary" ? [{ say: "They have talked." }] : script(call));
});

async function printed(cmd: readonly string[]): Promise<string[]> {
  const env = {
    ...PROGRAMS,
    PYTHONPATH: `${SDK}python`,
    PYTHONDONTWRITEBYTECODE: "1",
    TROUPE_URL: service.url,
    TROUPE_TOKEN: owner.token,
  };
  const child = Bun.spawn([...cmd], { env, stdout: "pipe", stderr: "pipe" });
  const [out, problems] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect({ status: await child.exited, problems }).toEqual({ status: 0, problems: "" });
  return out.trimEnd().split("\n");
}

test("[CHAT-11] [CHAT-12] [CHAT-13] a program in TypeScript compacts a chat and edits a message in a fork", async () => {
  expect(await printed([process.execPath, `${SDK}typescript/long-chat.ts`])).toEqual(SAID);
});

test.skipIf(!hasPython)(
  "[CHAT-11] [CHAT-12] [CHAT-13] a program in Python compacts a chat and edits a message in a fork",
  async () => {
    expect(await printed(["python3", `${SDK}python/long_chat.py`])).toEqual(SAID);
  },
);
