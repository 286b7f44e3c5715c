/** Asks a provider which models it has; OpenAI, Anthropic and compatible servers answer in the same form. */
import { providerUrl } from "./provider-address.ts";
import { type JsonLimits, parseWithin } from "../../actors/json-shape.ts";

/** A server that has not answered by then counts as unreachable; the start waits for this long. */
export const MODEL_LIST_MS = 5_000;
/** Longest list that is read, in bytes. */
const MAX_LIST_BYTES = 1024 * 1024;
/** Nesting and values of a list that is read. */
const MODEL_LIST_LIMITS: JsonLimits = { depth: 32, values: 50_000 };

/** Of a server without a list: a deployment of Azure, for example. */
const NO_LIST_STATUSES: ReadonlySet<number> = new Set([404, 405]);

export type ModelList =
  | { readonly kind: "listed"; readonly models: readonly string[] }
  /** `why` completes "could not be asked for its models: …". */
  | { readonly kind: "unreachable"; readonly why: string }
  /** It answers, and has no list. */
  | { readonly kind: "unlisted"; readonly why: string };

export interface ModelListOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** Bypasses HTTP_PROXY, because a proxy's 127.0.0.1 is another machine. */
  readonly isLocal?: boolean;
}

/** The models at `baseUrl`, which ends in `/v1`. Sends the headers and no prompt. Never rejects. */
export async function listModels(
  baseUrl: string,
  { headers = {}, timeoutMs = MODEL_LIST_MS, isLocal = false }: ModelListOptions = {},
): Promise<ModelList> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  try {
    const response = await fetch(providerUrl(baseUrl, "/models"), {
      // The key goes to the configured address only.
      redirect: "manual",
      signal: controller.signal,
      decompress: false,
      ...(isLocal ? { proxy: false } : {}),
      headers: { "accept-encoding": "identity", ...headers },
    });
    const kind = NO_LIST_STATUSES.has(response.status) ? "unlisted" : "unreachable";
    if (!response.ok) return { kind, why: `it answered ${response.status}` };
    if (response.headers.has("content-encoding")) return unreachable("its answer is compressed");
    const models = modelsIn(await readModelList(response));
    return models === null ? unreachable("its answer is not a list of models") : { kind: "listed", models };
  } catch (cause) {
    if (controller.signal.aborted) return unreachable(`no answer within ${timeoutMs / 1_000} s`);
    if (cause instanceof SyntaxError) return unreachable("its answer is not a list of models");
    return unreachable("the connection failed");
  } finally {
    clearTimeout(timer);
    controller.abort();
  }
}

const unreachable = (why: string): ModelList => ({ kind: "unreachable", why });

async function readModelList(response: Response): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_LIST_BYTES) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return parseWithin(text, MODEL_LIST_LIMITS);
}

/** The ids of `{data: [{id}]}`. */
function modelsIn(list: unknown): string[] | null {
  const data: unknown = typeof list === "object" && list !== null ? Reflect.get(list, "data") : null;
  if (!Array.isArray(data)) return null;
  const ids = data.map((item: unknown) =>
    typeof item === "object" && item !== null ? (Reflect.get(item, "id") as unknown) : null,
  );
  return ids.filter((id) => typeof id === "string" && /^\S+$/.test(id)) as string[];
}
