/** Headers that no caller may set: they belong to the connection, or change how the message is parsed. */
const RESERVED_HEADER =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|content-length|upgrade|expect|accept-encoding|http2-settings)$/i;

export const isReservedHeader = (name: string): boolean => RESERVED_HEADER.test(name);

/** Headers that the service sets itself in a call of a tool. */
const OF_THE_SERVICE = /^(?:content-type|content-encoding|idempotency-key|service-.*|webhook-.*)$/i;
/** Headers with credentials: their values must be secrets. */
const CREDENTIALS = /^(?:authorization|cookie)$|api-?key|token|secret|password/i;

export const isServiceHeader = (name: string): boolean => OF_THE_SERVICE.test(name);
export const isCredentialHeader = (name: string): boolean => CREDENTIALS.test(name);

/** Whether an argument of a tool, which comes from a model, may be this header (RUN-13). */
export const isArgumentHeader = (name: string): boolean =>
  /^[A-Za-z0-9-]{1,64}$/.test(name) && !isReservedHeader(name) && !isServiceHeader(name) && !isCredentialHeader(name);

/** The characters that the value of a header can hold. */
export const HEADER_VALUE = /^[\x20-\x7e]*$/;
