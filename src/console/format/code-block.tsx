/** A block of code. Its words are coloured once it has stayed the same for a moment, by a program that is loaded then. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { CodePiece } from "./code-pieces.ts";

interface CodeBlockProps {
  readonly code: string;
  /** The word after the opening fence, such as `ts`; may be empty. */
  readonly language: string;
}

/** Code that is being written is not coloured with each piece. */
const SETTLED_CODE_MS = 300;
/** Longer code is shown as it is: colouring it would take as long as nobody waits. */
const MOST_COLOURED_CHARACTERS = 50_000;

export function CodeBlock({ code, language }: CodeBlockProps) {
  const [coloured, setColoured] = useState<{
    readonly code: string;
    readonly pieces: readonly CodePiece[] | null;
  } | null>(null);
  useEffect(() => {
    if (language === "" || code.length > MOST_COLOURED_CHARACTERS) return;
    let isOver = false;
    const timer = setTimeout(() => {
      import("./coloured-code.ts").then(
        ({ colouredCode }) => {
          if (!isOver) setColoured({ code, pieces: colouredCode(code, language) });
        },
        // Without its colours it is the same code.
        () => {},
      );
    }, SETTLED_CODE_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [code, language]);
  return (
    <pre tabIndex={0} data-language={language === "" ? undefined : language}>
      <code>{coloured?.code === code && coloured.pieces !== null ? elementsOf(coloured.pieces) : code}</code>
    </pre>
  );
}

const elementsOf = (pieces: readonly CodePiece[]): ComponentChildren =>
  pieces.map((piece, index) =>
    typeof piece === "string" ? (
      piece
    ) : (
      <span key={index} class={piece.style}>
        {elementsOf(piece.pieces)}
      </span>
    ),
  );
