/**
 * A reader of streams over a bare socket, or over a WebSocket of ACP: one stream after the other. Every piece of text
 * contains the time at which the provider sent it.
 */
import type { Socket } from "bun";
import { openAcpReader } from "./acp-reader.ts";
import { type StreamLoad, UNIQUE } from "./stream-load.ts";
import { wallMs } from "./wall-clock.ts";

const STAMP = /\d{13}\.\d{3}/g;
/** The end of a stream repeats the text of the whole message. */
const WHOLE = '"messageType":"assistant"';
const END = "0\r\n\r\n";

interface Reading {
  sentAt: number;
  hasMeta: boolean;
  hasDelta: boolean;
  isWhole: boolean;
  hasEnded: boolean;
}
const NEW_READING: Reading = { sentAt: 0, hasMeta: false, hasDelta: false, isWhole: false, hasEnded: false };

/** What a reader reports of its streams. Times are in ms. */
export interface ReaderParts {
  /** The beginning of a stream has come, so long after its request. */
  meta?(afterMs: number): void;
  /** The first piece of text has come, so long after its request. */
  first(afterMs: number): void;
  /** A piece of text has come, so long after the provider sent it. */
  delta(afterMs: number): void;
  /** The stream is over. */
  ended(): void;
  failed(message: string): void;
}

export interface StreamReader {
  readonly hasEnded: boolean;
  /** Begins the next stream. */
  ask(): void;
  /** Closes the connection. */
  end(): void;
}

export type ReaderLoad = Pick<StreamLoad, "port" | "request" | "acp" | "whole">;

export const openReader = (load: ReaderLoad, parts: ReaderParts): Promise<StreamReader> =>
  load.acp === undefined ? connect(load, parts) : connectAcp(load, parts);

let requests = 0;
/** As long as the text that it replaces, so that the length of the request stays true. */
const uniqueId = (): string => `${process.pid % 1_000}-${++requests}`.padEnd(UNIQUE.length, "-");

async function connect(load: ReaderLoad, parts: ReaderParts): Promise<StreamReader> {
  const reading = { ...NEW_READING };
  let isClosed = false;
  const socket: Socket<undefined> = await Bun.connect({
    hostname: "127.0.0.1",
    port: load.port,
    socket: {
      data: (_, chunk) => receive(load, parts, reading, chunk.toString("latin1")),
      error: () => {},
      close: () => {
        if (!isClosed) parts.failed("a stream was closed");
      },
    },
  });
  return {
    get hasEnded() {
      return reading.hasEnded;
    },
    ask() {
      Object.assign(reading, NEW_READING, { sentAt: wallMs() });
      socket.write(load.request.replaceAll(UNIQUE, uniqueId()));
    },
    end() {
      isClosed = true;
      socket.end();
    },
  };
}

async function connectAcp(load: ReaderLoad, parts: ReaderParts): Promise<StreamReader> {
  const reading = { ...NEW_READING };
  const acp = await openAcpReader(load, {
    sent: () => (reading.sentAt = wallMs()),
    heard: (text) => stamps(load, parts, reading, { text, at: wallMs() }),
    ended() {
      reading.hasEnded = true;
      parts.ended();
    },
    failed: (message) => parts.failed(message),
  });
  return {
    get hasEnded() {
      return reading.hasEnded;
    },
    ask() {
      Object.assign(reading, NEW_READING);
      acp.ask(load.request.replaceAll(UNIQUE, uniqueId()));
    },
    end: acp.end,
  };
}

function receive(load: ReaderLoad, parts: ReaderParts, reading: Reading, text: string): void {
  const at = wallMs();
  if (text.startsWith("HTTP/1.1") && !text.startsWith("HTTP/1.1 200")) parts.failed(`refused: ${text.slice(0, 400)}`);
  if (text.includes("event: error")) parts.failed(`failed: ${text.slice(0, 400)}`);
  if (!reading.hasMeta && (text.includes("event: meta") || text.includes('"role"'))) {
    reading.hasMeta = true;
    parts.meta?.(at - reading.sentAt);
  }
  if (!reading.isWhole) stamps(load, parts, reading, { text, at });
  if (!text.endsWith(END)) return;
  reading.hasEnded = true;
  parts.ended();
}

function stamps(
  load: ReaderLoad,
  parts: ReaderParts,
  reading: Reading,
  { text, at }: { readonly text: string; readonly at: number },
): void {
  const whole = text.indexOf(load.whole ?? WHOLE);
  reading.isWhole = whole !== -1;
  for (const { 0: stamp } of (reading.isWhole ? text.slice(0, whole) : text).matchAll(STAMP)) {
    parts.delta(at - Number(stamp));
    if (!reading.hasDelta) parts.first(at - reading.sentAt);
    reading.hasDelta = true;
  }
}
