/** Headers that no caller sets: they belong to the connection, or would let it say how the message is read. */
const RESERVED =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|content-length|upgrade|expect|accept-encoding|http2-settings)$/i;

export const isReservedHeader = (name: string): boolean => RESERVED.test(name);
