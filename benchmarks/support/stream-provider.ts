/**
 * A model provider with OpenAI's chat completions, in its own process, over bare sockets: it costs little, so that the
 * measurement shows the service. The prompt controls the answer: `deltas=50 every=20` makes 50 pieces of text, one
 * every 20 ms, the first at once. The text of each piece is the time at which it was sent. `group=own` makes one piece,
 * and further ones only on demand, evenly in time and in turns by all answers of the group.
 */
import type { Socket } from "bun";
import { wallMs } from "./wall-clock.ts";
import { serveWorker } from "./worker.ts";

const chunk = (delta: object, finish: string | null = null): string =>
  frame({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "fake-model",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
const frame = (data: object): string => sized(`data: ${JSON.stringify(data)}\n\n`);
const sized = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

const HEAD =
  "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n" +
  chunk({ role: "assistant", content: "" });
const TAIL =
  chunk({}, "stop") +
  frame({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "fake-model",
    choices: [],
    usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
  }) +
  sized("data: [DONE]\n\n") +
  "0\r\n\r\n";

export type ProviderQuestion =
  | null
  /** So many pieces by each answer of the group, each after `everyMs`. */
  | { readonly kind: "say"; readonly group: string; readonly pieces: number; readonly everyMs: number }
  /** The end of all answers that wait. */
  | { readonly kind: "end" };

interface Connection {
  text: string;
}
const groups = new Map<string, Socket<Connection>[]>();

function receive(socket: Socket<Connection>, bytes: Buffer): void {
  const { data } = socket;
  data.text += bytes.toString("latin1");
  const end = data.text.indexOf("\r\n\r\n");
  if (end === -1) return;
  const length = Number(data.text.match(/content-length: (\d+)/i)?.[1] ?? 0);
  if (data.text.length < end + 4 + length) return;
  // The last prompt of the conversation applies.
  const [, deltas, every] = [...data.text.matchAll(/deltas=(\d+) every=(\d+)/g)].at(-1) ?? [];
  const group = [...data.text.matchAll(/group=(\w+)/g)].at(-1)?.[1];
  data.text = "";
  socket.write(HEAD);
  if (group !== undefined) return join(group, socket);
  say(socket, Number(deltas), Number(every));
}

function join(group: string, socket: Socket<Connection>): void {
  socket.write(piece());
  const others = groups.get(group);
  if (others === undefined) groups.set(group, [socket]);
  else others.push(socket);
}

const piece = (): string => chunk({ content: `${wallMs().toFixed(3)} ` });

async function sayAll({ group, pieces, everyMs }: Extract<ProviderQuestion, { kind: "say" }>): Promise<void> {
  const sockets = groups.get(group) ?? [];
  const gapMs = everyMs / sockets.length;
  const from = performance.now();
  for (let said = 0; said < pieces * sockets.length;) {
    await Bun.sleep(Math.max(1, from + said * gapMs - performance.now()));
    const due = Math.min(pieces * sockets.length, Math.floor((performance.now() - from) / gapMs) + 1);
    while (said < due) sockets[said++ % sockets.length]!.write(piece());
  }
}

function endAll(): void {
  for (const sockets of groups.values()) for (const socket of sockets) socket.write(TAIL);
  groups.clear();
}

function say(socket: Socket<Connection>, left: number, every: number): void {
  if (socket.readyState !== 1) return;
  if (left === 0) return void socket.write(TAIL);
  socket.write(piece());
  setTimeout(say, left === 1 ? 0 : every, socket, left - 1, every);
}

const server = Bun.listen<Connection>({
  hostname: "127.0.0.1",
  port: 0,
  socket: { open: (socket) => void (socket.data = { text: "" }), data: receive, error: () => {} },
});

serveWorker<ProviderQuestion, { readonly port: number }>(async (question) => {
  if (question?.kind === "say") await sayAll(question);
  if (question?.kind === "end") endAll();
  return { port: server.port };
});
