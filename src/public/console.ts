/**
 * The console under `/app`: one page for every path, and the files that it loads. They are built from `src/console` by
 * Bun's bundler at the first request, so a start has no cost from them; a release that ships without sources has them
 * built in `console/`. Their names contain their hash, so browsers keep them for ever.
 */
import { Elysia } from "elysia";
import { CONSOLE_PATH } from "../http/contract/paths.ts";
import { PublicDocument } from "../http/document/document.ts";
import { escapeHtml, ICON_LINK, PAGE_TYPE } from "../http/document/page.ts";
import { requestIdOf } from "../http/request/caller.ts";
import { pathPrefixOf } from "../http/request/path-prefix.ts";
import { consoleFiles } from "./console-files.ts";

const FILES_PATH = `${CONSOLE_PATH}/files`;

/** Only this service is asked for anything, and no other page may frame the console. Images may be previews. */
const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const CONSOLE_HEADERS = {
  "content-security-policy": CONSOLE_POLICY,
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "cross-origin-opener-policy": "same-origin",
};

const KEPT_FOR_EVER = "public, max-age=31536000, immutable";

interface ServedConsole {
  readonly page: PublicDocument;
  readonly files: ReadonlyMap<string, PublicDocument>;
}

/** `appUrl` is where browsers reach the service. */
export function consoleRoutes(appUrl: () => string) {
  let served: Promise<ServedConsole> | null = null;
  const load = async (): Promise<ServedConsole> => {
    const loading = (served ??= serve(pathPrefixOf(appUrl())));
    try {
      return await loading;
    } catch (cause) {
      // The next request tries again.
      served = null;
      throw cause;
    }
  };
  const showPage = async ({ request }: { readonly request: Request }): Promise<Response> =>
    answerWith(request, (await load()).page);
  const sendFile = async (request: Request, name: string): Promise<Response> => {
    const file = (await load()).files.get(name);
    if (file !== undefined) return answerWith(request, file);
    // Another replica may have it already, or still.
    return new Response("Not found\n", { status: 404, headers: { "cache-control": "no-store" } });
  };
  return new Elysia({ name: "console" })
    .get(CONSOLE_PATH, showPage)
    .get(`${CONSOLE_PATH}/*`, showPage)
    .get(`${FILES_PATH}/:name`, ({ request, params }) => sendFile(request, params.name));
}

export async function answerWith(request: Request, document: PublicDocument): Promise<Response> {
  const answer = await document.answer({
    "if-none-match": request.headers.get("if-none-match") ?? undefined,
    "accept-encoding": request.headers.get("accept-encoding") ?? undefined,
  });
  answer.headers.set("x-request-id", requestIdOf(request));
  return answer;
}

async function serve(prefix: string): Promise<ServedConsole> {
  const built = await consoleFiles();
  const files = new Map(
    built.files.map(({ name, contentType, bytes }) => [
      name,
      new PublicDocument(bytes, {
        contentType,
        cacheControl: KEPT_FOR_EVER,
        headers: { "x-content-type-options": "nosniff" },
      }),
    ]),
  );
  const path = (name: string): string => escapeHtml(`${prefix}${FILES_PATH}/${name}`);
  const preloads = built.needed.map((name) => `<link rel="modulepreload" href="${path(name)}">`).join("");
  const text = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Troupe</title>
<meta name="troupe-root" content="${escapeHtml(prefix)}">${ICON_LINK}
<link rel="stylesheet" href="${path(built.style)}">${preloads}<script type="module" src="${path(built.program)}"></script></head>
<body><div id="console"><noscript>The console needs JavaScript. <a href="${escapeHtml(prefix)}/account">Your account</a> does not.</noscript></div></body>
</html>
`;
  const page = new PublicDocument(text, {
    contentType: PAGE_TYPE,
    cacheControl: "no-cache",
    headers: CONSOLE_HEADERS,
  });
  return { page, files };
}
