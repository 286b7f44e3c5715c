/**
 * Fields of a line as JSON, value by value, without secrets (START-8). Texts that come again, such as paths, methods and
 * messages, are looked through once: looking through each whole line for secrets cost more than the rest of it.
 */
import { BoundedMap } from "../../actors/bounded-map.ts";
import { PlainFields } from "./port.ts";
import { isSecretName, REDACTED, redactText } from "./redaction.ts";

/** Texts that are remembered twice over, and the characters of the longest: at most 2 MiB when full. */
const REMEMBERED_TEXTS = 1_000;
const REMEMBERED_CHARACTERS = 256;
/** Names of fields: as many as the code has. */
const REMEMBERED_NAMES = 1_000;
/** Ids of requests never come again: remembering them would only forget the others. */
const ALWAYS_NEW: ReadonlySet<string> = new Set(["requestId"]);

interface Name {
  /** With the comma before it and the colon behind it. */
  readonly text: string;
  readonly isSecret: boolean;
  readonly isAlwaysNew: boolean;
}

export class FieldTexts {
  /** Texts that came lately, and those before them: to forget half at once costs less than one by one. */
  private recent = new Map<string, string>();
  private former = new Map<string, string>();
  private readonly names = new BoundedMap<Name>(REMEMBERED_NAMES);

  /** The fields as they stand in a longer JSON object, each after a comma; null where one is no plain value. */
  ofFields(fields: object): string | null {
    let text = "";
    const made = fields instanceof PlainFields ? fields.made : null;
    for (const key of Object.keys(fields)) {
      const value = (fields as Readonly<Record<string, unknown>>)[key];
      if (value === undefined) continue;
      const name = this.names.get(key) ?? this.nameOf(key);
      const shown = made !== null && value === made ? `"${made}"` : this.textOf(name, value);
      if (shown === null) return null;
      text += name.text + shown;
    }
    return text;
  }

  /** A text that is likely to come again. */
  ofValue(value: string): string {
    if (value.length > REMEMBERED_CHARACTERS) return textOf(value);
    const known = this.recent.get(value);
    if (known !== undefined) return known;
    const plain = JSON.stringify(value);
    const text = this.former.get(value) ?? redactText(plain);
    // A text that has a secret is not kept.
    if (text === plain) this.remember(value, text);
    return text;
  }

  private remember(value: string, text: string): void {
    if (this.recent.size >= REMEMBERED_TEXTS) {
      this.former = this.recent;
      this.recent = new Map();
    }
    this.recent.set(value, text);
  }

  private textOf({ isSecret, isAlwaysNew }: Name, value: unknown): string | null {
    if (typeof value === "string") {
      if (isSecret) return SECRET;
      return isAlwaysNew ? textOf(value) : this.ofValue(value);
    }
    if (typeof value === "number") return Number.isFinite(value) ? String(value) : "null";
    return value === null || typeof value === "boolean" ? String(value) : null;
  }

  private nameOf(key: string): Name {
    const name = { text: `,${textOf(key)}:`, isSecret: isSecretName(key), isAlwaysNew: ALWAYS_NEW.has(key) };
    this.names.set(key, name);
    return name;
  }
}

const SECRET = `"${REDACTED}"`;

const textOf = (value: string): string => redactText(JSON.stringify(value));
