/** Addresses to which a program's codes may be sent (RFC 6749, 3.1.2; RFC 8252). */

/** The most addresses of one program. */
export const REDIRECT_URIS_MAX = 10;
export const REDIRECT_URI_CHARACTERS = 2_000;
/** Schemes that make the browser run code or open a file. */
const REFUSED_SCHEMES = new Set([
  "javascript:",
  "data:",
  "vbscript:",
  "file:",
  "blob:",
  "about:",
  "filesystem:",
  "view-source:",
  "ws:",
  "wss:",
  "ftp:",
]);
const LOOPBACK = new Set(["127.0.0.1", "[::1]", "localhost"]);
const CONTROL_OR_SPACE = /[\p{Cc}\s]/u;
/** The consent page puts the host into its policy, where `;`, `,` and `*` would have a meaning. */
const REDIRECT_HOST = /^[\w.:[\]%~-]*$/;

/** The error of the address, or null. */
export function redirectComplaint(uri: string): string | null {
  if (uri.length > REDIRECT_URI_CHARACTERS || CONTROL_OR_SPACE.test(uri) || !URL.canParse(uri))
    return "is not an address";
  const { protocol, host, hostname, hash, username, password } = new URL(uri);
  if (REFUSED_SCHEMES.has(protocol)) return `has the scheme ${protocol.slice(0, -1)}`;
  if (hash !== "" || uri.includes("#")) return "has a fragment";
  if (!REDIRECT_HOST.test(host)) return "has a host of odd characters";
  if (username !== "" || password !== "") return "has a user name or a password";
  if (protocol === "http:" && !LOOPBACK.has(hostname)) return "is plain http and not of the program's own machine";
  return null;
}

/**
 * The source expression that allows this address in a Content-Security-Policy. Only web hosts have a form there, and
 * IPv6 addresses have none: browsers match those, and program schemes such as `app://callback`, only by their scheme.
 */
export function policySourceOf(uri: string): string {
  const { protocol, host } = new URL(uri);
  const isOfWeb = (protocol === "https:" || protocol === "http:") && !host.startsWith("[");
  return isOfWeb ? `${protocol}//${host}` : protocol;
}

/**
 * Whether the address is one of these. For a program on the person's own machine, the port does not matter (RFC 8252,
 * 7.3).
 */
export const isRegistered = (uri: string, registered: readonly string[]): boolean =>
  registered.includes(uri) || registered.some((other) => isSameLoopback(uri, other));

function isSameLoopback(a: string, b: string): boolean {
  if (!URL.canParse(a) || !URL.canParse(b)) return false;
  const [one, other] = [new URL(a), new URL(b)];
  if (one.protocol !== "http:" || !LOOPBACK.has(one.hostname)) return false;
  one.port = "";
  other.port = "";
  return one.href === other.href;
}
