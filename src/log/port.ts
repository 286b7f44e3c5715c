/** The part of a logger that this folder and the surfaces use. An exception goes in the field `err`. */
export interface HttpLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
