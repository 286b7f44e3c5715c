/** The pages that people land on: what the service is, its guides, and the way to a chat in the console (V1-6). */
import { Elysia } from "elysia";
import { guide, guidePath, GUIDES } from "./guides.ts";
import { CONSOLE_PATH } from "../http/contract/paths.ts";
import { sessionIn } from "../http/admission/session-cookie.ts";
import { underPrefix } from "../http/request/path-prefix.ts";
import { requestIdOf } from "../http/request/caller.ts";
import { page, PAGE_HEADERS, PAGE_TYPE, prefersPage } from "../http/document/page.ts";
import { refusalPage } from "../http/document/refusal-page.ts";
import { answerWith } from "./console.ts";

/** `appUrl` is where browsers reach the service. */
export function pageRoutes(appUrl: () => string) {
  return new Elysia({ name: "pages" })
    .get("/", ({ request }) =>
      // Who is signed in wants the console, and has these links there too.
      sessionIn(request.headers.get("cookie"), appUrl()) === null
        ? underPrefix(home(request), appUrl())
        : leadTo(request, CONSOLE_PATH, appUrl()),
    )
    .get("/guides", ({ request }) => leadTo(request, guidePath("README.md"), appUrl()))
    .get("/guides/:name", ({ request, params }) => showGuide(request, params.name))
    .get("/org/spaces/:spaceId/chats/:chatId", ({ request, params }) =>
      leadTo(request, `${CONSOLE_PATH}/chats/${encodeURIComponent(params.chatId)}`, appUrl()),
    );
}

const home = (request: Request): Response =>
  page(
    {
      title: "Troupe",
      content: `<h1>Troupe</h1>
<p>This service hosts AI agents and runs them over HTTP. <a href="/account">Your account</a> has your sessions, your
access tokens and the members of your organization.</p>
<p><a class="button" href="${CONSOLE_PATH}">Open the console</a></p>
<ul>
<li><a href="/guides/README.md">Guides</a>: each subject step by step, with commands to paste</li>
<li><a href="/api/reference">Reference</a>: every operation, to try with your session or a token</li>
<li>For programs: <a href="/api/openapi.json">the contract</a> and <a href="/llms.txt">llms.txt</a></li>
<li>Status: <a href="/api/version">version</a>, <a href="/healthz">health</a>, <a href="/readyz">readiness</a></li>
</ul>
<p>Each request carries a token: <code>Authorization: Bearer &lt;token&gt;</code>. These operations are the simplest:</p>
<table>
<tr><td><code>GET /api/v1/agents</code></td><td>List the agents of your organization</td></tr>
<tr><td><code>POST /api/v1/agents</code></td><td>Create an agent: <code>name</code>, <code>systemPrompt</code></td></tr>
<tr><td><code>POST /api/v1/agents/<wbr>{id}/execute</code></td><td>Send it a message: <code>message</code>, <code>stream</code></td></tr>
<tr><td><code>GET /api/v1/tasks</code></td><td>List the tasks of your organization</td></tr>
<tr><td><code>POST /api/v1/tasks</code></td><td>Create a task: <code>title</code></td></tr>
</table>`,
    },
    { "x-request-id": requestIdOf(request) },
  );

const leadTo = (request: Request, location: string, appUrl: string): Response =>
  underPrefix(new Response(null, { status: 302, headers: { location, "x-request-id": requestIdOf(request) } }), appUrl);

async function showGuide(request: Request, name: string): Promise<Response> {
  const accept = request.headers.get("accept");
  return GUIDES.has(name) ? answerWith(request, await guide(name, accept)) : noGuide(request, accept);
}

function noGuide(request: Request, accept: string | null): Response {
  const isPage = prefersPage(accept);
  const contentType = isPage ? PAGE_TYPE : "text/plain; charset=utf-8";
  const headers = { "content-type": contentType, vary: "accept", "x-request-id": requestIdOf(request) };
  const body = isPage ? refusalPage({ kind: "not_found", noun: "route" }) : "Not found\n";
  return new Response(body, { status: 404, headers: { ...PAGE_HEADERS, ...headers } });
}
