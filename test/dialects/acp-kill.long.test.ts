/** Kill -9 of the whole service while editors read a prompt, over the bridge and over WebSocket. */
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { AcpEditor, acpSocket } from "../support/acp-editor.ts";
import { until } from "../support/condition.ts";
import { guardedFolder } from "../support/guarded-folder.ts";
import { CLONE } from "../support/service-process.ts";
import { startTroupe } from "../support/troupe-process.ts";

/** Long enough to be killed in, and the same each time that its step begins. */
const COUNTED = Array.from({ length: 40 }, (_, i) => `word${i}`).join(" ");
const PROMPT = `/slow 50\n/say ${COUNTED}`;

test("[DIA-26] an editor with the bridge sees the whole answer once, over kill -9 and a new start of the service", async () => {
  const folder = guardedFolder();
  let bridge: Bun.Subprocess<"pipe", "pipe", "inherit"> | null = null;
  try {
    let service = await startTroupe(folder);
    const { personal: token, agentId: agent } = service.firstRun();
    const { port } = new URL(service.url);
    const child = (bridge = Bun.spawn({
      cmd: [process.execPath, join(CLONE, "src/acp-bridge/main.ts"), "--url", service.url, "--agent", agent],
      stdio: ["pipe", "pipe", "inherit"],
      cwd: folder.path,
      env: { HOME: folder.path, TROUPE_TOKEN: token },
    }));
    const input = new WritableStream<Uint8Array>({
      async write(bytes) {
        void child.stdin.write(bytes);
        await child.stdin.flush();
      },
    });
    const editor = await AcpEditor.over(ndJsonStream(input, child.stdout));
    const session = await editor.open();
    const ended = editor.prompt(session, PROMPT);
    await until("the answer is being written", () => editor.messages().join("").includes("word7"));
    await service.end("SIGKILL");
    service = await startTroupe(folder, { env: { PORT: port } });
    expect(await ended).toMatchObject({ stopReason: "end_turn" });
    expect(editor.messages()).toEqual([COUNTED]);
    const jobs = await fetch(`${service.url}/api/jobs?limit=100`, { headers: { authorization: `Bearer ${token}` } });
    expect(((await jobs.json()) as { jobs: unknown[] }).jobs).toHaveLength(1);
  } finally {
    bridge?.kill("SIGKILL");
    await folder.remove();
  }
});

test("[DIA-23] a client over WebSocket loads its session after kill -9, and its prompt is the same run", async () => {
  const folder = guardedFolder();
  try {
    let service = await startTroupe(folder);
    const { personal: token, agentId: agent } = service.firstRun();
    const first = await AcpEditor.over(acpSocket({ url: service.url, token, agent }));
    const session = await first.open();
    const lost = first.prompt(session, PROMPT, { message_id: "m1" }).catch(() => "lost");
    await until("the answer is being written", () => first.messages().join("").includes("word7"));
    await service.end("SIGKILL");
    expect(await lost).toBe("lost");
    service = await startTroupe(folder);
    const second = await AcpEditor.over(acpSocket({ url: service.url, token, agent }));
    expect(await second.prompt(session, PROMPT, { message_id: "m1" })).toMatchObject({ stopReason: "end_turn" });
    expect(second.messages()).toEqual([COUNTED]);
    second.close();
  } finally {
    await folder.remove();
  }
});
