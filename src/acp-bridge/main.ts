/**
 * `troupe acp`: agents of a service as agents of an editor, over standard input and output.
 *
 *   troupe acp --agent Ada        in the package and in the executable
 *   bun run acp --agent Ada       in a clone
 */
import { readBridgeSettings } from "../settings/bridge-settings.ts";
import { BRIDGE_HELP, readBridgeArguments } from "./arguments.ts";
import { Bridge } from "./bridge.ts";
import { ServiceLink } from "./service-link.ts";

/** Exit codes of `sysexits.h`. */
const EXIT_USAGE = 64;
const EXIT_BRIDGE_SETTINGS = 78;
/** How long answers are waited for after the last line, for programs that send all at once. */
const LAST_ANSWERS_MS = 5_000;
const LAST_ANSWERS_POLL_MS = 20;
/** Bytes that an editor may leave unread. */
const UNREAD_BYTES = 256 * 1024 * 1024;

const tellPerson = (text: string): void => console.error(`troupe acp: ${text}`);

/** Ends when the editor does; the runs go on in the service. */
async function runBridge(argv: readonly string[]): Promise<number> {
  const given = readBridgeArguments(argv);
  if (typeof given === "string") return complain(given, EXIT_USAGE);
  if (given.printsHelp) {
    console.log(BRIDGE_HELP);
    return 0;
  }
  const settings = readBridgeSettings(given);
  if (typeof settings === "string") return complain(settings, EXIT_BRIDGE_SETTINGS);
  let link: ServiceLink | null = null;
  const bridge = new Bridge({
    link: (events) => (link = new ServiceLink(settings, events)),
    toEditor(text) {
      process.stdout.write(`${text}\n`);
      if (process.stdout.writableLength > UNREAD_BYTES) process.exit(complain("the editor does not read", 1));
    },
    note: tellPerson,
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    newId: () => crypto.randomUUID(),
  });
  for await (const line of editorLines(Bun.stdin.stream())) bridge.fromEditor(line);
  for (const until = performance.now() + LAST_ANSWERS_MS; bridge.isAsked && performance.now() < until;)
    await Bun.sleep(LAST_ANSWERS_POLL_MS);
  (link as ServiceLink | null)?.end();
  return 0;
}

function complain(text: string, code: number): number {
  tellPerson(text);
  return code;
}

/** Bytes of one line: the service takes messages of at most 16 MiB. */
const LINE_BYTES = 32 * 1024 * 1024;

/** The lines of the stream that are not blank. Ends with the stream; throws at a line that is too long. */
export async function* editorLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let length = 0;
  for await (const piece of stream) {
    const [first = "", ...others] = decoder.decode(piece, { stream: true }).split("\n");
    parts.push(first);
    length += first.length;
    if (length > LINE_BYTES) throw new Error(`A line has more than ${LINE_BYTES} characters`);
    for (const next of others) {
      const line = parts.join("").trim();
      if (line !== "") yield line;
      parts = [next];
      length = next.length;
    }
  }
  const line = parts.join("").trim();
  if (line !== "") yield line;
}

process.exit(await runBridge(process.argv.slice(2)));
