/**
 * Programs that ask for tokens. One is known by an id that it got when it registered itself (RFC 7591), or by the
 * address of a document that says what it is (Client ID Metadata Documents), which is read through the guarded client.
 * None has a secret: anybody can register under any name, so people are shown where their browser will be sent.
 */
import { clientRef } from "../../../actors/account/schema.ts";
import { BoundedMap } from "../../../actors/bounded-map.ts";
import { ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { isIdOf, newId } from "../../../actors/ids.ts";
import type { Clock } from "../../../actors/runtime/clock.ts";
import type { TroupeSystem } from "../../../actors/troupe.ts";
import type { Egress } from "../../egress/egress.ts";
import { visibleText } from "../../../actors/visible-text.ts";
import { REDIRECT_URIS_MAX, redirectComplaint } from "./redirect-uri.ts";

export interface Client {
  readonly id: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** The host that its document is from; null where nobody vouches for its name. */
  readonly host: string | null;
}

/** What a program says of itself. */
export interface ClientMetadata {
  readonly name: string;
  readonly redirectUris: readonly string[];
}

export const CLIENT_NAME_CHARACTERS = 100;
/** A document is small, near, and read again after some minutes. */
const DOCUMENT_BYTES = 16 * 1_024;
const DOCUMENT_TIMEOUT_MS = 5_000;
const DOCUMENT_MS = 300_000;
/** One that could not be read: so long nobody has it asked for again, or has a stranger's host asked. */
const NO_DOCUMENT_MS = 30_000;
const DOCUMENTS_REMEMBERED = 500;
const CLIENT_ID_CHARACTERS = 500;

export interface ClientParts {
  readonly system: TroupeSystem;
  readonly egress: Pick<Egress, "request">;
  readonly clock: Pick<Clock, "now">;
}

export class Clients {
  private readonly parts: ClientParts;
  private readonly documents = new BoundedMap<{ readonly client: Outcome<Client>; readonly until: number }>(
    DOCUMENTS_REMEMBERED,
  );

  constructor(parts: ClientParts) {
    this.parts = parts;
  }

  async register(metadata: ClientMetadata): Promise<Outcome<Client>> {
    const id = newId("cli");
    const client = { name: metadata.name, redirectUris: [...metadata.redirectUris] };
    const made = await this.parts.system.dispatch(clientRef(id), { kind: "register_client", client });
    return made.ok ? ok({ id, ...client, host: null }) : made;
  }

  /** Refuses `not_found` where there is no such program, or its document says something else. */
  async find(id: string): Promise<Outcome<Client>> {
    if (isIdOf("cli", id)) {
      const found = await this.parts.system.dispatch(clientRef(id), { kind: "read_client" });
      return found.ok ? ok({ id, name: found.value.name, redirectUris: found.value.redirectUris, host: null }) : found;
    }
    return isDocumentId(id) ? this.fromDocument(id) : UNKNOWN;
  }

  /** Somebody has let it in. */
  async keep(client: Client): Promise<Outcome<null>> {
    return client.host === null ? this.parts.system.dispatch(clientRef(client.id), { kind: "keep_client" }) : ok(null);
  }

  private async fromDocument(id: string): Promise<Outcome<Client>> {
    const now = this.parts.clock.now();
    const known = this.documents.get(id);
    if (known !== undefined && known.until > now) return known.client;
    const client = await this.readDocument(id);
    this.documents.set(id, { client, until: now + (client.ok ? DOCUMENT_MS : NO_DOCUMENT_MS) });
    return client;
  }

  private async readDocument(id: string): Promise<Outcome<Client>> {
    const answer = await this.parts.egress.request({
      url: id,
      method: "GET",
      headers: { accept: "application/json" },
      limits: { timeoutMs: DOCUMENT_TIMEOUT_MS, maxResponseBytes: DOCUMENT_BYTES },
    });
    if (answer.kind === "failed" || answer.status !== 200 || answer.truncated) return UNKNOWN;
    const said = parsed(Buffer.from(answer.body).toString("utf8"));
    // A document speaks for its own address only.
    if (said === null || said["client_id"] !== id) return UNKNOWN;
    const metadata = readMetadata({ client_name: new URL(id).hostname, ...said });
    if (typeof metadata === "string") return UNKNOWN;
    return ok({ id, ...metadata, host: new URL(id).host });
  }
}

const UNKNOWN = refuse({ kind: "not_found", noun: "oauth_client" });

/** An address whose document names a program: https, with a path. */
function isDocumentId(id: string): boolean {
  if (id.length > CLIENT_ID_CHARACTERS || !URL.canParse(id)) return false;
  const { protocol, pathname, hash, username, password, href } = new URL(id);
  const isPlain = hash === "" && username === "" && password === "" && href === id;
  return protocol === "https:" && pathname !== "/" && isPlain;
}

/** Something to see: a name of nothing but joiners and blanks is none. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

type Said = Readonly<Record<string, unknown>>;

export function parsed(text: string): Said | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Said) : null;
  } catch {
    return null;
  }
}

/** What a program says of itself, or what is wrong with it. What we do not offer is left out, as RFC 7591 allows. */
export function readMetadata(said: Said): ClientMetadata | string {
  const { redirect_uris: uris, client_name: name = "A program", grant_types: grants } = said;
  if (typeof name !== "string" || !VISIBLE.test(name) || name.length > CLIENT_NAME_CHARACTERS || /\p{Cc}/u.test(name))
    return `client_name must be a text of 1 to ${CLIENT_NAME_CHARACTERS} characters`;
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > REDIRECT_URIS_MAX)
    return `redirect_uris must be a list of 1 to ${REDIRECT_URIS_MAX} addresses`;
  if (Array.isArray(grants) && !grants.includes("authorization_code"))
    return "grant_types must have authorization_code";
  const redirectUris: string[] = [];
  for (const uri of uris as unknown[]) {
    if (typeof uri !== "string") return "redirect_uris must be a list of addresses";
    const complaint = redirectComplaint(uri);
    if (complaint !== null) return `redirect_uris: ${JSON.stringify(uri)} ${complaint}`;
    redirectUris.push(uri);
  }
  // Overrides of direction would have the name, or what stands behind it, read as something else.
  return { name: visibleText(name.trim()), redirectUris };
}
