/**
 * Draws `docs/stream-over-kill.svg`, the picture of the README: a real service is killed with -9 while it streams an
 * answer, starts again, and the client resumes by the id of the last event that it got. `bun run picture`.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { environmentWith } from "../src/settings/config.ts";
import { Troupe } from "../sdk/typescript/troupe.ts";

const ROOT = join(import.meta.dir, "..");
const PORT = 3999;
const BASE_URL = `http://127.0.0.1:${PORT}`;
const MESSAGE = "/say Every write is in PostgreSQL before you hear of it.\n/slow 300";
/** Pieces of the answer before the kill. */
const PIECES_BEFORE = 4;

/** What the terminal shows, and when, in seconds. */
interface Line {
  readonly at: number;
  readonly kind: "command" | "event" | "note";
  readonly text: string;
}

const lines: Line[] = [];
const began = performance.now();
const show = (kind: Line["kind"], text: string): void => {
  lines.push({ at: (performance.now() - began) / 1_000, kind, text });
};

function start(folder: string): Bun.Subprocess {
  return Bun.spawn([process.execPath, "src/main.ts"], {
    cwd: ROOT,
    env: environmentWith({ DATA_DIR: folder, PORT: String(PORT), LOG_LEVEL: "silent", MODEL: "demo:echo" }),
    stdio: ["ignore", "ignore", "ignore"],
  });
}

async function ready(): Promise<void> {
  while ((await fetch(`${BASE_URL}/readyz`).catch(() => null))?.status !== 200) await Bun.sleep(50);
}

interface Sent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** The events of a response, as a client reads them; ends where the connection does. */
async function* eventsOf(response: Response): AsyncGenerator<Sent> {
  let rest = "";
  try {
    for await (const bytes of response.body ?? []) {
      const blocks = (rest + new TextDecoder().decode(bytes)).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const field = (name: string): string => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1] ?? "";
        if (field("event") !== "") yield { id: field("id"), event: field("event"), data: field("data") };
      }
    }
  } catch {
    // Cut by the kill.
  }
}

const shownData = ({ event, data }: Sent): string => {
  const { text, delta } = JSON.parse(data) as { readonly text?: string; readonly delta?: string };
  return event === "message.delta" ? ` ${JSON.stringify(text ?? delta ?? "")}` : "";
};

const SHOWN = /^(?:message\.(?:started|restarted|delta|completed)|stream\.end)$/;

async function record(folder: string): Promise<void> {
  let service = start(folder);
  await ready();
  const [token = ""] = /pat_[\w-]+/.exec(readFileSync(join(folder, "first-run.txt"), "utf8")) ?? [];
  const troupe = new Troupe({ baseUrl: BASE_URL, token });
  const [agent] = (await troupe.listAgents()).agents;
  const [workspace] = (await troupe.listWorkspaces()).workspaces;
  const chat = await troupe.createChat({ agent_id: agent?.id ?? "", workspace_id: workspace?.id ?? "" });
  await troupe.sendMessage(chat.id, { content: MESSAGE });
  const read = (headers: Record<string, string>): Promise<Response> =>
    fetch(`${BASE_URL}/api/chats/${chat.id}/events?wait=end`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
  let lastId = "";
  const pass = async (response: Response, pieces: number): Promise<void> => {
    let seen = 0;
    for await (const sent of eventsOf(response)) {
      if (sent.id !== "") lastId = sent.id;
      if (SHOWN.test(sent.event)) show("event", `${sent.event}${shownData(sent)}`);
      if (sent.event === "message.delta" && ++seen === pieces) {
        show("command", `kill -9 ${service.pid}`);
        service.kill("SIGKILL");
      }
    }
  };
  show("command", "curl -N …/api/chats/cht_…/events?wait=end");
  await pass(await read({}), PIECES_BEFORE);
  show("note", "curl: (18) transfer closed");
  show("command", "bun start &");
  await service.exited;
  service = start(folder);
  await ready();
  show("command", `curl -N -H 'Last-Event-ID: ${lastId}' …/api/chats/cht_…/events?wait=end`);
  await pass(await read({ "last-event-id": lastId }), Infinity);
  service.kill("SIGTERM");
  await service.exited;
}

const LINE = 22;
const COLOURS = { command: "#f0f3f6", event: "#7ee2b8", note: "#f5a97f" } as const;

/** An SVG that shows each line when it came. Where motion is not wanted, all of them at once. */
function picture(): string {
  const first = lines[0]?.at ?? 0;
  const rows = lines.map(({ at, kind, text }, index) => {
    const shown = Bun.escapeHTML(kind === "command" ? `$ ${text}` : text);
    const delay = (at - first + 0.3).toFixed(2);
    return `<text x="20" y="${36 + index * LINE}" fill="${COLOURS[kind]}" style="animation-delay:${delay}s">${shown}</text>`;
  });
  const height = 36 + lines.length * LINE;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 ${height}" role="img" aria-label="A stream that goes on after kill -9">
<style>text{font:14px ui-monospace,Menlo,Consolas,monospace;white-space:pre;opacity:0;animation:show .01s forwards}@keyframes show{to{opacity:1}}@media(prefers-reduced-motion:reduce){text{opacity:1;animation:none}}</style>
<rect width="760" height="${height}" rx="8" fill="#14181f"/>
${rows.join("\n")}
</svg>
`;
}

const folder = mkdtempSync(join(tmpdir(), "troupe-picture-"));
try {
  await record(folder);
  await Bun.write(join(ROOT, "docs/stream-over-kill.svg"), picture());
} finally {
  rmSync(folder, { recursive: true, force: true });
}
