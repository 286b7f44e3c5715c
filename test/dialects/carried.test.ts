/** The table of protocols says what each one's frames carry. */
import { expect, test } from "bun:test";
import type { RunItem } from "../../src/dialects/runs/run-item.ts";
import { CARRIERS } from "./carriers.ts";

const usage = { inputTokens: 7_654, outputTokens: 4_321 };
const callId = "marked-call";

/** By column: the items, and a mark of them that their frames have if the protocol carries it. */
const SAMPLES: Readonly<Record<string, readonly [items: readonly RunItem[], mark: RegExp]>> = {
  "Text as it is written": [[{ kind: "text", block: 0, at: 0, offset: 0, text: "marked text" }], /marked text/],
  Reasoning: [
    [
      { kind: "reasoning", text: "marked thought" },
      // Where its place is after the text of its step.
      { kind: "tool_call", id: callId, name: "search", input: {}, by: "agent" },
    ],
    /marked thought/,
  ],
  "Agent's tools": [[{ kind: "tool_call", id: callId, name: "marked_tool", input: {}, by: "agent" }], /marked_tool/],
  "Client's tools": [
    [
      { kind: "tool_call", id: callId, name: "marked_tool", input: {}, by: "client" },
      { kind: "client_calls", calls: [{ id: callId, name: "marked_tool", arguments: {} }], usage },
    ],
    /marked_tool/,
  ],
  Approvals: [
    [
      {
        kind: "approval",
        approvalId: "marked-approval",
        callId,
        name: "marked_tool",
        arguments: {},
        message: "May it?",
        expiresAt: "2026-11-26T00:00:00.000Z",
      },
      { kind: "blocked", reason: "approval_required" },
      // Where a part ends with the decisions of its client.
      {
        kind: "client_calls",
        calls: [],
        approvals: [{ approvalId: "marked-approval", callId, name: "marked_tool", arguments: {} }],
        usage,
      },
    ],
    /marked_tool/,
  ],
  "Why it stopped": [
    [{ kind: "end", status: "completed", stopReason: "length", usage, error: null }],
    /length|max_output_tokens|max_tokens/,
  ],
  Usage: [[{ kind: "end", status: "completed", stopReason: "stop", usage, error: null }], /7654/],
  "Files written": [
    [{ kind: "file", id: "f", name: "marked.txt", path: "/marked.txt", mime: "text/plain", size: 3 }],
    /marked\.txt/,
  ],
};

const rows = (text: string): string[][] =>
  text.split("\n").flatMap((line) =>
    line.startsWith("| ")
      ? [
          line
            .split("|")
            .slice(1, -1)
            .map((cell) => cell.trim()),
        ]
      : [],
  );

test("[DIA-11] each row of the table says what the frames of its protocol carry", async () => {
  const [head = [], ...lines] = rows(await Bun.file("docs/protocols.md").text());
  expect(lines.map(([name]) => name ?? "").toSorted()).toEqual(Object.keys(CARRIERS).toSorted());
  for (const [name = "", ...cells] of lines) {
    expect(cells).toHaveLength(head.length - 1);
    for (const [column, [items, mark]] of Object.entries(SAMPLES)) {
      const cell = cells[head.indexOf(column) - 1];
      const frames = CARRIERS[name]!();
      frames.opening();
      const isCarried = mark.test(items.map((item) => frames.frames(item)).join(""));
      expect([name, column, cell !== "–"]).toEqual([name, column, isCarried]);
    }
  }
});
