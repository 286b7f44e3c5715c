/**
 * A certificate authority for tests, made in the process: X.509 v3 in DER over P-256 keys, as little
 * of it as a TLS client looks at. Nothing has to be installed and nothing lies in the repository.
 */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

export interface Certificate {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

export interface CertificateAuthority {
  /** PEM. */
  readonly cert: string;
  /** A server certificate for these host names and addresses; `expired` ended yesterday. */
  issue(hosts: readonly string[], options?: { readonly expired?: boolean }): Certificate;
}

interface Subject {
  readonly name: string;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
  readonly notAfter: number;
}

const DAY_MS = 86_400_000;

export function createAuthority(name = "Test authority"): CertificateAuthority {
  const { publicKey, privateKey } = keyPair();
  const extensions = [extension(BASIC_CONSTRAINTS, sequence(der(0x01, Buffer.of(0xff))))];
  const issuer = { name, privateKey };
  return {
    cert: certificate({ name, publicKey, extensions, notAfter: Date.now() + DAY_MS }, issuer),
    issue(hosts, { expired = false } = {}) {
      const keys = keyPair();
      const notAfter = Date.now() + (expired ? -DAY_MS : DAY_MS);
      const subject = {
        name: hosts[0] ?? "",
        publicKey: keys.publicKey,
        extensions: [alternativeNames(hosts)],
        notAfter,
      };
      return { cert: certificate(subject, issuer), key: pemOf(keys.privateKey) };
    },
  };
}

/** A certificate for these hosts that nobody but itself has signed. */
export function selfSigned(hosts: readonly string[]): Certificate {
  const { publicKey, privateKey } = keyPair();
  const name = hosts[0] ?? "";
  const subject = { name, publicKey, extensions: [alternativeNames(hosts)], notAfter: Date.now() + DAY_MS };
  return { cert: certificate(subject, { name, privateKey }), key: pemOf(privateKey) };
}

const keyPair = () => generateKeyPairSync("ec", { namedCurve: "P-256" });
const pemOf = (key: KeyObject): string => key.export({ type: "pkcs8", format: "pem" }).toString();

function certificate(subject: Subject, issuer: { readonly name: string; readonly privateKey: KeyObject }): string {
  const algorithm = sequence(objectId(ECDSA_WITH_SHA256));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.of(2))), // v3
    der(0x02, Buffer.concat([Buffer.of(1), randomBytes(15)])),
    algorithm,
    commonName(issuer.name),
    sequence(time(subject.notAfter - 30 * DAY_MS), time(subject.notAfter)),
    commonName(subject.name),
    subject.publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...subject.extensions)),
  );
  const signature = der(0x03, Buffer.concat([Buffer.of(0), sign("sha256", body, issuer.privateKey)]));
  const lines =
    sequence(body, algorithm, signature)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

const ECDSA_WITH_SHA256 = "2a8648ce3d040302";
const COMMON_NAME = "550403";
const BASIC_CONSTRAINTS = "551d13";
const SUBJECT_ALTERNATIVE_NAME = "551d11";

/** Tag, length, value. */
function der(tag: number, value: Buffer): Buffer {
  const { length } = value;
  const size =
    length < 0x80
      ? Buffer.of(length)
      : length < 0x100
        ? Buffer.of(0x81, length)
        : Buffer.of(0x82, length >> 8, length & 0xff);
  return Buffer.concat([Buffer.of(tag), size, value]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, Buffer.concat(parts));
const objectId = (hex: string): Buffer => der(0x06, Buffer.from(hex, "hex"));
const time = (at: number): Buffer =>
  der(0x17, Buffer.from(`${new Date(at).toISOString().replace(/\D/g, "").slice(2, 14)}Z`));
const commonName = (name: string): Buffer =>
  sequence(der(0x31, sequence(objectId(COMMON_NAME), der(0x0c, Buffer.from(name)))));
const extension = (id: string, value: Buffer): Buffer =>
  sequence(objectId(id), der(0x01, Buffer.of(0xff)), der(0x04, value));

function alternativeNames(hosts: readonly string[]): Buffer {
  const names = hosts.map((host) =>
    isIP(host) === 0 ? der(0x82, Buffer.from(host)) : der(0x87, Buffer.from(ipaddr.parse(host).toByteArray())),
  );
  return extension(SUBJECT_ALTERNATIVE_NAME, sequence(...names));
}
