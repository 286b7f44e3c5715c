/** Durable events as the current surface shows them: `{seq, type, at, data}`, with the data's keys in snake_case (GEN-1). */
import type { StoredEvent } from "../../actors/runtime/store.ts";
import type { Json, JsonObject } from "../../actors/schema.ts";

export const eventView = ({ seq, type, at, data }: StoredEvent) => ({ seq, type, at, data: snakeCased(data) });

/** What these keys hold is the caller's or a tool's own, and stays as it is. */
const VERBATIM: ReadonlySet<string> = new Set(["input", "arguments", "metadata"]);

/** The data with its keys as the surface writes them. */
export function snakeCased(data: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [snakeCase(key), VERBATIM.has(key) ? value : shown(value)]),
  );
}

function shown(value: Json | undefined): Json | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? snakeCased(value as JsonObject) : value;
}

const snakeCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
