import { expect, test } from "bun:test";
import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { sseComment, sseEvent } from "../../src/http/sse.ts";

test("[SSE-1] an event has LF ends, one space after each colon and a blank line at its end", () => {
  expect(sseEvent({ event: "meta", data: '{"a":1}' })).toBe('event: meta\ndata: {"a":1}\n\n');
  expect(sseEvent({ id: "12", event: "x", data: "" })).toBe("event: x\nid: 12\ndata: \n\n");
});

test("[SSE-1] data of several lines becomes several data lines", () => {
  expect(sseEvent({ data: "a\nb\r\nc\rd" })).toBe("data: a\ndata: b\ndata: c\ndata: d\n\n");
});

test("[SSE-1] ids, event names and comments cannot break out of their line", () => {
  expect(sseEvent({ event: "a\nb\rc", id: "1\n\0data: x", data: "d" })).toBe("event: abc\nid: 1data: x\ndata: d\n\n");
  expect(sseComment("a\r\ndata: x")).toBe(": a  data: x\n\n");
});

test("[SSE-1] whatever is put in, a parser reads exactly one event back", () => {
  const text = fc.string({ unit: "binary" });
  fc.assert(
    fc.property(text, text, text, (event, id, data) => {
      const seen: { event?: string | undefined; data: string }[] = [];
      const parser = createParser({ onEvent: (e) => seen.push({ event: e.event, data: e.data }) });
      parser.feed(sseEvent({ event, id, data }));
      const name = event.replace(/[\r\n]/g, "");
      expect(seen).toEqual([{ event: name === "" ? undefined : name, data: data.replace(/\r\n|\r/g, "\n") }]);
    }),
  );
});
