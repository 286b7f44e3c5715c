/**
 * Remembers the used numbers of each sender, so that an overheard call cannot be replayed. A sender counts up; calls in
 * flight overtake each other, but not by thousands. So the newest numbers are kept as bits, and older ones count as
 * used. A sender that has been silent for long is evicted: its seals are too old by then.
 */

/** How far below the newest number an unused one is still accepted. */
const WINDOW = 65_536;

interface NumberSender {
  newest: number;
  readonly bits: Uint32Array;
  heardMs: number;
}

export class UsedNumbers {
  private readonly forgetMs: number;
  private readonly senders = new Map<string, NumberSender>();

  constructor(forgetMs: number) {
    this.forgetMs = forgetMs;
  }

  /** Marks the number as used; answers whether it was unused. `now` is in ms. */
  use(from: string, number: number, now: number): boolean {
    const sender = this.senderOf(from, now);
    if (number <= sender.newest - WINDOW) return false;
    // Clear the bits of the skipped numbers, because they still represent numbers that are too old by now.
    for (let n = Math.max(sender.newest + 1, number - WINDOW + 1); n <= number; n++) clear(sender.bits, n % WINDOW);
    sender.newest = Math.max(sender.newest, number);
    if (isSet(sender.bits, number % WINDOW)) return false;
    set(sender.bits, number % WINDOW);
    sender.heardMs = now;
    return true;
  }

  private senderOf(from: string, now: number): NumberSender {
    const known = this.senders.get(from);
    if (known !== undefined) return known;
    for (const [id, { heardMs }] of this.senders) if (now - heardMs > this.forgetMs) this.senders.delete(id);
    const sender = { newest: 0, bits: new Uint32Array(WINDOW / 32), heardMs: now };
    this.senders.set(from, sender);
    return sender;
  }
}

const isSet = (bits: Uint32Array, at: number): boolean => (bits[at >>> 5]! & (1 << (at & 31))) !== 0;
const set = (bits: Uint32Array, at: number): void => void (bits[at >>> 5]! |= 1 << (at & 31));
const clear = (bits: Uint32Array, at: number): void => void (bits[at >>> 5]! &= ~(1 << (at & 31)));
