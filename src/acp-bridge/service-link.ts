/**
 * The bridge's connection to the service, opened again whenever it is lost.
 *
 *   opening ──▶ open ──lost──▶ waiting ──▶ opening        refused: the service says why; it is tried again when the
 *      └──refused, over HTTP──▶ waiting                   editor asks for something
 */
import { isJsonObject } from "../../actors/schema.ts";
import { ACP_INTERNAL_ERROR, type AcpError } from "../dialects/acp/error-codes.ts";
import type { BridgeSettings } from "../settings/bridge-settings.ts";

export interface LinkEvents {
  opened(): void;
  message(text: string): void;
  /** The connection is gone, and is being opened again. */
  lost(): void;
  /** The service does not take the connection, whatever is tried. */
  refused(error: AcpError): void;
}

/** Waits between attempts; the last one repeats. */
const RECONNECT_MS = [100, 250, 500, 1_000, 2_000, 5_000] as const;
/** An attempt that takes longer has failed. */
const OPEN_MS = 15_000;
const WANTS_UPGRADE = 426;
const TOO_MANY_ATTEMPTS = 429;
const SERVER_FAILS = 500;

export class ServiceLink {
  private readonly url: string;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly events: LinkEvents;
  private socket: WebSocket | null = null;
  private attempt = 0;
  private isEnded = false;
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor({ url, token, agent }: BridgeSettings, events: LinkEvents) {
    this.url = `${url}/acp${agent === null ? "" : `?agent=${encodeURIComponent(agent)}`}`;
    this.headers = { authorization: `Bearer ${token}` };
    this.events = events;
  }

  /** Opens it, unless it is open or is being opened. */
  open(): void {
    if (this.socket === null && this.timer === null && !this.isEnded) this.connect();
  }

  send(text: string): void {
    this.socket?.send(text);
  }

  /** Leaves for good. */
  end(): void {
    this.isEnded = true;
    if (this.timer !== null) clearTimeout(this.timer);
    this.socket?.close();
  }

  private connect(): void {
    const socket = new WebSocket(this.url.replace(/^http/, "ws"), { headers: this.headers });
    this.socket = socket;
    let isOpen = false;
    const late = setTimeout(() => socket.terminate(), OPEN_MS);
    socket.addEventListener("open", () => {
      isOpen = true;
      clearTimeout(late);
      this.attempt = 0;
      this.events.opened();
    });
    socket.addEventListener("message", ({ data }) => this.events.message(String(data)));
    socket.addEventListener("close", () => {
      clearTimeout(late);
      if (this.socket !== socket) return;
      this.socket = null;
      if (this.isEnded) return;
      this.events.lost();
      if (isOpen) this.retry();
      else void this.explain();
    });
  }

  private retry(): void {
    const waitMs = RECONNECT_MS[Math.min(this.attempt++, RECONNECT_MS.length - 1)];
    this.timer = setTimeout(() => {
      this.timer = null;
      this.open();
    }, waitMs);
  }

  /** Asks over HTTP why the connection was not taken: a WebSocket does not say. */
  private async explain(): Promise<void> {
    const answer = await fetch(this.url, { headers: this.headers, signal: AbortSignal.timeout(OPEN_MS) }).catch(
      () => null,
    );
    const status = answer?.status ?? 0;
    if (answer === null || status === WANTS_UPGRADE || status === TOO_MANY_ATTEMPTS || status >= SERVER_FAILS)
      return this.retry();
    const body: unknown = await answer.json().catch(() => null);
    const isError = isJsonObject(body) && typeof body["code"] === "number" && typeof body["message"] === "string";
    const message = `There is no service of Troupe at ${this.url}: it answers ${status}`;
    this.events.refused(isError ? (body as unknown as AcpError) : { code: ACP_INTERNAL_ERROR, message });
  }
}
