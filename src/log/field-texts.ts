/**
 * Fields of a line as JSON, value by value, without secrets (START-8). Repeated texts, such as paths, methods
 * and messages, are searched for secrets once: searching each whole line cost more than all the rest of it.
 */
import { BoundedMap } from "../../actors/bounded-map.ts";
import { PlainFields } from "./port.ts";
import { isSecretName, REDACTED, redactText } from "./redaction.ts";

/** Each of the two generations of the cache holds so many texts of at most so many characters: 2 MiB when full. */
const REMEMBERED_TEXTS = 1_000;
const REMEMBERED_CHARACTERS = 256;
/** Names of fields: more than the code has. */
const REMEMBERED_NAMES = 1_000;
/** Request ids never repeat: caching them would only evict other texts. */
const ALWAYS_NEW: ReadonlySet<string> = new Set(["requestId"]);

interface FieldName {
  /** Includes the comma before the name and the colon after it. */
  readonly text: string;
  readonly isSecret: boolean;
  readonly isAlwaysNew: boolean;
}

export class FieldTexts {
  /** Two generations of cached texts: evicting the older half at once costs less than evicting one by one. */
  private recent = new Map<string, string>();
  private former = new Map<string, string>();
  private readonly names = new BoundedMap<FieldName>(REMEMBERED_NAMES);

  /** The fields as members of a longer JSON object, a comma before each; null if a value is not plain. */
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

  /** A text that is likely to repeat. */
  ofValue(value: string): string {
    if (value.length > REMEMBERED_CHARACTERS) return fieldText(value);
    const known = this.recent.get(value);
    if (known !== undefined) return known;
    const plain = JSON.stringify(value);
    const text = this.former.get(value) ?? redactText(plain);
    // Texts with secrets are not cached.
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

  private textOf({ isSecret, isAlwaysNew }: FieldName, value: unknown): string | null {
    if (typeof value === "string") {
      if (isSecret) return REDACTED_TEXT;
      return isAlwaysNew ? fieldText(value) : this.ofValue(value);
    }
    if (typeof value === "number") return Number.isFinite(value) ? String(value) : "null";
    return value === null || typeof value === "boolean" ? String(value) : null;
  }

  private nameOf(key: string): FieldName {
    const name = { text: `,${fieldText(key)}:`, isSecret: isSecretName(key), isAlwaysNew: ALWAYS_NEW.has(key) };
    this.names.set(key, name);
    return name;
  }
}

const REDACTED_TEXT = `"${REDACTED}"`;

const fieldText = (value: string): string => redactText(JSON.stringify(value));
