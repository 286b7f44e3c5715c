/** The pages that people land on: what the service is, its guides, and a chat until a console shows it (V1-6). */
import { Elysia } from "elysia";
import { guide, GUIDES } from "./guides.ts";
import { underPrefix } from "../http/request/path-prefix.ts";
import { requestIdOf } from "../http/request/request-id.ts";
import { escapeHtml, page } from "../http/document/page.ts";

/** `appUrl` is where browsers reach the service. */
export function pageRoutes(appUrl: () => string) {
  return new Elysia({ name: "pages" })
    .get("/", ({ request }) => underPrefix(home(request), appUrl()))
    .get("/guides/:name", ({ request, params }) => showGuide(request, params.name))
    .get("/org/spaces/:spaceId/chats/:chatId", ({ request, params }) =>
      underPrefix(chat(request, params.chatId), appUrl()),
    );
}

const home = (request: Request): Response =>
  page(
    "Troupe",
    `<h1>Troupe</h1>
<p>This is a service that hosts AI agents and runs them over HTTP. <a href="/account">Sign in</a> for your
sessions, tokens and members. It has no console yet; its <a href="/api/reference">reference</a> shows every operation and tries them with a token, and the simplest
are under <code>/api/v1</code>: <code>Authorization: Bearer &lt;token&gt;</code>.</p>
<pre>GET  /api/v1/agents                 the agents of your organization
POST /api/v1/agents                 make one: name, systemPrompt
POST /api/v1/agents/{id}/execute    talk to one: message, stream
GET  /api/v1/tasks                  the tasks of your organization
POST /api/v1/tasks                  make one: title</pre>
<p>The <a href="/guides/README.md">guides</a> show it step by step. For programs: <a href="/api/openapi.json">the contract</a>, <a href="/llms.txt">llms.txt</a>. State of the
service: <a href="/api/version">version</a>, <a href="/healthz">alive</a>, <a href="/readyz">ready</a>.</p>`,
    { "x-request-id": requestIdOf(request) },
  );

async function showGuide(request: Request, name: string): Promise<Response> {
  const asked = {
    "if-none-match": request.headers.get("if-none-match") ?? undefined,
    "accept-encoding": request.headers.get("accept-encoding") ?? undefined,
  };
  const answer = GUIDES.has(name)
    ? await (await guide(name)).answer(asked)
    : new Response("Not found\n", { status: 404, headers: { "content-type": "text/plain; charset=utf-8" } });
  answer.headers.set("x-request-id", requestIdOf(request));
  return answer;
}

/** Says the same for every id: whether a chat exists is nobody's business here. */
function chat(request: Request, chatId: string): Response {
  const id = escapeHtml(chatId);
  return page(
    "A chat · Troupe",
    `<h1>A chat with an agent</h1>
<p>This address names the chat <code>${id}</code>. There is no console yet, so it cannot be shown here;
it goes on over the API, with a token of its organization:</p>
<pre>POST /api/v1/agents/{id}/execute
{"chatId": "${id}", "message": "Hello", "stream": true}</pre>
<p><a href="/">What this service is</a></p>`,
    { "x-request-id": requestIdOf(request) },
  );
}
