/** Executions that a person has let go on, asked for again under their key (V1-8, IDEM-4). */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { ApprovalScene } from "../support/approval-scene.ts";
import { answered, type Job } from "../support/current.ts";
import { keyed } from "../support/keyed.ts";
import { frames } from "../support/v1.ts";

let scene: ApprovalScene;
beforeAll(async () => void (scene = await ApprovalScene.start()));
afterAll(() => scene.service.stop());
beforeEach(() => scene.reset());

const ask = () =>
  keyed(scene.service, scene.owner, "one", {
    method: "POST",
    path: `/api/v1/agents/${scene.agent}/execute`,
    body: { message: "go", stream: true },
  });
const newest = async (): Promise<Job> => (await scene.client.get<{ jobs: Job[] }>("/api/jobs?limit=1")).jobs[0]!;
const approve = (id: string): Promise<Job> => answered<Job>(scene.client.decide(id, "approve"));

test("[V1-8] a stream continues past the time at which it was blocked", async () => {
  scene.calling(["c1", "send"]);
  const first = await ask();
  expect(frames(first.text).at(-1)).toBe(
    'event: error\ndata: {"message":"The execution is blocked: approval required"}',
  );
  expect(frames((await ask()).text).at(-1)).toStartWith("event: error");
  const { id } = await newest();
  await approve(id);
  await scene.client.reached(id, "completed");
  const again = frames((await ask()).text);
  expect(again.at(-1)).toStartWith("event: result");
  expect(again.join("")).toContain('{"type":"text","text":"Done."}');
  expect(again.join("")).not.toContain("blocked");
});
