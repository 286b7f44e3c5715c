/** The part of a logger that this folder and the surfaces use. An exception goes in the field `err`. */
export interface HttpLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Fields of a line that are plain values, which nobody changes any more: their line may be put together later, with
 * others. A request makes one, so its line is off the way of its answer.
 */
export abstract class PlainFields {
  /** A text among them that was made here, of letters, digits, `-` and `_`: it holds no secret, and is not searched for one. */
  get made(): string | null {
    return null;
  }
}
