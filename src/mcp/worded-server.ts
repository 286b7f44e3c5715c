/**
 * A server of the SDK with readable errors. The SDK answers a request that does not fit its schema with a dump of its
 * validation, and mostly as an internal error, although it is the client's error.
 */
import { type JSONRPCMessage, ProtocolErrorCode, Server, type Transport } from "@modelcontextprotocol/server";

/** How many of a message's mistakes its error names. */
const NAMED_MISTAKES = 3;

/** A mistake in a message, as the SDK's validation reports it. */
interface Mistake {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export class WordedServer extends Server {
  override connect(transport: Transport): Promise<void> {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(inWords(message), options);
    return super.connect(transport);
  }
}

/** The message; an error with a dump of a validation has sentences instead. */
function inWords(message: JSONRPCMessage): JSONRPCMessage {
  if (!("error" in message)) return message;
  const { error } = message;
  const mistakes = mistakesIn(error.message);
  if (mistakes === null) return message;
  const words = mistakes.slice(0, NAMED_MISTAKES).map(sentenceOf).join(". ");
  return { ...message, error: { ...error, code: ProtocolErrorCode.InvalidParams, message: words } };
}

function mistakesIn(text: string): readonly Mistake[] | null {
  const from = text.indexOf("[\n");
  if (from === -1 || !text.endsWith("]")) return null;
  try {
    return JSON.parse(text.slice(from)) as readonly Mistake[];
  } catch {
    return null;
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  array: "an array",
  boolean: "true or false",
  int: "a whole number",
  number: "a number",
  object: "an object",
  record: "an object",
  string: "a string",
};

function sentenceOf({ path, message }: Mistake): string {
  const field = path.join(".");
  const [, expected = "", received] = /^Invalid input: expected (\w+), received (\w+)$/.exec(message) ?? [];
  if (received === "undefined") return `${field} is required`;
  return received === undefined ? `${field}: ${message}` : `${field} must be ${TYPE_NAMES[expected] ?? expected}`;
}
