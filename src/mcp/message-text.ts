/** Answers as the JSON text of one message. */
import type { Refusal } from "../http/answer/dialect.ts";
import type { PostedJson } from "./message.ts";

const DATA = "data: ";

/** The message of an answer; null if it has none. The answers of a session are streams of one message here. */
export async function messageText(answer: Response): Promise<string | null> {
  const text = await answer.text();
  if (answer.headers.get("content-type") !== "text/event-stream") return text === "" ? null : text;
  const line = text.split("\n").findLast((one) => one.startsWith(`${DATA}{`));
  return line === undefined ? null : line.slice(DATA.length);
}

/** The error that a message is refused with; null for a notification. */
export function refusedMessage({ id }: PostedJson, { body }: Refusal): string | null {
  if (id === undefined) return null;
  const { message } = body as { readonly message: string };
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_603, message, data: body } });
}
