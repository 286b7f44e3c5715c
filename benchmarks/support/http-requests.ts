/** Requests in wire format for the load generator. */
import type { RunningService } from "./service.ts";

/** MCP wants both of its forms to be accepted. */
const ACCEPT = "application/json, text/event-stream";

const head = (method: string, path: string, headers: readonly string[]): string =>
  [`${method} ${path} HTTP/1.1`, "Host: 127.0.0.1", `Accept: ${ACCEPT}`, ...headers, "", ""].join("\r\n");

export const readAgent = ({ token, agentId }: Pick<RunningService, "token" | "agentId">): string =>
  head("GET", `/api/v1/agents/${agentId}`, [`Authorization: Bearer ${token}`]);

const TASK = JSON.stringify({
  title: "Measure the service",
  description: "A task of a usual length, made under load.",
  priority: "medium",
});

export const listTasks = ({ token }: Pick<RunningService, "token">, limit: number): string =>
  head("GET", `/api/v1/tasks?limit=${limit}`, [`Authorization: Bearer ${token}`]);

export const createTask = ({ token }: Pick<RunningService, "token">): string => post("/api/v1/tasks", token, TASK);

/** A request with this JSON body, whose characters are ASCII. */
export const post = (path: string, token: string, body: string): string => headOfPost(path, token, body.length) + body;

/** The head of a request with a body of this many bytes. */
export const headOfPost = (path: string, token: string, bytes: number): string =>
  head("POST", path, [`Authorization: Bearer ${token}`, "Content-Type: application/json", `Content-Length: ${bytes}`]);

export const get = (path: string, token: string): string => head("GET", path, [`Authorization: Bearer ${token}`]);

/** A request of anybody, without a token. */
export const getPublic = (path: string, headers: readonly string[] = []): string => head("GET", path, headers);
