/** The parts of a logger that other folders use: the surfaces, the runner, the replicas. An exception goes in the field `err`. */
export interface HttpLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export type RunnerLog = Pick<HttpLog, "warn" | "error">;

export interface PeersLog extends HttpLog {
  debug(fields: object, message: string): void;
}

/**
 * Plain values that nobody changes any more, as the fields of a line. The line can be built later, together
 * with others: so the line of a request does not delay its answer.
 */
export abstract class PlainFields {
  /**
   * The one text among them that this service generated, of letters, digits, `-` and `_`. It holds no secret,
   * so it is not searched for one.
   */
  get made(): string | null {
    return null;
  }
}
