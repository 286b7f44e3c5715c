/**
 * Finds OpenAI-compatible servers on this machine, so that the start can list them. It only asks for their list of
 * models; prompts go to one only with MODEL=auto. HTTP_PROXY is ignored: a proxy's 127.0.0.1 is another machine.
 */
import { listModels } from "./model-list.ts";

export interface LocalModel {
  /** The server that uses this port by default, for people. */
  readonly server: string;
  /** Including its `/v1`. */
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

/** A local server answers at once or is not there; the start waits for this long. */
export const LOCAL_PROBE_MS = 400;

/** The first model of each server that answers, in the order of `servers`. Never rejects. */
export async function findLocalModels(servers = LOCAL_SERVERS, timeoutMs = LOCAL_PROBE_MS): Promise<LocalModel[]> {
  const found = await Promise.all(servers.map((server) => probe(server, timeoutMs)));
  return found.filter((model) => model !== null);
}

async function probe({ server, port }: LocalServer, timeoutMs: number): Promise<LocalModel | null> {
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const list = await listModels(baseUrl, { timeoutMs, isLocal: true });
  // Nothing listens there, or it is not a model server: both are normal.
  const model = list.kind === "listed" ? list.models[0] : undefined;
  return model === undefined ? null : { server, baseUrl, model };
}
