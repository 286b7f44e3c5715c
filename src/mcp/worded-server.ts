/**
 * A server of the SDK with readable errors, and whose work is charged. The SDK answers a request that does not fit its
 * schema with a dump of its validation, and mostly as an internal error, although it is the client's error. It also
 * waits between the parts of its work, so each part is measured by itself.
 */
import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
  type ServerOptions,
  type Transport,
} from "@modelcontextprotocol/server";

/** How many of a message's mistakes its error names. */
const NAMED_MISTAKES = 3;

/** A mistake in a message, as the SDK's validation reports it. */
interface Mistake {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Does a part of the work for messages, and charges whom they are from. */
export type TimedWork = <T>(work: () => T) => T;

type MessageHandler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

export class WordedServer extends Server {
  private readonly timed: TimedWork;

  constructor(info: ConstructorParameters<typeof Server>[0], options: ServerOptions, timed: TimedWork) {
    super(info, options);
    this.timed = timed;
  }

  override connect(transport: Transport): Promise<void> {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => this.timed(() => send(inWords(message), options));
    const connected = super.connect(transport);
    const take = transport.onmessage;
    transport.onmessage = (...given) => this.timed(() => take?.(...given));
    return connected;
  }

  /** A handler with the check of its input and the making of its answer, until it first waits. */
  protected override _wrapHandler(method: string, handler: MessageHandler): MessageHandler {
    const wrapped = super._wrapHandler(method, handler);
    return (request, context) => this.timed(() => wrapped(request, context));
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
