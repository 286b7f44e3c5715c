/**
 * The transport of a single message whose headers were checked before: a message of a batch (`endpoint.ts`). So it needs
 * no request and no answer of its own, as the SDK's transport for HTTP does.
 */
import type { JSONRPCMessage, JSONRPCRequest, MessageExtraInfo, Transport } from "@modelcontextprotocol/server";

export class DirectTransport implements Transport {
  onmessage?: NonNullable<Transport["onmessage"]>;
  onclose?: NonNullable<Transport["onclose"]>;
  onerror?: NonNullable<Transport["onerror"]>;
  private readonly answered = Promise.withResolvers<JSONRPCMessage>();

  /** Gives the message to the server that has connected; resolves to its answer. */
  take(message: JSONRPCRequest, extra: MessageExtraInfo): Promise<JSONRPCMessage> {
    this.onmessage?.(message, extra);
    return this.answered.promise;
  }

  /** Progress and questions of the server have no way to the client of a batch. */
  send(message: JSONRPCMessage): Promise<void> {
    if (!("method" in message)) this.answered.resolve(message);
    return Promise.resolve();
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.onclose?.();
    return Promise.resolve();
  }
}
