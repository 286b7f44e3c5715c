/** Kill -9 of the whole service while a client of A2A reads a stream. */
import { type Task, TaskState } from "@a2a-js/sdk";
import { expect, test } from "bun:test";
import { answerOf, connectA2a, said, sending, Shown, textPart, TRANSPORTS } from "../support/a2a-client.ts";
import { guardedFolder } from "../support/guarded-folder.ts";
import { startTroupe } from "../support/troupe-process.ts";

/** Long enough to be killed in, and the same each time that its step begins. */
const COUNTED = Array.from({ length: 40 }, (_, i) => `word${i}`).join(" ");

test.each(Object.keys(TRANSPORTS) as (keyof typeof TRANSPORTS)[])(
  "[DIA-13] over %s, a stream cut by kill -9 continues in the task's own text, and its message is the same task",
  async (binding) => {
    const folder = guardedFolder();
    try {
      let service = await startTroupe(folder);
      const { personal: token, agentId: agent } = service.firstRun();
      const message = said(textPart(`/slow 50\n/say ${COUNTED}`));
      const shown = new Shown();
      const read = async (): Promise<void> => {
        const client = await connectA2a(binding, { url: service.url, token, agent });
        for await (const one of client.sendMessageStream(sending(message))) {
          shown.take(one);
          if (shown.answer.includes("word7")) break;
        }
      };
      await read();
      await service.end("SIGKILL");
      service = await startTroupe(folder);
      const client = await connectA2a(binding, { url: service.url, token, agent });
      const again = (await client.sendMessage(sending(message, { returnImmediately: true }))) as Task;
      expect(again.id).toBe(shown.task!.id);
      await shown.all(client.resubscribeTask({ tenant: "", id: again.id }));
      expect(shown.answer).toBe(COUNTED);
      expect(shown.states.at(-1)).toBe(TaskState.TASK_STATE_COMPLETED);
      expect(answerOf(await client.getTask({ tenant: "", id: again.id }))).toBe(COUNTED);
    } finally {
      await folder.remove();
    }
  },
);
