/** An editor: the client of ACP's own SDK, unmodified, that notes what it is shown and answers what it is asked. */
import {
  client,
  type ClientConnection,
  type InitializeResponse,
  methods,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type Stream,
} from "@agentclientprotocol/sdk";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";

export interface EditorOptions {
  /** Files, by their paths; absent: the editor has no access to files. */
  readonly files?: Map<string, string>;
  /** What a command prints; absent: the editor has no terminals. */
  readonly commands?: (
    command: string,
    args: readonly string[],
  ) => { readonly output: string; readonly exitCode: number };
  readonly onPermission?: (asked: RequestPermissionRequest) => Promise<RequestPermissionResponse>;
}

export const ALLOWED: RequestPermissionResponse = { outcome: { outcome: "selected", optionId: "allow_once" } };
export const REJECTED: RequestPermissionResponse = { outcome: { outcome: "selected", optionId: "reject_once" } };

export class AcpEditor {
  readonly updates: { readonly sessionId: string; readonly update: SessionUpdate }[] = [];
  readonly permissions: RequestPermissionRequest[] = [];
  /** Questions that were taken back. */
  readonly takenBack: unknown[] = [];
  readonly connection: ClientConnection;
  initialized!: InitializeResponse;

  private readonly options: EditorOptions;

  private constructor(stream: Stream, options: EditorOptions) {
    this.options = options;
    this.connection = this.app().connect(stream);
  }

  static async over(stream: Stream, options: EditorOptions = {}): Promise<AcpEditor> {
    const editor = new AcpEditor(stream, options);
    const fs = options.files !== undefined;
    editor.initialized = await editor.agent.request(methods.agent.initialize, {
      protocolVersion: 1,
      clientInfo: { name: "test", title: "Test editor", version: "1" },
      clientCapabilities: {
        fs: { readTextFile: fs, writeTextFile: fs },
        terminal: options.commands !== undefined,
        session: { notices: {} },
      },
    });
    return editor;
  }

  get agent() {
    return this.connection.agent;
  }

  async open(cwd = "/home/ada"): Promise<string> {
    const { sessionId } = await this.agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
    return sessionId;
  }

  prompt(sessionId: string, text: string, meta?: Record<string, unknown>): Promise<PromptResponse> {
    const _meta = meta === undefined ? {} : { _meta: { troupe: meta } };
    return this.agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }], ..._meta });
  }

  /** The text of the answer, message by message. */
  messages(sessionId?: string): string[] {
    const texts = new Map<string, string>();
    for (const { update, sessionId: of } of this.updates) {
      if (sessionId !== undefined && of !== sessionId) continue;
      if (update.sessionUpdate !== "agent_message_chunk" || update.content.type !== "text") continue;
      const id = update.messageId ?? "";
      texts.set(id, (texts.get(id) ?? "") + update.content.text);
    }
    return [...texts.values()];
  }

  /** The updates in a few words. */
  words(): string[] {
    return this.updates.map(({ update }) => {
      if (update.sessionUpdate === "tool_call") return `call ${update.title} ${update.status}`;
      if (update.sessionUpdate === "tool_call_update") return `update ${update.status ?? "-"}`;
      const text = "content" in update && !Array.isArray(update.content) && update.content?.type === "text";
      return text
        ? `${update.sessionUpdate.split("_")[0]} ${(update.content as { text: string }).text}`
        : update.sessionUpdate;
    });
  }

  close(): void {
    this.connection.close();
  }

  private app() {
    const { files, commands, onPermission = async () => ALLOWED } = this.options;
    const ended = new Map<string, { output: string; exitCode: number }>();
    return client({ name: "test" })
      .onNotification(methods.client.session.update, ({ params: { sessionId, update } }) => {
        this.updates.push({ sessionId, update });
      })
      .onRequest(methods.client.session.requestPermission, ({ params, signal }) => {
        this.permissions.push(params);
        signal.addEventListener("abort", () => this.takenBack.push(params.toolCall.toolCallId));
        return onPermission(params);
      })
      .onRequest(methods.client.fs.readTextFile, ({ params: { path } }) => {
        const content = files?.get(path);
        if (content === undefined) throw new Error(`There is no file ${path}`);
        return { content };
      })
      .onRequest(methods.client.fs.writeTextFile, ({ params: { path, content } }) => {
        files?.set(path, content);
        return {};
      })
      .onRequest(methods.client.terminal.create, ({ params: { command, args = [] } }) => {
        const terminalId = `t${ended.size}`;
        ended.set(terminalId, commands!(command, args));
        return { terminalId };
      })
      .onRequest(methods.client.terminal.waitForExit, ({ params }) => ({
        exitCode: ended.get(params.terminalId)!.exitCode,
      }))
      .onRequest(methods.client.terminal.output, ({ params }) => ({
        output: ended.get(params.terminalId)!.output,
        truncated: false,
      }))
      .onRequest(methods.client.terminal.release, () => ({}))
      .onRequest(methods.client.terminal.kill, () => ({}));
  }
}

/** Bun's own takes headers beside the protocols only in one object. */
function BunWebSocket(url: string, _protocols: unknown, { headers }: { readonly headers?: Record<string, string> }) {
  return new WebSocket(url, { headers: headers ?? {} } as never);
}

/** The stream of a WebSocket to a service. */
export const acpSocket = ({
  url,
  token,
  agent,
}: {
  readonly url: string;
  readonly token: string;
  readonly agent: string | null;
}): Stream =>
  createWebSocketStream(
    `${url.replace("http", "ws")}/acp${agent === null ? "" : `?agent=${encodeURIComponent(agent)}`}`,
    { headers: { authorization: `Bearer ${token}` }, WebSocket: BunWebSocket as never },
  );
