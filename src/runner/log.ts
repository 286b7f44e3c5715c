/** The part of a pino logger that the runner uses. */
export interface RunnerLog {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}
