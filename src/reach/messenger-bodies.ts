/**
 * A notice in the shape that each messenger takes (REACH-5). The texts go into fields that have no markup, and if a
 * program reads a field as markup anyway, its special characters are escaped. So an argument can neither mention a
 * channel nor forge a link. Each body fits the limits of its program.
 */
import { cutText, shortText } from "../../actors/cut-text.ts";
import type { MessengerFormat } from "../../actors/reach/schema.ts";
import type { NoticeWords } from "./notice-words.ts";

/** A request to a messenger. */
export interface MessengerRequest {
  readonly url: string;
  readonly body: string;
}

interface MessengerAddress {
  readonly format: MessengerFormat;
  readonly url: string;
}

export const messengerRequest = ({ format, url }: MessengerAddress, words: NoticeWords): MessengerRequest =>
  MESSENGER_REQUESTS[format](url, words);

const MESSENGER_REQUESTS: Readonly<Record<MessengerFormat, (url: string, words: NoticeWords) => MessengerRequest>> = {
  slack: (url, words) => ({ url, body: JSON.stringify(slackMessage(words)) }),
  teams: (url, words) => ({ url, body: JSON.stringify(teamsMessage(words)) }),
  ntfy: ntfyRequest,
};

/** Characters of a text in a block of Slack, of its header, and of the text for notifications. */
const SLACK_TEXT = 2_900;
const SLACK_HEADER = 148;
const SLACK_FALLBACK = 300;

const plainText = (text: string, most = SLACK_TEXT) => ({
  type: "plain_text",
  text: shortText(text, most),
  emoji: false,
});

/** Blocks of `plain_text` have no markup. `text` is for notifications, and Slack reads its `<`, `>` and `&`. */
const slackMessage = ({ title, facts, arguments: json, link, note }: NoticeWords) => ({
  text: slackEscaped(shortText(title, SLACK_FALLBACK)),
  mrkdwn: false,
  parse: "none",
  link_names: 0,
  unfurl_links: false,
  unfurl_media: false,
  blocks: [
    { type: "header", text: plainText(title, SLACK_HEADER) },
    { type: "section", text: plainText(factLines(facts)) },
    ...(json === null ? [] : [{ type: "section", text: plainText(json) }]),
    { type: "actions", elements: [{ type: "button", text: plainText(link.label, 75), url: link.url }] },
    { type: "context", elements: [plainText(note)] },
  ],
});

const slackEscaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Bytes of a body that Teams takes: 28 KB, less what surrounds the texts. */
const TEAMS_TEXT = 6_000;

/** A text run of an Adaptive Card has no markup, unlike a text block, and mentions need an entity of their own. */
const textRun = (text: string, more: object = {}) => ({
  type: "RichTextBlock",
  inlines: [{ type: "TextRun", text: shortText(text, TEAMS_TEXT), ...more }],
});

const teamsMessage = ({ title, facts, arguments: json, link, note }: NoticeWords) => ({
  type: "message",
  attachments: [
    {
      contentType: "application/vnd.microsoft.card.adaptive",
      contentUrl: null,
      content: {
        $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
        type: "AdaptiveCard",
        version: "1.4",
        body: [
          textRun(title, { weight: "bolder", size: "medium" }),
          ...facts.map(([label, text]) => textRun(`${label}: ${text}`)),
          ...(json === null ? [] : [textRun(json, { fontType: "monospace" })]),
          textRun(note, { isSubtle: true }),
        ],
        actions: [{ type: "Action.OpenUrl", title: link.label, url: link.url }],
      },
    },
  ],
});

/** Bytes of a message that ntfy shows; it makes an attachment of a longer one. */
const NTFY_BYTES = 3_800;

/** As JSON to the server's root: headers would carry the texts otherwise. The topic is the last part of the path. */
function ntfyRequest(url: string, { title, facts, arguments: json, link, note }: NoticeWords): MessengerRequest {
  const to = new URL(url);
  const parts = to.pathname.split("/");
  const topic = decodeURIComponent(parts.pop() ?? "");
  to.pathname = `${parts.join("/")}/`;
  const message = [factLines(facts), ...(json === null ? [] : [json]), note].join("\n\n");
  const body = {
    topic,
    title: shortText(title, 200),
    message: shortBytes(message, NTFY_BYTES),
    click: link.url,
    actions: [{ action: "view", label: link.label, url: link.url }],
  };
  return { url: to.href, body: JSON.stringify(body) };
}

const factLines = (facts: NoticeWords["facts"]): string => facts.map(([label, text]) => `${label}: ${text}`).join("\n");

function shortBytes(text: string, most: number): string {
  let cut = text;
  while (Buffer.byteLength(cut) > most) cut = `${cutText(cut, Math.floor(cut.length * 0.8))}…`;
  return cut;
}
