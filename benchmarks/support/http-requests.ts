/** Requests as the load generator sends them. */
import type { RunningService } from "./service.ts";

const head = (method: string, path: string, headers: readonly string[]): string =>
  [`${method} ${path} HTTP/1.1`, "Host: 127.0.0.1", "Accept: application/json", ...headers, "", ""].join("\r\n");

export const readAgent = ({ token, agentId }: Pick<RunningService, "token" | "agentId">): string =>
  head("GET", `/api/v1/agents/${agentId}`, [`Authorization: Bearer ${token}`]);

const TASK = JSON.stringify({
  title: "Measure the service",
  description: "A task of a usual length, made under load.",
  priority: "medium",
});

export const createTask = ({ token }: RunningService): string =>
  head("POST", "/api/v1/tasks", [
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    `Content-Length: ${TASK.length}`,
  ]) + TASK;
