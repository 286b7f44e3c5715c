/** What models read, by the setting and by their names (FILE-8). */
import { expect, test } from "bun:test";
import { inputEntry } from "../../actors/job/model-entry.ts";
import type { ModelInput } from "../../actors/upload/terms.ts";
import { inputOfTarget } from "../../src/runner/model-input.ts";
import type { ModelTarget } from "../../src/runner/model-name.ts";

const read = (kind: ModelTarget["kind"], name: string, inputs = new Map<string, readonly ModelInput[]>()): string =>
  inputOfTarget({ kind, provider: kind, name } as ModelTarget, inputs).join("+");

test("[FILE-8] the name of a model determines what it reads", () => {
  expect(read("messages", "claude-sonnet-5-5")).toBe("text+image+file");
  expect(read("messages", "claude-3-haiku-20240307")).toBe("text+image");
  expect(read("messages", "claude-2.1")).toBe("text");
  expect(read("responses", "gpt-5-mini")).toBe("text+image+file");
  expect(read("responses", "gpt-4o")).toBe("text+image+file");
  expect(read("responses", "gpt-4-turbo")).toBe("text+image");
  expect(read("responses", "o3-mini")).toBe("text");
  expect(read("responses", "gpt-3.5-turbo")).toBe("text");
  expect(read("chat-completions", "qwen3")).toBe("text");
  expect(read("chat-completions", "llava:13b")).toBe("text+image");
  expect(read("chat-completions", "qwen2.5-vl")).toBe("text+image");
  // Documents are no part of the format that such servers speak.
  expect(read("chat-completions", "anthropic/claude-sonnet-4")).toBe("text+image");
  expect(read("demo", "echo")).toBe("text+image+file");
});

test("[FILE-8] the operator's setting takes precedence over the name", () => {
  expect(
    read("chat-completions", "qwen3", new Map([["chat-completions:qwen3", ["text", "image", "file"] as const]])),
  ).toBe("text+image+file");
  expect(inputEntry("openai-compatible:qwen3=text+image")).toEqual(["openai-compatible:qwen3", ["text", "image"]]);
  expect(inputEntry("openai:gpt-x=text")).toEqual(["openai:gpt-x", ["text"]]);
  for (const wrong of ["gpt-x=text", "openai:gpt-x", "openai:gpt-x=image", "openai:gpt-x=text+video", "a:b="])
    expect(inputEntry(wrong)).toBeNull();
});
