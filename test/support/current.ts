/** What tests of the current surface expect and do again and again. */
import { expect } from "bun:test";
import { until } from "./condition.ts";
import type { Caller, Service } from "./service.ts";

/** A record as JSON; tests look at single fields of it. */
export type Json = Record<string, unknown>;

/** The body of an answer with this status. */
export async function answered<T = Json>(response: Promise<Response> | Response, status = 200): Promise<T> {
  const answer = await response;
  const text = await answer.text();
  expect({ status: answer.status, text }).toEqual({ status, text });
  return JSON.parse(text) as T;
}

interface Refused {
  readonly type: string;
  readonly code: string;
  readonly error: string;
  readonly message: string;
  readonly status: number;
  readonly request_id: string;
  readonly details: Json;
}

/** The whole of a failure (ERR-1); answers its details. */
export async function refused(response: Promise<Response> | Response, status: number, code: string): Promise<Json> {
  const answer = await response;
  const body = await answered<Refused>(answer, status);
  expect(body).toEqual({
    type: `https://troupe.test/api/errors#error-${code}`,
    code,
    error: code,
    message: expect.stringMatching(/\S/) as string,
    status,
    request_id: answer.headers.get("x-request-id") ?? "",
    details: expect.any(Object) as Json,
  });
  return body.details;
}

/** A chat as the tests need it. */
export interface Chat extends Json {
  readonly id: string;
  readonly status: string;
  readonly version: number;
  readonly title: string;
  readonly active_job_id: string | null;
  readonly queued_messages: number;
  readonly message_count: number;
  readonly options: Json;
}

export interface Message extends Json {
  readonly id: string;
  readonly role: string;
  readonly status: string;
  readonly content: string;
  readonly job_id: string | null;
  readonly seq: number;
}

export interface Job extends Json {
  readonly id: string;
  readonly status: string;
  readonly version: number;
  readonly blocked_reason: string | null;
  readonly approvals: readonly {
    readonly id: string;
    readonly tool_call_id: string;
    readonly arguments: Json;
    readonly decision: string | null;
  }[];
  readonly review: Json;
  readonly result: string | null;
  readonly allowed_actions: readonly string[];
  readonly chat_id: string;
  readonly last_seq: number;
}

export interface Sent {
  readonly message: Message;
  readonly job: Job;
  readonly chat: Chat;
  readonly queued_position: number;
}

export interface Receipt {
  readonly job: Job;
  readonly stopped_at_seq: number | null;
  readonly partial_message_id?: string;
  readonly tool_calls_finished: number;
  readonly tool_calls_aborted: number;
}

export interface MessagePage {
  readonly chat_id: string;
  readonly title: string;
  readonly status: string;
  readonly messages: readonly Message[];
  readonly work: {
    readonly active_job_id: string | null;
    readonly jobs: readonly Json[];
    readonly artifacts: readonly Json[];
    readonly needs_attention: boolean;
  };
  readonly next_cursor?: string;
}

/** The usage of one call of the fake model, which has no price. */
export const UNPRICED_CALL = {
  input_tokens: 7,
  output_tokens: 3,
  cached_input_tokens: 0,
  cache_write_tokens: 0,
  cost: null,
  unpriced_tokens: 10,
  own_key_tokens: 0,
  estimated_tokens: 0,
} as const;

/** A caller's hands on the current surface. */
export class Client {
  private readonly service: Service;
  private readonly caller: Caller;

  constructor(service: Service, caller: Caller) {
    this.service = service;
    this.caller = caller;
  }

  call(method: string, path: string, body?: unknown): Promise<Response> {
    return this.service.call(this.caller, method, path, body);
  }

  /** Posts bytes as they are. */
  upload(path: string, body: string | Uint8Array<ArrayBuffer>): Promise<Response> {
    const headers = { authorization: `Bearer ${this.caller.token}` };
    return fetch(`${this.service.url}${path}`, { method: "POST", headers, body });
  }

  /** Puts a file into a workspace, as it is. */
  putFile(workspaceId: string, path: string, body: string | Uint8Array<ArrayBuffer>, type?: string): Promise<Response> {
    const headers = {
      authorization: `Bearer ${this.caller.token}`,
      ...(type === undefined ? {} : { "content-type": type }),
    };
    const url = `${this.service.url}/api/workspaces/${workspaceId}/files/content?path=${encodeURIComponent(path)}`;
    return fetch(url, { method: "PUT", headers, body });
  }

  get<T = Json>(path: string): Promise<T> {
    return answered<T>(this.call("GET", path));
  }

  /** A new agent's id. */
  async agent(fields: Json = {}): Promise<string> {
    const body = { name: "Ada", system_prompt: "Be brief.", ...fields };
    return (await answered<{ readonly id: string }>(this.call("POST", "/api/agents", body), 201)).id;
  }

  /** A new chat's id. */
  async chat(agentId: string, workspaceId: string, fields: Json = {}): Promise<string> {
    const body = { agent_id: agentId, workspace_id: workspaceId, ...fields };
    return (await answered<Chat>(this.call("POST", "/api/chats", body), 201)).id;
  }

  send(chatId: string, content: string, fields: Json = {}): Promise<Sent> {
    return answered<Sent>(this.call("POST", `/api/chats/${chatId}/messages`, { content, ...fields }), 202);
  }

  job(id: string): Promise<Job> {
    return this.get<Job>(`/api/jobs/${id}`);
  }

  readChat(id: string): Promise<Chat> {
    return this.get<Chat>(`/api/chats/${id}`);
  }

  async messages(chatId: string): Promise<readonly Message[]> {
    return (await this.get<MessagePage>(`/api/chats/${chatId}/messages?limit=100`)).messages;
  }

  decide(jobId: string, verb: string, body?: unknown, query = ""): Promise<Response> {
    return this.call("POST", `/api/jobs/${jobId}/${verb}${query}`, body);
  }

  /** The job once it has this status. */
  async reached(jobId: string, status: string): Promise<Job> {
    let job = await this.job(jobId);
    await until(
      `job ${jobId} is ${status}, not ${job.status}`,
      async () => (job = await this.job(jobId)).status === status,
    );
    return job;
  }
}
