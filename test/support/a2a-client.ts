/** The client of Agent2Agent that its project publishes, what it sends, and what a person sees of its streams. */
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from "@a2a-js/sdk/client";
import {
  type Message,
  type Part,
  Role,
  type StreamResponse,
  type Task,
  type TaskPushNotificationConfig,
  type TaskState,
} from "@a2a-js/sdk";

export const textPart = (value: string): Part => ({
  content: { $case: "text", value },
  metadata: undefined,
  filename: "",
  mediaType: "",
});
export const dataPart = (value: unknown): Part => ({ ...textPart(""), content: { $case: "data", value } });

export const said = (part: Part, fields: Partial<Message> = {}): Message => ({
  messageId: crypto.randomUUID(),
  contextId: "",
  taskId: "",
  role: Role.ROLE_USER,
  parts: [part],
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
  ...fields,
});
export const sending = (
  message: Message,
  configuration?: {
    readonly returnImmediately?: boolean;
    readonly historyLength?: number;
    readonly taskPushNotificationConfig?: TaskPushNotificationConfig;
  },
) => ({
  tenant: "",
  message,
  metadata: undefined,
  configuration:
    configuration === undefined
      ? undefined
      : { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: false, ...configuration },
});
export const named = (id: string) => ({ tenant: "", id, metadata: undefined });

export const textOf = (parts: readonly Part[] = []): string =>
  parts.map(({ content }) => (content?.$case === "text" ? content.value : "")).join("");
export const answerOf = (task: Task): string => textOf(task.artifacts.find(({ name }) => name === "answer")?.parts);

/** What a reader of a stream shows: the states in their order, and the answer as its artifact says. */
export class Shown {
  readonly states: TaskState[] = [];
  readonly data: unknown[] = [];
  answer = "";
  task: Task | null = null;

  take({ payload }: StreamResponse): void {
    if (payload?.$case === "task") {
      this.task = payload.value;
      this.states.push(payload.value.status!.state);
      this.answer = answerOf(payload.value);
    } else if (payload?.$case === "statusUpdate") {
      const { state, message } = payload.value.status!;
      if (this.states.at(-1) !== state) this.states.push(state);
      for (const { content } of message?.parts ?? []) if (content?.$case === "data") this.data.push(content.value);
    } else if (payload?.$case === "artifactUpdate" && payload.value.artifact?.name === "answer") {
      const piece = textOf(payload.value.artifact.parts);
      this.answer = payload.value.append ? this.answer + piece : piece;
    }
  }

  async all(stream: AsyncIterable<StreamResponse>): Promise<this> {
    for await (const one of stream) this.take(one);
    return this;
  }
}

export const TRANSPORTS = { JSONRPC: JsonRpcTransportFactory, "HTTP+JSON": RestTransportFactory } as const;

/** A client of the agent: the service is at `url`, whatever its cards say. */
export async function connectA2a(
  binding: keyof typeof TRANSPORTS,
  { url, token, agent }: { readonly url: string; readonly token: string; readonly agent: string },
) {
  const fetchImpl = ((asked: string | URL, init?: RequestInit) => {
    const { pathname, search } = new URL(asked);
    const headers = new Headers(init?.headers);
    headers.set("authorization", `Bearer ${token}`);
    return fetch(`${url}${pathname}${search}`, { ...init, headers });
  }) as typeof fetch;
  const factory = new ClientFactory({
    transports: [new TRANSPORTS[binding]({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  });
  return factory.createFromUrl(`${url}/a2a/agents/${agent}/`, ".well-known/agent-card.json");
}
