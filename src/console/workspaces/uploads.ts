/** Sends files into a workspace and says how far they are, which `fetch` cannot: browsers tell it of `XMLHttpRequest`. */
import { Troupe } from "../../../sdk/typescript/troupe.ts";
import { SERVICE_ROOT } from "../service.ts";

interface SentFile {
  readonly workspaceId: string;
  readonly path: string;
  readonly content: File;
}

/** Writes the file. `progress` gets the share that is sent, from 0 to 1. */
export async function sendFile(
  { workspaceId, path, content }: SentFile,
  progress: (share: number) => void,
): Promise<void> {
  const service = new Troupe({
    baseUrl: location.origin + SERVICE_ROOT,
    fetch: (url, init) => requestWithProgress(url, init, progress),
  });
  await service.writeFile(workspaceId, content, { path });
}

/** Statuses whose answers have no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

function requestWithProgress(url: string, init: RequestInit, progress: (share: number) => void): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(init.method ?? "GET", url);
    request.responseType = "arraybuffer";
    for (const [name, value] of new Headers(init.headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", ({ loaded, total }) => progress(total === 0 ? 1 : loaded / total));
    request.addEventListener("load", () => {
      const { status, response } = request;
      const headers = headersIn(request.getAllResponseHeaders());
      resolve(new Response(BODILESS.has(status) ? null : (response as ArrayBuffer), { status, headers }));
    });
    request.addEventListener("error", () => reject(new TypeError("The connection failed")));
    request.addEventListener("abort", () => reject(new DOMException("Aborted", "AbortError")));
    init.signal?.addEventListener("abort", () => request.abort());
    request.send(init.body as XMLHttpRequestBodyInit);
  });
}

const headersIn = (text: string): Headers =>
  new Headers(
    text
      .trim()
      .split(/\r?\n/)
      .map((line): [string, string] => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon), line.slice(colon + 1).trim()];
      }),
  );
