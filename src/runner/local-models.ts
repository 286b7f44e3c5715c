/**
 * Looks for OpenAI-compatible servers on this machine, so that the start can say what is there.
 * It asks for their list of models and nothing else; a prompt goes to one with MODEL=auto only.
 * What HTTP_PROXY says is no matter here: a proxy's 127.0.0.1 is another machine.
 */

export interface LocalModel {
  /** The usual server of that port, for people. */
  readonly server: string;
  /** With its `/v1`. */
  readonly baseUrl: string;
  readonly model: string;
}

export interface LocalServer {
  readonly server: string;
  readonly port: number;
}

/** In the order in which `auto` prefers them. */
export const LOCAL_SERVERS: readonly LocalServer[] = [
  { server: "ollama", port: 11_434 },
  { server: "vllm", port: 8_000 },
  { server: "llama-server", port: 8_080 },
  { server: "lm-studio", port: 1_234 },
];

/** A local server answers at once or is not there; the start waits for this. */
export const LOCAL_PROBE_MS = 400;
/** Longest list of models that is read, in bytes. */
const MAX_LIST_BYTES = 1024 * 1024;

/** The first model of each server that answers, in the order of `servers`. Never rejects. */
export async function findLocalModels(servers = LOCAL_SERVERS, timeoutMs = LOCAL_PROBE_MS): Promise<LocalModel[]> {
  const found = await Promise.all(servers.map((server) => probe(server, timeoutMs)));
  return found.filter((model) => model !== null);
}

async function probe({ server, port }: LocalServer, timeoutMs: number): Promise<LocalModel | null> {
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  try {
    const response = await fetch(`${baseUrl}/models`, {
      redirect: "manual",
      signal: controller.signal,
      proxy: false,
    });
    const model = response.ok ? firstModel(await readBounded(response)) : null;
    return model === null ? null : { server, baseUrl, model };
  } catch {
    // Nothing listens there, or something that is no model server: both are normal.
    return null;
  } finally {
    clearTimeout(timer);
    controller.abort();
  }
}

async function readBounded(response: Response): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_LIST_BYTES) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return JSON.parse(text);
}

/** The first id of `{data: [{id}]}`. */
function firstModel(list: unknown): string | null {
  const data: unknown = typeof list === "object" && list !== null ? Reflect.get(list, "data") : null;
  const first: unknown = Array.isArray(data) ? data[0] : null;
  const id: unknown = typeof first === "object" && first !== null ? Reflect.get(first, "id") : null;
  return typeof id === "string" && id !== "" ? id : null;
}
