/** Colours the words of code. It is loaded with the first code that is shown. */
import type { LanguageFn } from "highlight.js";
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { type CodePiece, codePieces } from "./code-pieces.ts";

const CODE_LANGUAGES: Readonly<Record<string, LanguageFn>> = {
  bash,
  css,
  diff,
  go,
  java,
  json,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};
for (const [name, language] of Object.entries(CODE_LANGUAGES)) hljs.registerLanguage(name, language);
// TypeScript's words are a superset.
hljs.registerAliases(["javascript", "js", "jsx", "mjs"], { languageName: "typescript" });

/** Null for a language that is not known here. */
export const colouredCode = (code: string, language: string): readonly CodePiece[] | null =>
  hljs.getLanguage(language) === undefined
    ? null
    : codePieces(hljs.highlight(code, { language, ignoreIllegals: true }).value);
