/** A prompt: it begins a run, and the stream of the run is its answer. The same prompt once more is the same run. */
import { ok, type Outcome } from "../../../actors/fault.ts";
import { hasScope } from "../../../actors/organization/principal.ts";
import type { Json, JsonObject } from "../../../actors/schema.ts";
import { cutText } from "../../../actors/cut-text.ts";
import { detachCaller } from "../../http/request/caller.ts";
import { followRun, readRun } from "../runs/followed-run.ts";
import type { AcpChat } from "./config-options.ts";
import type { Editor } from "./editor-tools.ts";
import { AcpFrames, acpFrameWriter } from "./run-frames.ts";
import type { AcpAnswers } from "./run-operations.ts";
import { type AcpRequest, folderOf, readSession } from "./sessions.ts";

export interface AcpPrompt {
  readonly sessionId: string;
  readonly prompt: readonly Json[];
  readonly messageId: string;
  readonly cwd?: string | undefined;
  readonly editor: Editor;
}

/** The scope for deciding about calls, as on the current surface. */
const MAY_DECIDE = "jobs:write";
/** Characters of the first prompt that become the title of its session. */
const ACP_TITLE_CHARACTERS = 80;
/** Units of text that are read for it. */
const TITLE_UNITS = 4_096;
/** The user's, and the answer to it. */
const MESSAGES_OF_A_TURN = 2;

export async function promptSession(request: AcpRequest, given: AcpPrompt): Promise<Outcome<Response>> {
  const { services, caller } = request;
  const { sessionId, prompt, messageId, editor } = given;
  const room = services.streams.room(caller.principal.organizationId);
  if (!room.ok) return room;
  const chat = await readSession(request, sessionId);
  if (!chat.ok) return chat;
  const { hasNotices, readsFiles, writesFiles, hasTerminals } = editor;
  const begun = await services.invoke("beginAcpRun", caller, {
    params: { id: sessionId },
    body: {
      agent_id: chat.value.agent_id,
      prompt: [...prompt],
      message_id: messageId,
      instructions: instructionsFor(editor, given.cwd ?? folderOf(chat.value)),
      abilities: { readsFiles, writesFiles, hasTerminals },
    },
  });
  if (!begun.ok) return begun;
  const { job_id: jobId } = begun.value as { readonly job_id: string };
  return followSession(request, { jobId, hasNotices }, namingOf(request, { chat: chat.value, jobId, prompt }));
}

/** The stream of a run, from its start. `onShown` runs once, when its client has seen something of the run or is gone. */
export async function followSession(
  { services, caller }: AcpRequest,
  { jobId, hasNotices }: { readonly jobId: string; readonly hasNotices: boolean },
  onShown: () => void = () => {},
): Promise<Outcome<Response>> {
  const job = await readRun(services, caller, jobId);
  if (!job.ok) return job;
  const { workspaceId } = job.value;
  const mayDecide = hasScope(caller.principal.scopes, MAY_DECIDE);
  let left: (() => void) | null = onShown;
  const shown = (): void => {
    left?.();
    left = null;
  };
  const run = { jobId, workspaceId, appUrl: services.appUrl(), hasNotices, mayDecide };
  const frames = new AcpFrames(run, acpFrameWriter(caller), shown);
  return followRun(services, caller, { jobId }, frames, { job: job.value, onEnd: shown });
}

/**
 * A session is called by its first prompt. That may come twice, before and after a restart. Nobody waits for the commit
 * of the name: it comes behind the first text. Until then nothing of the request is kept but its first words.
 */
function namingOf(
  { services, caller, agent }: AcpRequest,
  {
    chat: { id, message_count: messages, active_job_id: active },
    jobId,
    prompt,
  }: { readonly chat: AcpChat; readonly jobId: string; readonly prompt: readonly Json[] },
) {
  const isFirst = messages === 0 || (messages <= MESSAGES_OF_A_TURN && active === jobId);
  const title = isFirst ? firstWordsOf(prompt) : "";
  if (title === "") return undefined;
  const request = { services, caller: { ...detachCaller(caller), keepOpen() {} }, agent };
  return () =>
    void Promise.resolve()
      .then(() => nameSession(request, id, title))
      .catch((err: unknown) => services.log.error({ err, chatId: id }, "a session could not be named"));
}

function firstWordsOf(prompt: readonly Json[]): string {
  const words = prompt.flatMap((block) =>
    (block as JsonObject)["type"] === "text" ? [String((block as JsonObject)["text"])] : [],
  );
  const said = words.join(" ").trimStart().slice(0, TITLE_UNITS).replaceAll(/\s+/g, " ").trim();
  // A copy: a part of a text keeps all of it in memory.
  return Buffer.from(cutText(said, ACP_TITLE_CHARACTERS)).toString();
}

/** Without the right to name it, it keeps the agent's name. */
async function nameSession(request: AcpRequest, id: string, title: string): Promise<void> {
  const chat = await readSession(request, id);
  if (!chat.ok || chat.value.title !== chat.value.agent_name) return;
  await request.services.invoke("updateChat", request.caller, { params: { id }, body: { title } });
}

/** What the agent reads about the editor, if it can use the editor's files. */
function instructionsFor({ name, ...abilities }: Editor, folder: string): string {
  const hasTools = abilities.readsFiles || abilities.writesFiles || abilities.hasTerminals;
  if (!hasTools) return "";
  return `The user works with ${name} in the folder ${folder} of their own machine. Tools of the editor take absolute paths there.`;
}

export async function answerSession(
  { services, caller }: AcpRequest,
  { jobId, answers }: { readonly jobId: string; readonly answers: AcpAnswers },
): Promise<Outcome<object>> {
  const taken = await services.invoke("answerAcpRun", caller, { params: { id: jobId }, body: { answers } });
  return taken.ok ? ok({}) : taken;
}

export async function cancelSession(
  { services, caller }: AcpRequest,
  { jobId }: { readonly jobId: string },
): Promise<Outcome<object>> {
  const cancelled = await services.invoke("cancelAcpRun", caller, { params: { id: jobId } });
  return cancelled.ok ? ok({}) : cancelled;
}
