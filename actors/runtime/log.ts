/** The runtime's port to the operator's log. Levels as in the log. */
export interface RuntimeLog {
  debug(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
