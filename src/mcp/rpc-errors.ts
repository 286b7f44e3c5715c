/** Refusals of the endpoint itself, as JSON-RPC errors. */

export const rpcError = (status: number, code: number, message: string, id: string | number | null = null): Response =>
  Response.json({ jsonrpc: "2.0", error: { code, message }, id }, { status });

export const usedId = (id: string | number): Response =>
  rpcError(400, -32_600, "A call of this session with the same request id is in flight; send another id", id);

export const needsSession = (): Response =>
  rpcError(400, -32_000, "Mcp-Session-Id is required; `initialize` gives one");
export const noSession = (): Response => rpcError(404, -32_001, "Session not found; begin a new one with `initialize`");
