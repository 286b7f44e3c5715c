/**
 * Logs: one JSON object a line, or text for a person when standard output is a terminal. Nothing
 * secret leaves, wherever in a line it stands: values of fields that are named as secrets, at any
 * depth, and whatever looks like a token, a key or a password of a URL, in messages and in stacks
 * too. Both are done on the finished line, so that no field and no error text escapes them.
 */
import pino from "pino";
import { LogOutput } from "./log-output.ts";

/** As pino's: fields first, and the message last. */
interface Write {
  (message: string): void;
  (fields: object, message: string): void;
}

/** What the service logs with. An `Error` goes in the field `err`. */
export interface Logger {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
  readonly fatal: Write;
  /** A logger that adds `fields` to each line. */
  child(fields: object): Logger;
  /** Writes out what is still in memory. Call it before the process exits. */
  flush(): void;
}

/** Where lines go; each `line` ends with a newline. */
export interface LogSink {
  write(line: string): void;
  flush?(): void;
}

export interface LogOptions {
  readonly level: string;
  /** Text for a person; by default when standard output is a terminal. */
  readonly pretty?: boolean;
  /** Standard output unless a test takes the lines. */
  readonly sink?: LogSink;
}

const SECRET_FIELD =
  /"(authorization|proxy-authorization|cookie|set-cookie|x-api-key|password|passphrase|secret|client_?secret|api_?key|token|(?:access|refresh|id)_?token|database_?url)":(?:"(?:[^"\\]|\\.)*"|\[[^\]]*\])/gi;
/** Tokens of ours, keys of providers, credentials of headers. Stops at what ends a JSON string. */
const SECRET_TEXT = /\b((?:pat|svc)_)[\w-]{8,}|\b(sk-)[\w-]{8,}|\b(Bearer|Basic) +[\w.~+/=-]+/gi;
const URL_PASSWORD = /(\/\/[^\s:/@"\\]*):[^\s/@"\\]+@/g;

/** `text` without secrets; a JSON line stays one. */
export function redact(text: string): string {
  return text
    .replace(SECRET_FIELD, '"$1":"[redacted]"')
    .replace(
      SECRET_TEXT,
      (_match, own?: string, key?: string, scheme?: string) => `${own ?? key ?? `${scheme} `}[redacted]`,
    )
    .replace(URL_PASSWORD, "$1:[redacted]@");
}

/** Makes the service's logger. Loads what makes lines pretty only where they are. */
export async function createLogger(options: LogOptions): Promise<Logger> {
  const sink = options.sink ?? new LogOutput(1);
  const isPretty = options.pretty ?? (options.sink === undefined && process.stdout.isTTY === true);
  const target = isPretty ? await prettySink(sink) : sink;
  const destination = { write: (line: string) => target.write(redact(line)) };
  // `base` would add the pid and the host to each line.
  const settings = { level: options.level, timestamp: pino.stdTimeFunctions.isoTime, base: null };
  return wrap(pino(settings, destination), () => sink.flush?.());
}

function wrap(logger: pino.Logger, flush: () => void): Logger {
  return {
    debug: logger.debug.bind(logger),
    info: logger.info.bind(logger),
    warn: logger.warn.bind(logger),
    error: logger.error.bind(logger),
    fatal: logger.fatal.bind(logger),
    child: (fields) => wrap(logger.child(fields), flush),
    flush,
  };
}

/** Formats in this process: a worker thread would cost memory and lose the last lines. */
async function prettySink(sink: LogSink): Promise<LogSink> {
  const { prettyFactory } = await import("pino-pretty");
  const format = prettyFactory({ colorize: true, translateTime: "SYS:HH:MM:ss.l", ignore: "pid,hostname" });
  return { write: (line) => sink.write(format(line)) };
}
