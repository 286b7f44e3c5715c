/**
 * A model provider for tests, over real sockets: a small HTTP server that answers by a script, also
 * in ways that no proper server would (a reset, a truncated body, a frame that is no JSON). The
 * dialects of OpenAI and Anthropic stand beside it; this file knows only HTTP and the script.
 */
import { createServer, type Server, type Socket } from "node:net";

export interface FakeCall {
  readonly id: string;
  readonly name: string;
  /** The arguments as the provider sends them: JSON, or what a bad model makes of it. */
  readonly input: string;
}

/** How a stream ends. All but `finish` are faults. */
export type FakeEnd =
  /** As it should. */
  | "finish"
  /** The body ends properly, but before the last frames. */
  | "cut"
  /** The connection closes in the middle of the body. */
  | "close"
  /** The connection is reset. */
  | "reset"
  /** Nothing more comes, until the client leaves. */
  | "stall"
  /** A frame that is no JSON, then `finish`. */
  | "bad_frame"
  /** An error of the provider, in its own frame. */
  | "error_frame";

export type FakeAnswer =
  | {
      readonly kind: "stream";
      /** Whole frames before anything is said, which only keep the stream alive. */
      readonly alive?: Iterable<string> | AsyncIterable<string>;
      /** Text in pieces, as the provider cuts it. */
      readonly text?: Iterable<string> | AsyncIterable<string>;
      /** What it thinks before it says anything, in pieces. */
      readonly thoughts?: Iterable<string>;
      readonly calls?: readonly FakeCall[];
      readonly usage?: { readonly input: number; readonly output: number };
      /** The provider's own word; by default the right one. */
      readonly finishReason?: string;
      readonly end?: FakeEnd;
    }
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string;
    }
  /** 200 with this body, however wrong it is for a stream. */
  | {
      readonly kind: "body";
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string | Uint8Array;
      /** What the connection does after the body; by default the body ends. */
      readonly after?: "open" | "reset" | undefined;
    }
  /** 200 with a page, as a captive portal gives it. */
  | { readonly kind: "html" };

export type FakeStream = Extract<FakeAnswer, { kind: "stream" }>;

export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Resolves when the client has left or the answer is over. */
  readonly closed: Promise<void>;
}

/** The frames of one dialect, each a whole `event:`/`data:` text. */
export interface FakeDialect {
  head(answer: FakeStream): Iterable<string>;
  piece(text: string): string;
  tail(answer: FakeStream): Iterable<string>;
  errorFrame(): string;
  /** The answer to a GET of the list of models. */
  readonly models: string;
}

export interface FakeProvider {
  /** With `/v1`. */
  readonly baseUrl: string;
  readonly port: number;
  /** How many connections there have been. */
  readonly connections: number;
  /** Every POST, oldest first. */
  readonly requests: readonly FakeRequest[];
  /** Sets the answers to the next requests; the last one is given again and again. */
  answer(...answers: readonly FakeAnswer[]): void;
  /** Decides each answer by the body of its request. */
  answerBy(choose: (body: unknown) => FakeAnswer): void;
  /** Resolves with the next request that comes in. */
  nextRequest(): Promise<FakeRequest>;
  stop(): Promise<void>;
}

/** How long a client has to read what was sent before a reset. */
const READING_MS = 100;

export async function startFakeProvider(dialect: FakeDialect): Promise<FakeProvider> {
  const requests: FakeRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let waiting: ((request: FakeRequest) => void)[] = [];
  let answers: readonly FakeAnswer[] = [{ kind: "stream", text: ["ok"] }];
  let chosen: ((body: unknown) => FakeAnswer) | null = null;
  const server = createServer((socket) => {
    sockets.add(socket);
    connections += 1;
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    // A client that leaves in the middle is part of the tests.
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
    readRequests(socket, async (request) => {
      if (request.method === "GET") return send(socket, 200, { "content-type": "application/json" }, dialect.models);
      const answer = chosen?.(request.body) ?? answers[0] ?? { kind: "html" };
      if (answers.length > 1) answers = answers.slice(1);
      const recorded = { ...request, closed };
      requests.push(recorded);
      for (const resolve of waiting) resolve(recorded);
      waiting = [];
      await give(socket, dialect, answer);
    });
  });
  const port = await listen(server);
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    port,
    get connections() {
      return connections;
    },
    requests,
    answer: (...next) => {
      answers = next;
    },
    answerBy: (choose) => {
      chosen = choose;
    },
    nextRequest: () => new Promise((resolve) => waiting.push(resolve)),
    async stop() {
      const stopped = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await stopped;
    },
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}

/** Requests of one connection, one after the other; bodies by content-length only. A body of megabytes costs its length. */
function readRequests(socket: Socket, handle: (request: Omit<FakeRequest, "closed">) => void): void {
  let pieces: Buffer[] = [];
  let size = 0;
  /** Bytes without which the request cannot be complete. */
  let awaited = 0;
  socket.on("data", (data: Buffer) => {
    pieces.push(data);
    size += data.length;
    while (size >= awaited) {
      const buffer = Buffer.concat(pieces, size);
      pieces = [buffer];
      awaited = size + 1;
      const end = buffer.indexOf("\r\n\r\n");
      if (end < 0) return;
      const [first = "", ...lines] = buffer.subarray(0, end).toString("latin1").split("\r\n");
      const headers = Object.fromEntries(
        lines.map((line) => {
          const colon = line.indexOf(":");
          return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
        }),
      );
      const bodyEnd = end + 4 + Number(headers["content-length"] ?? 0);
      if (size < bodyEnd) {
        awaited = bodyEnd;
        return;
      }
      const text = buffer.subarray(end + 4, bodyEnd).toString("utf8");
      pieces = [buffer.subarray(bodyEnd)];
      size -= bodyEnd;
      awaited = 1;
      const [method = "", path = ""] = first.split(" ");
      handle({ method, path, headers, body: text === "" ? null : JSON.parse(text) });
    }
  });
}

function send(socket: Socket, status: number, headers: Readonly<Record<string, string>>, body: string): void {
  const lines = Object.entries({ ...headers, "content-length": String(Buffer.byteLength(body)) }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.write(`HTTP/1.1 ${status} Fake\r\n${lines.join("")}\r\n${body}`);
}

async function give(socket: Socket, dialect: FakeDialect, answer: FakeAnswer): Promise<void> {
  if (answer.kind === "html")
    return send(socket, 200, { "content-type": "text/html" }, "<html><body>Please sign in</body></html>");
  if (answer.kind === "status")
    return send(socket, answer.status, { "content-type": "application/json", ...answer.headers }, answer.body);
  const headers = { "content-type": "text/event-stream", ...(answer.kind === "body" ? answer.headers : {}) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 200 OK\r\n${lines.join("")}transfer-encoding: chunked\r\n\r\n`);
  if (answer.kind === "body") {
    await write(socket, answer.body);
    if (answer.after === undefined) socket.write("0\r\n\r\n");
    // A reset drops what its client has not read yet.
    if (answer.after === "reset") setTimeout(() => socket.resetAndDestroy(), READING_MS);
    return;
  }
  const end = answer.end ?? "finish";
  for (const frame of dialect.head(answer)) await write(socket, frame);
  for await (const frame of answer.alive ?? []) await write(socket, frame);
  for await (const piece of answer.text ?? []) await write(socket, dialect.piece(piece));
  if (end === "bad_frame") await write(socket, "data: {not json\n\n");
  if (end === "error_frame") await write(socket, dialect.errorFrame());
  if (end === "stall") return;
  if (end === "finish" || end === "bad_frame") for (const frame of dialect.tail(answer)) await write(socket, frame);
  if (end === "reset") return void socket.resetAndDestroy();
  if (end === "close") return void socket.end();
  socket.write("0\r\n\r\n");
}

/** One chunk; resolves when the kernel has it, so that what precedes a reset has been sent. */
function write(socket: Socket, bytes: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) return resolve();
    const body = Buffer.from(bytes as string);
    const head = Buffer.from(`${body.length.toString(16)}\r\n`);
    socket.write(Buffer.concat([head, body, Buffer.from("\r\n")]), () => resolve());
  });
}
