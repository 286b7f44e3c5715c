/**
 * Logs: one JSON object a line, or text for a person when standard output is a terminal. Nothing
 * secret leaves, wherever in a line it stands: values of fields that are named as secrets, at any
 * depth, and whatever looks like a token, a key or a password of a URL, in messages and in stacks
 * too. Both are done on the finished line, or on each value of a line
 * of plain fields, so that no field and no error text escapes them.
 */
import pino from "pino";
import { FieldTexts } from "./field-texts.ts";
import { type LateLine, LogOutput } from "./log-output.ts";
import { PlainFields } from "./port.ts";
import { redact } from "./redaction.ts";

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
  flush(): Promise<void>;
}

/** Where lines go; each `line` ends with a newline. */
export interface LogSink {
  write(line: string): void;
  /** Takes a line whose text it asks for later; without this, lines are texts at once. */
  writeLate?(line: LateLine): void;
  flush?(): Promise<void>;
}

export interface LogOptions {
  readonly level: string;
  /** Text for a person; by default when standard output is a terminal. */
  readonly pretty?: boolean;
  /** Standard output unless a test takes the lines. */
  readonly sink?: LogSink;
  /** The trace that the running code belongs to, as `trace_id` of its lines. Omitted: lines have none. */
  readonly traceId?: () => string | null;
}

/** Makes the service's logger. Loads what makes lines pretty only where they are. */
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
  // `base` would add the pid and the host to each line.
  const { level, traceId } = options;
  const plain = { level, timestamp: pino.stdTimeFunctions.isoTime, base: null };
  const settings = traceId === undefined ? plain : { ...plain, mixin: () => traced(traceId()) };
  const end = { ...destination, flush: async () => sink.flush?.() };
  return wrap(pino(settings, destination), end, traceId);
}

const traced = (traceId: string | null): object => (traceId === null ? {} : { trace_id: traceId });

/** Where the lines of all its loggers go. */
interface End extends Required<LogSink> {
  /** Takes a line that holds no secret any more. */
  writeRedacted(line: string): void;
}

function wrap(logger: pino.Logger, sink: End, traceId: LogOptions["traceId"]): Logger {
  const at = (level: Level): Write => writer(logger, level, sink, traceId);
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
 * A line of plain fields, as each request writes one, is put together here from its values (`field-texts.ts`): the same
 * line as pino's for less. Exceptions, and what is no plain JSON, are pino's.
 */
function writer(logger: pino.Logger, level: Level, sink: End, traceId: LogOptions["traceId"]): Write {
  const byPino: Write = (fields: object | string, message?: string) => logger[level](fields, message);
  const isEnabled = logger.isLevelEnabled(level);
  const bound = redact(inner(logger.bindings()));
  const head = `{"level":${pino.levels.values[level]},"time":"`;
  return (fields: object | string, message?: string) => {
    if (!isEnabled) return;
    if (typeof fields === "string" || "err" in fields) return byPino(fields as object, message as string);
    const trace = traceId === undefined ? "" : inner(traced(traceId()));
    if (fields instanceof PlainFields)
      return sink.writeLate(new PlainLine(head + timeNow(), bound, { fields, trace, message: message as string }));
    const values = texts.ofFields(fields);
    if (values !== null) {
      const end = `"${bound}${values}${trace},"msg":${texts.ofValue(message as string)}}\n`;
      return sink.writeRedacted(head + timeNow() + end);
    }
    let given: string;
    try {
      given = inner(fields);
    } catch {
      return byPino(fields, message as string);
    }
    sink.write(`${head}${timeNow()}"${bound}${given}${trace},"msg":${JSON.stringify(message)}}\n`);
  };
}

/** Characters of a line of a request, about. */
const PLAIN_CHARACTERS = 256;

/** A line of plain fields. Many are put together one after the other, which costs less than each between other work. */
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

/** The members of an object as they stand in a longer JSON object, each after a comma. */
function inner(fields: object): string {
  const text = JSON.stringify(fields);
  return text === "{}" ? "" : `,${text.slice(1, -1)}`;
}

const texts = new FieldTexts();

let writtenMs = 0;
let written = "";

/** Many lines are of one millisecond. */
function timeNow(): string {
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
