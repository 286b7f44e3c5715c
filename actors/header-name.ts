/** Headers that no caller may set: they belong to the connection, or change how the message is parsed. */
const RESERVED =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|content-length|upgrade|expect|accept-encoding|http2-settings)$/i;

export const isReservedHeader = (name: string): boolean => RESERVED.test(name);
