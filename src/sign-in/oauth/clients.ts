/**
 * Programs that ask for tokens. A program has either an id from its own registration (RFC 7591), or the URL of a
 * document that describes it (Client ID Metadata Documents), which is read through the guarded client. None has a
 * secret: anybody can register under any name, so people are shown where their browser will be sent.
 */
import { clientRef } from "../../../actors/account/schema.ts";
import { BoundedMap } from "../../../actors/bounded-map.ts";
import { isLonger } from "../../../actors/cut-text.ts";
import { ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { isIdOf, newId } from "../../../actors/ids.ts";
import type { Clock } from "../../../actors/runtime/ports.ts";
import type { TroupeSystem } from "../../../actors/troupe.ts";
import type { Egress } from "../../egress/egress.ts";
import { parseJsonObject } from "../../http/body/json-body.ts";
import { visibleText } from "../../../actors/visible-text.ts";
import { REDIRECT_URIS_MAX, redirectComplaint } from "./redirect-uri.ts";

export interface Client {
  readonly id: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** The host of its document; null if nothing vouches for its name. */
  readonly host: string | null;
}

/** A program's own metadata. */
export interface ClientMetadata {
  readonly name: string;
  readonly redirectUris: readonly string[];
}

export const CLIENT_NAME_CHARACTERS = 100;
/** Limits of a document: it is small, answers soon, and is read again after some minutes. */
const CLIENT_DOCUMENT_BYTES = 16 * 1_024;
const DOCUMENT_TIMEOUT_MS = 5_000;
const DOCUMENT_MS = 300_000;
/** A failed read is cached for this long, so that requests cannot make us flood another host. */
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

  /** Refuses `not_found` if there is no such program, or its document is invalid. */
  async find(id: string): Promise<Outcome<Client>> {
    if (isIdOf("cli", id)) {
      const found = await this.parts.system.dispatch(clientRef(id), { kind: "read_client" });
      return found.ok ? ok({ id, name: found.value.name, redirectUris: found.value.redirectUris, host: null }) : found;
    }
    return isDocumentId(id) ? this.fromDocument(id) : UNKNOWN_CLIENT;
  }

  /** Keeps a registered program, because a person has authorized it. */
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
      limits: { timeoutMs: DOCUMENT_TIMEOUT_MS, maxResponseBytes: CLIENT_DOCUMENT_BYTES },
    });
    if (answer.kind === "failed" || answer.status !== 200 || answer.truncated) return UNKNOWN_CLIENT;
    const said = parseClientDocument(Buffer.from(answer.body).toString("utf8"));
    // A document is valid only for its own address.
    if (said === null || said["client_id"] !== id) return UNKNOWN_CLIENT;
    const metadata = readMetadata({ client_name: new URL(id).hostname, ...said });
    if (typeof metadata === "string") return UNKNOWN_CLIENT;
    return ok({ id, ...metadata, host: new URL(id).host });
  }
}

const UNKNOWN_CLIENT = refuse({ kind: "not_found", noun: "oauth_client" });

/** Whether an id is the URL of a document: https, with a path. */
function isDocumentId(id: string): boolean {
  if (id.length > CLIENT_ID_CHARACTERS || !URL.canParse(id)) return false;
  const { protocol, pathname, hash, username, password, href } = new URL(id);
  const isPlain = hash === "" && username === "" && password === "" && href === id;
  return protocol === "https:" && pathname !== "/" && isPlain;
}

/** Visible characters: a name of only joiners and blanks is invalid. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

type Said = Readonly<Record<string, unknown>>;

/** The object in a text of JSON; null if there is none, or if the database could not store it. */
export function parseClientDocument(text: string): Said | null {
  const object = parseJsonObject(text);
  return object.ok ? object.value : null;
}

/** A program's metadata, or an error. Unsupported fields are dropped, as RFC 7591 allows. */
export function readMetadata(said: Said): ClientMetadata | string {
  const { redirect_uris: uris, client_name: name = "A program", grant_types: grants } = said;
  if (typeof name !== "string" || !VISIBLE.test(name) || isLonger(name, CLIENT_NAME_CHARACTERS) || /\p{Cc}/u.test(name))
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
  // Direction overrides would make the name, or the text after it, read as something else.
  return { name: visibleText(name.trim()), redirectUris };
}
