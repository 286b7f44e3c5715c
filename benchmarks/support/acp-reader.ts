/**
 * A reader of streams over a WebSocket of ACP, as an editor is one. Each prompt is the first of its session. Sessions are
 * made between two prompts, and are not measured.
 */
import type { StreamLoad } from "./stream-load.ts";

interface AcpReaderParts {
  /** The prompt leaves. */
  sent(): void;
  /** A message of the service, while the prompt has no answer. */
  heard(text: string): void;
  /** The prompt has its answer. */
  ended(): void;
  failed(message: string): void;
}

export interface AcpReader {
  /** Sends a prompt in a new session. */
  ask(prompt: string): void;
  end(): void;
}

interface Answer {
  readonly id?: number;
  readonly result?: { readonly sessionId?: string };
  readonly error?: { readonly message: string };
}

export async function openAcpReader(
  { port, acp }: Pick<StreamLoad, "port" | "acp">,
  { sent, heard, ended, failed }: AcpReaderParts,
): Promise<AcpReader> {
  const headers = { authorization: `Bearer ${acp?.token ?? ""}` };
  // TypeScript has the browser's constructor here; Bun's takes headers.
  const socket = new WebSocket(`ws://127.0.0.1:${port}${acp?.path ?? ""}`, { headers } as never);
  const waiting = new Map<number, (answer: Answer) => void>();
  let last = 0;
  let prompted = 0;
  let isEnded = false;
  const send = (method: string, params: object, take: (answer: Answer) => void): void => {
    waiting.set(++last, take);
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: last, method, params }));
  };
  const call = (method: string, params: object): Promise<Answer> =>
    new Promise((resolve) => send(method, params, resolve));
  socket.addEventListener("message", ({ data }) => {
    const text = String(data);
    // Updates are not parsed: the reader shares the machine with what is measured.
    if (prompted !== 0 && text.includes('"method"')) return heard(text);
    const answer = JSON.parse(text) as Answer;
    if (answer.error !== undefined) return failed(`refused: ${answer.error.message}`);
    const take = waiting.get(answer.id ?? 0);
    waiting.delete(answer.id ?? 0);
    take?.(answer);
  });
  socket.addEventListener("close", ({ reason }) => {
    if (!isEnded) failed(`a connection was closed: ${reason}`);
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve, { once: true });
    socket.addEventListener("error", () => reject(new Error("ACP refused the connection")), { once: true });
  });
  await call("initialize", { protocolVersion: 1, clientCapabilities: {} });
  return {
    ask(prompt) {
      send("session/new", { cwd: "/bench", mcpServers: [] }, ({ result }) => {
        prompted = last + 1;
        sent();
        send("session/prompt", { sessionId: result?.sessionId, prompt: [{ type: "text", text: prompt }] }, () => {
          prompted = 0;
          ended();
        });
      });
    },
    end() {
      isEnded = true;
      socket.close();
    },
  };
}
