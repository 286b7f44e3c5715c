/**
 * How large is the console, and what does it add to an answer?
 *
 * Bytes are those of the built files, compressed with gzip as they are sent. The rest is measured in a headless Chromium
 * against a whole service with a scripted model, which writes at once: from the key that sends a message to the first text
 * in the document, beside the same from a request to the first delta in a stream of the API. The work for a piece of an
 * answer is what Chromium says that scripts, styles and layout took, divided by the pieces, in a chat of two messages and
 * in one of 10,000.
 */
import type { Page } from "playwright-core";
import { Troupe } from "../sdk/typescript/troupe.ts";
import { buildConsole } from "../src/public/console-files.ts";
import { CHROMIUM } from "../test/support/browser.ts";
import { type ConsoleScene, newChat, openConsole, visitChats } from "../test/support/console-scene.ts";
import { fillChat } from "../test/support/long-chat.ts";
import type { Aim, Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import { figure, percentile } from "./support/statistics.ts";
import { table } from "./support/table.ts";

const FIRST_PAGE_AIM_KB = 60;
const ALL_AIM_KB = 200;
const PIECE_AIM_MS = 16;
const LONG_CHAT = 10_000;
const PIECES = 200;
const PIECE_GAP_MS = 20;

interface Sizes {
  readonly first: number;
  readonly all: number;
  readonly later: readonly number[];
}

interface ConsoleTimes {
  readonly open: number[];
  readonly page: number[];
  readonly api: number[];
  readonly shortPiece: number[];
  readonly longPiece: number[];
}

export const benchmark: Benchmark = {
  question: "How large is the console, and what does it add to an answer?",
  async run(context) {
    const sizes = await sizesOf();
    const times: ConsoleTimes = { open: [], page: [], api: [], shortPiece: [], longPiece: [] };
    if (CHROMIUM === null)
      return { text: report(sizes, times), aims: sizeAims(sizes), skipped: ["Chromium: it is not installed"] };
    const scene = await openConsole({ isDemo: false });
    context.lifetime.add(() => scene.close());
    await measure(context, scene, times);
    return { text: report(sizes, times), aims: [...sizeAims(sizes), pieceAim(times)], skipped: [] };
  },
};

async function sizesOf(): Promise<Sizes> {
  const { files, program, needed, style } = await buildConsole();
  const kilobytes = new Map(files.map(({ name, bytes }) => [name, Bun.gzipSync(bytes).length / 1_000]));
  const sum = (names: readonly string[]): number =>
    names.reduce((total, name) => total + (kilobytes.get(name) ?? 0), 0);
  const first = [program, style, ...needed];
  const later = [...kilobytes.keys()].filter((name) => !first.includes(name));
  const sizes = later.map((name) => kilobytes.get(name) ?? 0);
  return { first: sum(first), all: sum([...kilobytes.keys()]), later: sizes.toSorted((a, b) => b - a) };
}

async function measure(context: BenchmarkContext, scene: ConsoleScene, times: ConsoleTimes): Promise<void> {
  const { page, agentId, person } = await visitChats(scene);
  await newChat(page, agentId);
  const address = page.url();
  const chatId = new URL(address).pathname.split("/").at(-1) ?? "";
  const troupe = new Troupe({ baseUrl: scene.url, token: person.token });
  scene.service.model.script = () => [{ say: "At once." }];
  // Neither way is measured cold.
  await firstText(page);
  await firstDelta(troupe, chatId);
  for (let round = 1; round <= context.rounds; round++) {
    const began = performance.now();
    await page.goto(address);
    await page.getByRole("article").first().waitFor();
    times.open.push(performance.now() - began);
    times.page.push(await firstText(page));
    times.api.push(await firstDelta(troupe, chatId));
    times.shortPiece.push(await workOfPiece(scene, page));
    context.say(`round ${round}: page ${figure(times.page.at(-1) ?? 0)} ms, API ${figure(times.api.at(-1) ?? 0)} ms`);
  }
  // A short answer is the one that is copied.
  await firstText(page);
  await fillChat(scene.service, { chatId, by: person, messages: LONG_CHAT });
  for (let round = 1; round <= context.rounds; round++) {
    await page.goto(address);
    await page.getByRole("article").first().waitFor();
    times.longPiece.push(await workOfPiece(scene, page));
  }
}

/** Milliseconds from the key that sends to the first text of the answer in the document, by the clock of the page. */
async function firstText(page: Page): Promise<number> {
  await page.getByText("The agent is answering.").waitFor({ state: "detached" });
  await page.evaluate(`window.shown = new Promise((resolve) => {
    const before = document.querySelectorAll(".message.assistant .markdown").length;
    let pressed = 0;
    addEventListener("keydown", () => (pressed = performance.now()), { once: true, capture: true });
    const watch = new MutationObserver(() => {
      if (document.querySelectorAll(".message.assistant .markdown").length <= before) return;
      watch.disconnect();
      resolve(performance.now() - pressed);
    });
    watch.observe(document.querySelector('[role="log"]'), { childList: true, subtree: true });
  }); 0`);
  await page.getByRole("textbox", { name: "Message" }).fill("Hello");
  await page.getByRole("textbox", { name: "Message" }).press("Enter");
  return (await page.evaluate("window.shown")) as number;
}

/** Milliseconds from the request that sends a message to the first delta in the chat's stream. */
async function firstDelta(troupe: Troupe, chatId: string): Promise<number> {
  const ended = new AbortController();
  let began = 0;
  for await (const event of troupe.streamChatEvents(chatId, { replay: "0" }, { signal: ended.signal })) {
    if (event.event === "snapshot") {
      began = performance.now();
      void troupe.sendMessage(chatId, { content: "Hello" });
    } else if (event.event === "message.delta") break;
  }
  const took = performance.now() - began;
  ended.abort();
  return took;
}

/** Milliseconds that the page works for one piece of an answer. */
async function workOfPiece({ service }: ConsoleScene, page: Page): Promise<number> {
  const answering = page.getByText("The agent is answering.");
  await answering.waitFor({ state: "detached" });
  service.model.script = () =>
    Array.from({ length: PIECES }, (_, at) => [
      { hold: Bun.sleep(at * PIECE_GAP_MS) },
      { say: at % 20 === 19 ? "end.\n\n" : "some words " },
    ]).flat();
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const worked = async (): Promise<number> => {
    const { metrics } = await session.send("Performance.getMetrics");
    const names = ["ScriptDuration", "LayoutDuration", "RecalcStyleDuration"];
    return metrics.reduce((sum, { name, value }) => sum + (names.includes(name) ? value : 0), 0);
  };
  await page.getByRole("textbox", { name: "Message" }).fill("Write much");
  const before = await worked();
  await page.getByRole("textbox", { name: "Message" }).press("Enter");
  await answering.waitFor();
  await answering.waitFor({ state: "detached" });
  const took = (await worked()) - before;
  service.model.script = () => [{ say: "At once." }];
  return (took * 1_000) / PIECES;
}

const middle = (values: readonly number[]): number =>
  percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  );

function report({ first, all, later }: Sizes, times: ConsoleTimes): string {
  const ms = (all: readonly number[]): string => (all.length === 0 ? "–" : figure(middle(all)));
  return [
    table(
      ["files", "KB, gzip"],
      [
        ["first page (shell, chats, inbox)", figure(first)],
        ["each later page, largest first", later.map(figure).join(", ")],
        ["all together", figure(all)],
      ],
    ),
    table(
      ["time", "ms"],
      [
        ["opening a chat, to its messages", ms(times.open)],
        ["from the key to the first text in the page", ms(times.page)],
        ["from the request to the first text by the API", ms(times.api)],
        ["work for a piece in a chat of two messages", ms(times.shortPiece)],
        [`work for a piece in a chat of ${LONG_CHAT.toLocaleString("en")} messages`, ms(times.longPiece)],
      ],
    ),
  ].join("\n\n");
}

const sizeAims = ({ first, all }: Sizes): readonly Aim[] => [
  {
    aim: `first page of the console ≤ ${FIRST_PAGE_AIM_KB} KB`,
    figure: `${figure(first)} KB`,
    holds: first <= FIRST_PAGE_AIM_KB,
  },
  { aim: `all of the console ≤ ${ALL_AIM_KB} KB`, figure: `${figure(all)} KB`, holds: all <= ALL_AIM_KB },
];

function pieceAim({ longPiece }: ConsoleTimes): Aim {
  const work = middle(longPiece);
  const aim = `work for a piece of an answer in a chat of ${LONG_CHAT.toLocaleString("en")} messages ≤ ${PIECE_AIM_MS} ms`;
  return { aim, figure: `${figure(work)} ms`, holds: work <= PIECE_AIM_MS };
}
