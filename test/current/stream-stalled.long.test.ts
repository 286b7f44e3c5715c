/**
 * Readers of a real process that take nothing while a chat says much: what each costs is bounded, each is
 * let go, and nothing of it is left behind. (What the kernel keeps for a socket is not the service's.)
 */
import { expect, test } from "bun:test";
import { readdirSync, readlinkSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { SLOW_READER_BYTES } from "../../actors/runtime/streams/subscription.ts";
import { pssOf } from "../../benchmarks/support/pss.ts";
import type { Json } from "../support/current.ts";
import { guardedFolder } from "../support/guarded-folder.ts";
import { eventually, startTroupe, type TroupeProcess } from "../support/troupe-process.ts";

/** So many that what they cost stands out of what the chat itself costs. */
const READERS = 300;
/** Each says 128 KiB of text in pieces, and then its message with all of it: several times what the kernel and a reader may hold. */
const ANSWERS = 64;
const ANSWER = `/say ${"x".repeat(1_023)}\n/repeat 128`;
/** What one reader may hold: as far as it may be behind, and a piece that it is being given. */
const READER_BYTES = 2 * SLOW_READER_BYTES;
/** Who has been let go is gone ten seconds later, and who is only stalled after two minutes. */
const CLOSED_LIMIT_MS = 180_000;
const TURN_LIMIT_MS = 60_000;

class Talk {
  private readonly service: TroupeProcess;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly of: { readonly agent_id: string; readonly workspace_id: string };

  private constructor(service: TroupeProcess, token: string, of: Talk["of"]) {
    this.service = service;
    this.headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    this.of = of;
  }

  static async with(service: TroupeProcess): Promise<Talk> {
    const { personal, agentId } = service.firstRun();
    const talk = new Talk(service, personal, { agent_id: agentId, workspace_id: "" });
    const { workspaces } = await talk.call("GET", "/api/workspaces");
    const [first] = workspaces as { id: string }[];
    return new Talk(service, personal, { agent_id: agentId, workspace_id: first!.id });
  }

  chat = async (): Promise<string> => String((await this.call("POST", "/api/chats", this.of))["id"]);

  /** Says all of it; answers the most memory that the service has had meanwhile. */
  async say(chat: string): Promise<number> {
    let peak = 0;
    for (let i = 0; i < ANSWERS; i++) {
      await this.call("POST", `/api/chats/${chat}/messages`, { content: ANSWER });
      const isOver = async (): Promise<boolean> => {
        peak = Math.max(peak, pssOf(this.service.pid));
        return (await this.call("GET", `/api/chats/${chat}`))["active_job_id"] === null;
      };
      await eventually("the turn is over", isOver, TURN_LIMIT_MS);
    }
    return peak;
  }

  /** Asks for the events, and takes nothing after the first of what comes. */
  async reader(chat: string): Promise<Socket> {
    const { hostname, port } = new URL(this.service.url);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    const authorization = `Authorization: ${this.headers["authorization"]}`;
    socket.write(`GET /api/chats/${chat}/events HTTP/1.1\r\nHost: ${hostname}\r\n${authorization}\r\n\r\n`);
    const first = await new Promise<Buffer>((resolve) => socket.once("data", resolve));
    socket.pause();
    expect(first.toString()).toStartWith("HTTP/1.1 200");
    return socket;
  }

  /** A chat that says more than it may have in line at once answers 503 for a moment. */
  private async call(method: string, path: string, body?: object): Promise<Json> {
    const request = { method, headers: this.headers, body: body ? JSON.stringify(body) : null };
    let response = await fetch(`${this.service.url}${path}`, request);
    for (; response.status === 503; response = await fetch(`${this.service.url}${path}`, request)) await Bun.sleep(50);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Json;
  }
}

/** Sockets that the process has open. */
function socketsOf(pid: number): number {
  const files = readdirSync(`/proc/${pid}/fd`);
  return files.filter((file) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${file}`).startsWith("socket:");
    } catch {
      return false;
    }
  }).length;
}

test.skipIf(process.platform !== "linux")(
  "[SSE-5] readers that read nothing use limited memory, are disconnected, and leave no socket behind",
  async () => {
    const folder = guardedFolder();
    const readers: Socket[] = [];
    try {
      const service = await startTroupe(folder, { env: { LOG_LEVEL: "info", RATE_BUDGETS: "*=1000000" } });
      const talk = await Talk.with(service);
      const alone = await talk.say(await talk.chat());
      const before = socketsOf(service.pid);
      const chat = await talk.chat();
      for (let i = 0; i < READERS; i++) readers.push(await talk.reader(chat));
      expect(socketsOf(service.pid)).toBeGreaterThanOrEqual(before + READERS);
      const together = await talk.say(chat);
      const each = (together - alone) / READERS;
      console.log(`stalled readers: ${Math.round(each / 1024)} KiB for each of ${READERS} at most`);
      expect(each).toBeLessThan(READER_BYTES);
      // Connections that wait for their next request come and go; the readers are more than these.
      const areGone = (): boolean => socketsOf(service.pid) < before + READERS / 10;
      await eventually("the service has closed its side", areGone, CLOSED_LIMIT_MS);
      expect(await service.end()).toBe(0);
    } finally {
      for (const socket of readers) socket.destroy();
      await folder.remove();
    }
  },
  600_000,
);
