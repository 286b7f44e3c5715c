/**
 * What one client has seen of a stream, over all of its connections, and whether it may have: durable
 * events each once, in order; deltas that begin where the text ends; the text of a completed message
 * equal to its content.
 */
import type { Frame } from "./event-streams.ts";

export class StreamBook {
  /** The cursor to come back with. */
  lastId: string | null = null;
  readonly breaches: string[] = [];
  /** The newest durable event; they count from 1. */
  seq = 0;
  /** Messages whose deltas were held against their content. */
  compared = 0;
  restarts = 0;
  /** The data of the durable events, as they came. */
  readonly events: string[] = [];
  private readonly texts = new Map<string, string>();

  take({ event, id, data }: Frame): void {
    const from = this.lastId;
    if (id !== null) this.lastId = id;
    if (event === "reset") this.breaches.push(`reset at ${from}: ${JSON.stringify(data)}`);
    else if (event === "message.delta" || event === "transcript.delta") this.delta(id, data);
    else if (id !== null) this.event(event, Number(id), data);
  }

  private delta(id: string | null, data: Frame["data"]): void {
    const message = String(data["message_id"]);
    const text = (this.texts.get(message) ?? "") + String(data["text"]);
    this.texts.set(message, text);
    if (text.length !== data["position"])
      this.breaches.push(`${id}: ${text.length} units of ${message}, not ${String(data["position"])}`);
    if (id !== `${this.seq}.${text.length}`) this.breaches.push(`a delta after ${this.seq} has the id ${id}`);
  }

  private event(event: string, seq: number, data: Frame["data"]): void {
    if (seq !== this.seq + 1) this.breaches.push(`${seq} came after ${this.seq}`);
    this.seq = seq;
    this.events.push(JSON.stringify(data));
    const message = String(data["message_id"]);
    if (event === "message.restarted") {
      this.restarts++;
      this.texts.set(message, "");
    } else if (event === "message.completed" && data["status"] === "completed") {
      this.compared++;
      if (this.texts.get(message) !== data["content"]) {
        this.breaches.push(`${seq}: the text is ${this.texts.get(message)?.length} units, not the content's`);
      }
    }
  }
}
