/** A published client of each foreign protocol, whose answer is cut in the middle and read on elsewhere. */
import OpenAI from "openai";
import { TroupeAgent } from "../../sdk/typescript/ag-ui.ts";
import { AcpEditor, acpSocket } from "./acp-editor.ts";
import { connectA2a, said, sending, Shown, textPart, type TRANSPORTS } from "./a2a-client.ts";
import { textOf, uiChat } from "./ui-chat.ts";

export interface ClientPlace {
  readonly url: string;
  readonly token: string;
  readonly agent: string;
}

export interface CutClient {
  /** A connection to another replica than the owner outlives the owner: the answer goes on. */
  readonly outlivesOwner?: true;
  /** What its person sees of the answer now. */
  readonly shown: () => string;
  /** Asks, and reads until the answer ends or is cut. */
  ask(at: ClientPlace): Promise<void>;
  /** Reads the rest, as far as the protocol can resume; else asks the same again. */
  resume(at: ClientPlace): Promise<void>;
}

function completions(question: string): CutClient {
  let answer = "";
  const ask = async ({ url, token, agent: model }: ClientPlace): Promise<void> => {
    answer = "";
    const openai = new OpenAI({ apiKey: token, baseURL: `${url}/openai/v1`, maxRetries: 0 });
    const messages = [{ role: "user" as const, content: question }];
    for await (const { choices } of await openai.chat.completions.create({ model, messages, stream: true }))
      answer += choices[0]?.delta.content ?? "";
  };
  return { shown: () => answer, ask, resume: ask };
}

function responses(question: string): CutClient {
  let answer = "";
  let id = "";
  let after = 0;
  const openai = ({ url, token }: ClientPlace): OpenAI =>
    new OpenAI({ apiKey: token, baseURL: `${url}/openai/v1`, maxRetries: 0 });
  const read = async (stream: AsyncIterable<OpenAI.Responses.ResponseStreamEvent>): Promise<void> => {
    for await (const event of stream) {
      if (event.type === "response.created") ({ id } = event.response);
      if (event.type === "response.output_text.delta") answer += event.delta;
      after = event.sequence_number;
    }
  };
  return {
    shown: () => answer,
    ask: async (at) => read(await openai(at).responses.create({ model: at.agent, input: question, stream: true })),
    resume: async (at) => read(await openai(at).responses.retrieve(id, { stream: true, starting_after: after })),
  };
}

function aiSdk(question: string): CutClient {
  let place: ClientPlace | null = null;
  const atPlace = ((path: string, init: RequestInit) => {
    const { url, token } = place!;
    return fetch(`${url}${path.replace("/AGENT/", `/${place!.agent}/`)}`, {
      ...init,
      headers: { ...(init.headers as Record<string, string>), authorization: `Bearer ${token}` },
    });
  }) as typeof fetch;
  const chat = uiChat({ url: "", token: "", agentId: "AGENT", id: crypto.randomUUID(), fetch: atPlace });
  return {
    shown: () => (chat.lastMessage?.role === "assistant" ? textOf(chat.lastMessage) : ""),
    async ask(at) {
      place = at;
      await chat.sendMessage({ text: question });
    },
    async resume(at) {
      place = at;
      await chat.resumeStream({ metadata: "cut" });
      if (chat.error !== undefined) throw chat.error;
    },
  };
}

const a2a =
  (binding: keyof typeof TRANSPORTS) =>
  (question: string): CutClient => {
    const shown = new Shown();
    const message = said(textPart(question));
    return {
      shown: () => shown.answer,
      ask: async (at) => void (await shown.all((await connectA2a(binding, at)).sendMessageStream(sending(message)))),
      async resume(at) {
        const client = await connectA2a(binding, at);
        const again = await client.sendMessage(sending(message, { returnImmediately: true }));
        const { id } = shown.task!;
        if (!("status" in again) || again.id !== id) throw new Error("the same message is another task");
        await shown.all(client.resubscribeTask({ tenant: "", id }));
      },
    };
  };

/** The client of AG-UI cancels a body that has failed, and throws its error where nobody can take it: here it ends. */
async function endedWhenCut(url: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(url, init);
  const reader = answer.body?.getReader();
  if (reader === undefined) return answer;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read().catch(() => ({ done: true as const, value: undefined }));
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => reader.cancel().catch(() => undefined),
  });
  return new Response(body, answer);
}

function agUi(question: string): CutClient {
  const agent = new TroupeAgent({ url: "", threadId: crypto.randomUUID(), fetch: endedWhenCut });
  const turnTo = ({ url, token, agent: id }: ClientPlace): void => {
    agent.url = `${url}/ag-ui/agents/${id}`;
    agent.headers = { authorization: `Bearer ${token}` };
  };
  return {
    shown: () => agent.messages.flatMap(({ role, content }) => (role === "assistant" ? [content ?? ""] : [])).join("|"),
    async ask(at) {
      turnTo(at);
      agent.addMessage({ id: crypto.randomUUID(), role: "user", content: question });
      await agent.runAgent();
    },
    async resume(at) {
      turnTo(at);
      await agent.runAgent();
    },
  };
}

function acp(question: string): CutClient {
  let editor: AcpEditor | null = null;
  let sessionId = "";
  const message = { message_id: crypto.randomUUID() };
  const prompt = async (at: ClientPlace): Promise<void> => {
    editor = await AcpEditor.over(acpSocket(at));
    if (sessionId === "") sessionId = await editor.open();
    await editor.prompt(sessionId, question, message);
  };
  return { outlivesOwner: true, shown: () => editor?.messages().join("|") ?? "", ask: prompt, resume: prompt };
}

/** By the names of the streams. */
export const CUT_CLIENTS: Readonly<Record<string, (question: string) => CutClient>> = {
  "OpenAI Chat Completions": completions,
  "OpenAI Responses": responses,
  "AI SDK UI": aiSdk,
  "A2A 1.0 over JSON-RPC": a2a("JSONRPC"),
  "A2A 1.0 over HTTP+JSON": a2a("HTTP+JSON"),
  "AG-UI": agUi,
  "ACP 1": acp,
};
