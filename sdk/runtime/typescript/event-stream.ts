/** Reads Server-Sent Events as the HTML standard says, and keeps the cursor to come back with. */

/** What a stream gives: the name of an event, its data, and its cursor if it has one. */
export interface StreamEvent {
  readonly event: string;
  readonly id?: string;
  readonly data: unknown;
}

/** Until the stream says its own. */
const DEFAULT_RECONNECT_MS = 1_000;
/** What a stream may ask for at most. */
const LONGEST_RECONNECT_MS = 60_000;

export class SseParser {
  /** The cursor of the last event that was given out; undefined before the first. */
  lastEventId: string | undefined;
  /** How long to wait before the stream is opened again. */
  retryMs = DEFAULT_RECONNECT_MS;
  /** Whether an event or a heartbeat has come over this connection. */
  isAlive = false;
  readonly #parse: (text: string) => unknown;
  #rest = "";
  #event = "";
  #id: string | undefined;
  #data: string[] = [];

  constructor(parse: (text: string) => unknown) {
    this.#parse = parse;
  }

  /** The connection is new: what the last one left half said is forgotten. */
  begin(): void {
    this.#rest = "";
    this.isAlive = false;
    this.#forget();
  }

  /** The events that are whole with this text. The cursor moves with each as it is taken. */
  *push(text: string): Generator<StreamEvent, void, undefined> {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      const event = line === "" ? this.#take() : this.#read(line);
      if (event !== undefined) yield event;
    }
  }

  #read(line: string): undefined {
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "") this.isAlive ||= value.startsWith("heartbeat");
    else if (field === "event") this.#event = value;
    else if (field === "data") this.#data.push(value);
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    else if (field === "retry" && /^\d+$/.test(value)) this.retryMs = Math.min(Number(value), LONGEST_RECONNECT_MS);
  }

  /** What the lines before a blank one make; nothing where they had no data. */
  #take(): StreamEvent | undefined {
    const [name, id, lines] = [this.#event, this.#id, this.#data];
    this.#forget();
    if (id !== undefined) this.lastEventId = id;
    if (lines.length === 0) return undefined;
    this.isAlive = true;
    const event = name === "" ? "message" : name;
    const data = this.#parse(lines.join("\n"));
    if (event === "stream.closing") this.#resumeAfter(data);
    return { event, ...(id === undefined ? {} : { id }), data };
  }

  /** The service closes the stream and says where to go on. */
  #resumeAfter(data: unknown): void {
    const cursor = (data as { readonly resume_after?: unknown } | null)?.resume_after;
    if (typeof cursor === "string") this.lastEventId = cursor;
  }

  #forget(): void {
    this.#event = "";
    this.#id = undefined;
    this.#data = [];
  }
}
