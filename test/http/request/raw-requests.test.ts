/**
 * Requests that no client library sends, over a raw socket. Bun's parser decides about some of them before the
 * service hears of them; these tests say what it does, so that another version of it is noticed.
 */
import { expect, test } from "bun:test";
import { connect } from "node:net";
import { sceneOfFile } from "../../support/scene.ts";

const { service, owner } = sceneOfFile();

interface Said {
  readonly text: string;
  /** Whether the server has closed the connection. */
  readonly isClosed: boolean;
}

/** Sends these bytes, and reads until the server closes or what is waited for has come. */
async function send(bytes: string, until: (text: string) => boolean): Promise<Said> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  let text = "";
  const isClosed = await new Promise<boolean>((resolve) => {
    socket.on("data", (chunk) => {
      text += (chunk as Buffer).toString("latin1");
      if (until(text)) resolve(false);
    });
    socket.on("close", () => resolve(true));
    socket.on("error", () => {});
    socket.write(bytes);
  });
  socket.destroy();
  return { text, isClosed };
}

const request = (method: string, path: string, body = ""): string =>
  [
    `${method} ${path} HTTP/1.1`,
    `Host: ${new URL(service.url).host}`,
    `Authorization: Bearer ${owner.token}`,
    ...(body === "" ? [] : ["Content-Type: application/json", `Content-Length: ${body.length}`]),
    "",
    body,
  ].join("\r\n");
const never = (): boolean => false;
const statusOf = ({ text }: Said): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);

test("[ERR-5] an HTTP method that the path does not have is 405 with Allow, in the surface's error format", async () => {
  for (const method of ["PROPFIND", "PURGE", "TRACE", "QUERY"]) {
    const answer = await send(request(method, "/api/tasks"), (text) => text.includes('"code"'));
    expect({ method, status: statusOf(answer) }).toEqual({ method, status: 405 });
    expect(answer.text.toLowerCase()).toMatch(/\r\nallow: [a-z, ]*get/);
    expect(answer.text).toContain('"code":"method_not_allowed"');
  }
  const v1 = await send(request("PURGE", "/api/v1/tasks"), (text) => text.includes("statusMessage"));
  expect(statusOf(v1)).toBe(405);
});

test("[ERR-5] Bun closes the connection of a method that it does not know, without an answer", async () => {
  for (const method of ["FOO", "get"]) {
    expect(await send(request(method, "/api/tasks"), never)).toEqual({ text: "", isClosed: true });
  }
  const response = await service.call(owner, "GET", "/api/tasks");
  expect(response.status).toBe(200);
});

test("[ERR-5] a request with a stray CRLF after it is executed; Bun answers the CRLF with a bare 400 and closes", async () => {
  const key = 'Idempotency-Key: "stray"';
  const body = JSON.stringify({ title: "Once" });
  const post = request("POST", "/api/v1/tasks", body).replace("\r\nContent-Type", `\r\n${key}\r\nContent-Type`);
  const said = await send(`${post}\r\n`, never);
  expect(said.isClosed).toBe(true);
  expect(said.text).toContain("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
  // The client repeats it with its key, and it is still done once.
  const again = await send(post, (text) => text.includes("task-"));
  expect(statusOf(again)).toBe(200);
  const { tasks } = (await (await service.call(owner, "GET", "/api/v1/tasks")).json()) as { tasks: object[] };
  expect(tasks.length).toBe(1);
});
