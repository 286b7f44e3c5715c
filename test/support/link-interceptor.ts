/** Somebody between two replicas, on the way of their links: each message goes through the test's hands. */
import type { Server, ServerWebSocket } from "bun";
import { SEAL_HEADER } from "../../src/peers/peer-key.ts";
import type { Direction } from "../../src/peers/link-frames.ts";

type Message = string | Buffer;
/** What goes on in the place of a message: as it is, changed, nothing, or several. `number` counts from 0 in each direction. */
export type Tamper = (direction: Direction, message: Message, number: number) => readonly Message[];

interface Line {
  readonly seal: string;
  up: WebSocket | null;
  readonly counts: Record<Direction, number>;
}

export const AS_IT_IS: Tamper = (_, message) => [message];

export class LinkInterceptor {
  tamper: Tamper = AS_IT_IS;
  /** The headers of the calls that have opened links. */
  readonly seals: string[] = [];
  private readonly server: Server<Line>;
  private readonly lines = new Set<ServerWebSocket<Line>>();

  /** `target`: the url of the replica behind it. `admits`: whether one who comes is let through, by default everybody. */
  constructor(target: string, admits: () => boolean = () => true) {
    this.server = Bun.serve<Line>({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request, server) => {
        const seal = request.headers.get(SEAL_HEADER) ?? "";
        this.seals.push(seal);
        const data: Line = { seal, up: null, counts: { asks: 0, answers: 0 } };
        return admits() && server.upgrade(request, { data }) ? undefined : new Response(null, { status: 404 });
      },
      websocket: {
        perMessageDeflate: false,
        open: (link) => {
          const up = new WebSocket(`${target.replace("http", "ws")}/.replica/link`, {
            headers: { [SEAL_HEADER]: link.data.seal },
          });
          up.binaryType = "nodebuffer";
          up.addEventListener("message", ({ data }) => this.pass(link, "answers", data as Message));
          up.addEventListener("close", () => link.terminate());
          link.data.up = up;
          this.lines.add(link);
        },
        message: (link, message) => this.pass(link, "asks", message),
        close: (link) => {
          this.lines.delete(link);
          link.data.up?.terminate();
        },
      },
    });
  }

  get url(): string {
    return this.server.url.origin;
  }

  /** Sends this to the replica that asks or answers, on the only line that is open. */
  inject(to: Direction, message: Message): void {
    const [line] = this.lines;
    if (line === undefined) throw new Error("no line is open");
    send(line, to === "asks" ? "answers" : "asks", message);
  }

  /** Ends every line. */
  cut(): void {
    for (const line of this.lines) line.terminate();
  }

  async close(): Promise<void> {
    await this.server.stop(true);
  }

  private pass(link: ServerWebSocket<Line>, direction: Direction, message: Message): void {
    for (const one of this.tamper(direction, message, link.data.counts[direction]++)) send(link, direction, one);
  }
}

function send(link: ServerWebSocket<Line>, direction: Direction, message: Message): void {
  if (direction === "asks") link.data.up?.send(message);
  else if (typeof message === "string") link.sendText(message);
  else link.sendBinary(message);
}
