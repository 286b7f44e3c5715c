/** A message's text is in its record once; its blocks are what they were. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { blocksFields, type MessageBlock, messageBlocks } from "../../../actors/chat/schema.ts";
import { contentText } from "../../../actors/job/schema.ts";

const text = (words: string): MessageBlock => ({ type: "text", text: words });
const use: MessageBlock = { type: "tool_use", id: "c1", name: "look", input: {} };

test("[CHAT-3] a message of one plain text has it once, and any other has its blocks", () => {
  expect(blocksFields("Hello", [text("Hello")])).toEqual({ content: "Hello" });
  expect(blocksFields("", [])).toEqual({ content: "" });
  const others: readonly (readonly [string, readonly MessageBlock[]])[] = [
    ["", [text("")]],
    ["Hello", []],
    ["Hello", [text("Hello"), use]],
    ["Hello", [{ type: "text", text: "Hello", citations: [] }]],
    ["Hello\n\nyou", [text("Hello"), text("you")]],
    ["Hello", [text("Bye")]],
  ];
  for (const [content, blocks] of others)
    expect(blocksFields(content, blocks)).toEqual({ content, blocks: [...blocks] });
});

test("[CHAT-3] the blocks of a message are those that it was made of, also where its text follows from them", () => {
  const block = fc.oneof(fc.constantFrom("", "a", "b").map(text), fc.constant(use));
  fc.assert(
    fc.property(fc.array(block, { maxLength: 3 }), (blocks) => {
      expect(messageBlocks(blocksFields(contentText(blocks), blocks))).toEqual(blocks);
    }),
  );
});

test("[CHAT-3] a message of version 0.2, which has all of its blocks, shows them", () => {
  expect(messageBlocks({ content: "Hello", blocks: [text("Hello")] })).toEqual([text("Hello")]);
  expect(messageBlocks({ content: "", blocks: [text("")] })).toEqual([text("")]);
});
