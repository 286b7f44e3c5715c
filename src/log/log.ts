/**
 * Logs: one JSON object per line, or text for a person if standard output is a terminal. No secret leaves,
 * wherever in a line it is. Redacted are the values of fields with secret names, at any depth, and whatever
 * looks like a token, a key or a password in a URL, in messages and stacks too. Redaction works on the finished
 * line, or on each value of a line of plain fields, so that no field and no error text escapes it.
 */
import pino from "pino";
import { FieldTexts } from "./field-texts.ts";
import { type LateLine, LogOutput } from "./log-output.ts";
import { PlainFields } from "./port.ts";
import { redact } from "./redaction.ts";

/** Like pino's: the fields first, the message last. */
interface WriteLine {
  (message: string): void;
  (fields: object, message: string): void;
}

/** The service's logger. Pass an `Error` in the field `err`. */
export interface Logger {
  readonly debug: WriteLine;
  readonly info: WriteLine;
  readonly warn: WriteLine;
  readonly error: WriteLine;
  readonly fatal: WriteLine;
  /** A logger that adds `fields` to each line. */
  child(fields: object): Logger;
  /** Writes what is still buffered. Call it before the process exits. */
  flush(): Promise<void>;
}

/** Where lines go; each `line` ends with a newline. */
export interface LogSink {
  write(line: string): void;
  /** Takes a line that makes its text later; omitted: all lines come as text. */
  writeLate?(line: LateLine): void;
  flush?(): Promise<void>;
}

export interface LogOptions {
  readonly level: string;
  /** Text for a person; default: if standard output is a terminal. */
  readonly pretty?: boolean;
  /** Standard output, unless a test captures the lines. */
  readonly sink?: LogSink;
  /** The trace of the running code, logged as `trace_id`. Omitted: lines have none. */
  readonly traceId?: () => string | null;
}

/** Makes the service's logger. Loads the pretty printer only if it is needed. */
export async function createLogger(options: LogOptions): Promise<Logger> {
  const sink = options.sink ?? new LogOutput(1);
  const isPretty = options.pretty ?? (options.sink === undefined && process.stdout.isTTY === true);
  const target = isPretty ? await prettySink(sink) : sink;
  const destination = {
    write: (line: string) => target.write(redact(line)),
    writeRedacted: (line: string) => target.write(line),
    writeLate: (line: LateLine) =>
      target.writeLate === undefined ? target.write(String(line)) : target.writeLate(line),
  };
  // pino's default `base` would add the pid and the host to each line.
  const { level, traceId } = options;
  const plain = { level, timestamp: pino.stdTimeFunctions.isoTime, base: null };
  const settings = traceId === undefined ? plain : { ...plain, mixin: () => traceField(traceId()) };
  const end = { ...destination, flush: async () => sink.flush?.() };
  return wrap(pino(settings, destination), end, traceId);
}

const traceField = (traceId: string | null): object => (traceId === null ? {} : { trace_id: traceId });

/** Where the lines of all its loggers go. */
interface LogEnd extends Required<LogSink> {
  /** Takes a line whose secrets are already redacted. */
  writeRedacted(line: string): void;
}

function wrap(logger: pino.Logger, sink: LogEnd, traceId: LogOptions["traceId"]): Logger {
  const at = (level: Level): WriteLine => writer(logger, level, sink, traceId);
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    fatal: at("fatal"),
    child: (fields) => wrap(logger.child(fields), sink, traceId),
    flush: () => sink.flush(),
  };
}

type Level = "debug" | "info" | "warn" | "error" | "fatal";

/**
 * A line of plain fields, such as every request writes, is built here from its values (`field-texts.ts`): the
 * same line as pino's, at less cost. pino writes exceptions, and fields that are not plain JSON.
 */
function writer(logger: pino.Logger, level: Level, sink: LogEnd, traceId: LogOptions["traceId"]): WriteLine {
  const byPino: WriteLine = (fields: object | string, message?: string) => logger[level](fields, message);
  const isEnabled = logger.isLevelEnabled(level);
  const bound = redact(inner(logger.bindings()));
  const head = `{"level":${pino.levels.values[level]},"time":"`;
  return (fields: object | string, message?: string) => {
    if (!isEnabled) return;
    if (typeof fields === "string" || "err" in fields) return byPino(fields as object, message as string);
    const trace = traceId === undefined ? "" : inner(traceField(traceId()));
    if (fields instanceof PlainFields)
      return sink.writeLate(new PlainLine(head + cachedTime(), bound, { fields, trace, message: message as string }));
    const values = texts.ofFields(fields);
    if (values !== null) {
      const end = `"${bound}${values}${trace},"msg":${texts.ofValue(message as string)}}\n`;
      return sink.writeRedacted(head + cachedTime() + end);
    }
    let given: string;
    try {
      given = inner(fields);
    } catch {
      return byPino(fields, message as string);
    }
    sink.write(`${head}${cachedTime()}"${bound}${given}${trace},"msg":${JSON.stringify(message)}}\n`);
  };
}

/** Approximate length of a request's line. */
const PLAIN_CHARACTERS = 256;

/** A line of plain fields. Its text is made later, together with others: that costs less than between other work. */
class PlainLine implements LateLine {
  readonly length = PLAIN_CHARACTERS;
  private readonly begin: string;
  private readonly bound: string;
  private readonly rest: { readonly fields: PlainFields; readonly trace: string; readonly message: string };

  constructor(begin: string, bound: string, rest: PlainLine["rest"]) {
    this.begin = begin;
    this.bound = bound;
    this.rest = rest;
  }

  toString(): string {
    const { fields, trace, message } = this.rest;
    const values = texts.ofFields(fields) ?? redact(inner(fields));
    return `${this.begin}"${this.bound}${values}${trace},"msg":${texts.ofValue(message)}}\n`;
  }
}

/** The members of an object as part of a longer JSON object, a comma before each. */
function inner(fields: object): string {
  const text = JSON.stringify(fields);
  return text === "{}" ? "" : `,${text.slice(1, -1)}`;
}

const texts = new FieldTexts();

let writtenMs = 0;
let written = "";

/** Cached, because many lines share a millisecond. */
function cachedTime(): string {
  const now = Date.now();
  if (now !== writtenMs) {
    writtenMs = now;
    written = new Date(now).toISOString();
  }
  return written;
}

/** Formats in this process: a worker thread would cost memory and lose the last lines. */
async function prettySink(sink: LogSink): Promise<LogSink> {
  const { prettyFactory } = await import("pino-pretty");
  const format = prettyFactory({ colorize: true, translateTime: "SYS:HH:MM:ss.l", ignore: "pid,hostname" });
  return { write: (line) => sink.write(format(line)) };
}
