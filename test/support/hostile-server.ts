/**
 * A server that means harm, as a process of its own, so that what it costs to attack is not counted as
 * what it costs to be attacked. The name of the model, or the path, names the attack:
 *
 *   POST /v1/chat/completions {model}     a model provider
 *   POST /mcp/<attack>                    an MCP server
 *   GET  /page/<attack>                   a web page
 *   GET  /counts                          what it has been asked for, and how many bytes it has sent
 *
 * Prints its port, and lives until its standard input ends.
 */
import { mcpAnswer } from "./hostile-mcp.ts";
import { pageAnswer } from "./hostile-pages.ts";
import { providerAnswer } from "./hostile-provider.ts";

const counts = { requests: {} as Record<string, number>, bytes: 0 };

/** Counts what is taken of the body. */
function counted(response: Response): Response {
  const { body } = response;
  if (body === null) return response;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      counts.bytes += chunk.length;
      controller.enqueue(chunk);
    },
  });
  return new Response(body.pipeThrough(counter), response);
}

async function answer(request: Request): Promise<Response> {
  const [, kind = "", attack = ""] = new URL(request.url).pathname.split("/");
  if (kind === "counts") return Response.json(counts);
  const key = `${request.method} ${kind}`;
  counts.requests[key] = (counts.requests[key] ?? 0) + 1;
  if (kind === "v1") return counted(providerAnswer(((await request.json()) as { readonly model: string }).model));
  if (kind === "mcp") return counted(await mcpAnswer(attack, request));
  return counted(pageAnswer(attack));
}

const server = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 0, fetch: answer });
console.log(server.port);
for await (const _ of Bun.stdin.stream()); // until its parent has ended
await server.stop(true);
process.exit(0);
