/**
 * What a client of PostgreSQL says, as far as a proxy must know it: who the connection is for, and
 * when a statement begins (Bind) and has been sent (Execute). A message is a type byte and a length
 * of four bytes that counts itself; the first message of a connection has no type.
 */

export interface Heard {
  /** Messages that begin in the chunk, by their type bytes, in order. */
  readonly types: string;
}

const NAME = /application_name\0([^\0]+)/;

export class ClientWire {
  /** `application_name` of the connection; empty until the first message. */
  name = "";
  private header: number[] = [];
  /** Bytes of the present message that are still to come. */
  private rest = 0;
  private isOpened = false;

  hear(chunk: Buffer): Heard {
    if (!this.isOpened) this.name = NAME.exec(chunk.toString("latin1"))?.[1] ?? "";
    let types = "";
    let at = 0;
    while (at < chunk.length) {
      if (this.rest > 0) {
        const step = Math.min(this.rest, chunk.length - at);
        this.rest -= step;
        at += step;
        continue;
      }
      const byte = chunk[at++]!;
      if (this.isOpened && this.header.length === 0) types += String.fromCharCode(byte);
      this.header.push(byte);
      if (this.header.length === (this.isOpened ? 5 : 4)) this.begin();
    }
    return { types };
  }

  private begin(): void {
    const [a, b, c, d] = this.header.slice(-4) as [number, number, number, number];
    this.rest = (a << 24) + (b << 16) + (c << 8) + d - 4;
    this.header = [];
    this.isOpened = true;
  }
}
