/**
 * An authenticator in software: it answers what a browser passes on to a device (WebAuthn, ES256, without attestation).
 * Whatever it signs can be changed before, so that a test can be somebody who lies.
 */
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** What is asked of it; only what it reads. */
export interface Asked {
  readonly challenge: string;
  readonly rpId?: string;
  readonly rp?: { readonly id?: string };
  readonly user?: { readonly id: string };
}

/** What it says instead of the truth. */
export interface Lies {
  readonly challenge?: string;
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly userHandle?: string;
  /** Of the user: 1 is their presence, 4 their verification. */
  readonly flags?: number;
}

const PRESENT_AND_VERIFIED = 0b101;
const HAS_CREDENTIAL = 0b100_0000;

export class SoftAuthenticator {
  readonly id: string;
  counter = 0;
  private readonly origin: string;
  private readonly keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  private userHandle = "";

  constructor(origin: string, id = randomBytes(16).toString("base64url")) {
    this.origin = origin;
    this.id = id;
  }

  /** The answer to `navigator.credentials.create`, as JSON. */
  create(asked: Asked, lies: Lies = {}): string {
    this.userHandle = asked.user?.id ?? "";
    const { x = "", y = "" } = this.keys.publicKey.export({ format: "jwk" });
    // COSE: EC2, ES256, P-256.
    const point = (name: number, text: string) => [Buffer.from([name, 0x58, 0x20]), Buffer.from(text, "base64url")];
    const key = Buffer.concat([Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1]), ...point(0x21, x), ...point(0x22, y)]);
    const id = Buffer.from(this.id, "base64url");
    const data = Buffer.concat([
      this.data(asked.rp?.id ?? "", { ...lies, flags: (lies.flags ?? PRESENT_AND_VERIFIED) | HAS_CREDENTIAL }),
      Buffer.alloc(16),
      Buffer.from([0, id.length]),
      id,
      key,
    ]);
    // CBOR: {fmt: "none", attStmt: {}, authData: bytes}.
    const attestation = Buffer.concat([
      Buffer.from([0xa3, 0x63]),
      Buffer.from("fmt"),
      Buffer.from([0x64]),
      Buffer.from("none"),
      Buffer.from([0x67]),
      Buffer.from("attStmt"),
      Buffer.from([0xa0, 0x68]),
      Buffer.from("authData"),
      Buffer.from([0x58, data.length]),
      data,
    ]);
    return this.answer({
      clientDataJSON: this.clientData("webauthn.create", asked, lies),
      attestationObject: attestation.toString("base64url"),
      transports: ["internal"],
    });
  }

  /** The answer to `navigator.credentials.get`, as JSON. */
  get(asked: Asked, lies: Lies = {}): string {
    const data = this.data(asked.rpId ?? "", lies);
    const clientDataJSON = this.clientData("webauthn.get", asked, lies);
    const hash = createHash("sha256").update(Buffer.from(clientDataJSON, "base64url")).digest();
    return this.answer({
      clientDataJSON,
      authenticatorData: data.toString("base64url"),
      signature: sign("sha256", Buffer.concat([data, hash]), this.keys.privateKey).toString("base64url"),
      userHandle: lies.userHandle ?? this.userHandle,
    });
  }

  private answer(response: object): string {
    const { id } = this;
    return JSON.stringify({ id, rawId: id, type: "public-key", clientExtensionResults: {}, response });
  }

  private data(rpId: string, lies: Lies): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const hash = createHash("sha256")
      .update(lies.rpId ?? rpId)
      .digest();
    return Buffer.concat([hash, Buffer.from([lies.flags ?? PRESENT_AND_VERIFIED]), counter]);
  }

  private clientData(type: string, { challenge }: Asked, lies: Lies): string {
    const said = { type, challenge, origin: this.origin, crossOrigin: false, ...lies };
    const text = JSON.stringify({
      type: said.type,
      challenge: said.challenge,
      origin: said.origin,
      crossOrigin: said.crossOrigin,
    });
    return Buffer.from(text).toString("base64url");
  }
}
