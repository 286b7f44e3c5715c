/**
 * Markdown as elements. Nothing of it becomes HTML text: each token is an element that is named here, and HTML in a
 * message is shown as it was written. So no message can run or load anything.
 */
import type { Token, Tokens } from "marked";
import type { ComponentChildren } from "preact";
import { useErrorBoundary, useMemo, useRef } from "preact/hooks";
import { CodeBlock } from "./code-block.tsx";
import { type ParsedText, parseGrownText, parseText } from "./blocks.ts";

/** Schemes that a link may have; others are shown as text. */
export const SAFE_LINK = /^(?:https?:|mailto:)/i;
const HEADINGS = ["h3", "h4", "h5", "h6", "h6", "h6"] as const;

interface MarkdownProps {
  readonly text: string;
  /** The text may go on: only its last block is parsed again. */
  readonly isGrowing?: boolean;
}

/** The blocks of a text. While a message grows, only its last block gets new elements. */
export function Markdown({ text, isGrowing = false }: MarkdownProps) {
  // A text may be nested in a way that the parser survives, and the browser's stack does not.
  const [error] = useErrorBoundary();
  return error === undefined ? <MarkdownBlocks text={text} isGrowing={isGrowing} /> : <pre tabIndex={0}>{text}</pre>;
}

function MarkdownBlocks({ text, isGrowing }: Required<MarkdownProps>) {
  const before = useRef<ParsedText | null>(null);
  const { blocks } = useMemo(
    () => (before.current = isGrowing ? parseGrownText(before.current, text) : parseText(text)),
    [text, isGrowing],
  );
  if (blocks === null) return <pre tabIndex={0}>{text}</pre>;
  return (
    <div class="markdown">
      {blocks.map((block, index) => (
        <MarkdownBlock key={index} block={block} raw={block.raw} />
      ))}
    </div>
  );
}

function MarkdownBlock({ block, raw }: { readonly block: Token; readonly raw: string }) {
  return useMemo(() => <>{markdownElement(block)}</>, [raw]);
}

function markdownElement(token: Token): ComponentChildren {
  switch (token.type) {
    case "space":
    case "def":
    case "checkbox":
      return null;
    case "heading": {
      const { depth, tokens } = token as Tokens.Heading;
      const Heading = HEADINGS[depth - 1] ?? "h6";
      return <Heading>{inline(tokens)}</Heading>;
    }
    case "paragraph":
      return <p>{inline((token as Tokens.Paragraph).tokens)}</p>;
    case "text":
      return inline((token as Tokens.Text).tokens ?? [token]);
    case "code": {
      const { text, lang } = token as Tokens.Code;
      return <CodeBlock code={text} language={(lang ?? "").trim().toLowerCase()} />;
    }
    case "blockquote":
      return <blockquote>{markdownElements((token as Tokens.Blockquote).tokens)}</blockquote>;
    case "hr":
      return <hr />;
    case "list": {
      const { ordered, start, items } = token as Tokens.List;
      const entries = items.map(({ tokens, task, checked }, index) => (
        <li key={index}>
          {task ? <input type="checkbox" checked={checked === true} disabled aria-label="Task" /> : null}
          {markdownElements(tokens)}
        </li>
      ));
      return ordered ? <ol start={start === "" ? 1 : start}>{entries}</ol> : <ul>{entries}</ul>;
    }
    case "table": {
      const { header, rows } = token as Tokens.Table;
      return (
        <div class="scrolls" tabIndex={0}>
          <table>
            <thead>
              <tr>
                {header.map((cell, at) => (
                  <th key={at}>{inline(cell.tokens)}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, at) => (
                <tr key={at}>
                  {row.map((cell, column) => (
                    <td key={column}>{inline(cell.tokens)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    }
    default:
      // HTML, and what a later version of the parser may know.
      return <p>{token.raw}</p>;
  }
}

const markdownElements = (tokens: readonly Token[]): ComponentChildren =>
  tokens.map((token, index) => <MarkdownBlock key={index} block={token} raw={token.raw} />);

const inline = (tokens: readonly Token[]): ComponentChildren => tokens.map((token, index) => inlineOf(token, index));

function inlineOf(token: Token, key: number): ComponentChildren {
  switch (token.type) {
    case "text": {
      const { tokens, text } = token as Tokens.Text;
      return tokens === undefined ? withCharacters(text) : inline(tokens);
    }
    case "escape":
      return (token as Tokens.Escape).text;
    case "strong":
      return <strong key={key}>{inline((token as Tokens.Strong).tokens)}</strong>;
    case "em":
      return <em key={key}>{inline((token as Tokens.Em).tokens)}</em>;
    case "del":
      return <del key={key}>{inline((token as Tokens.Del).tokens)}</del>;
    case "codespan":
      return <code key={key}>{(token as Tokens.Codespan).text}</code>;
    case "br":
      return <br key={key} />;
    case "link": {
      const { href, tokens } = token as Tokens.Link;
      if (!SAFE_LINK.test(href)) return token.raw;
      return (
        <a key={key} href={href} rel="noopener noreferrer nofollow" target="_blank" title={href}>
          {inline(tokens)}
        </a>
      );
    }
    case "image": {
      // An image would load something from elsewhere: it is a link.
      const { href, text } = token as Tokens.Image;
      if (!SAFE_LINK.test(href)) return token.raw;
      return (
        <a key={key} href={href} rel="noopener noreferrer nofollow" target="_blank" title={href}>
          {text === "" ? href : text}
        </a>
      );
    }
    default:
      return token.raw;
  }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: "\u00a0" };
/** The parser leaves the named characters of HTML as they are. */
const withCharacters = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|nbsp);/g, (raw, name: string) => ENTITIES[name] ?? raw);
