import { expect, test } from "bun:test";
import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { sseComment, sseData, sseEvent, sseJson, sseTexts } from "../../../src/http/stream/sse.ts";

test("[SSE-1] an event has LF ends, one space after each colon, its id last and a blank line at its end", () => {
  expect(sseEvent({ event: "meta", data: '{"a":1}' })).toBe('event: meta\ndata: {"a":1}\n\n');
  expect(sseEvent({ id: "12", event: "x", data: "" })).toBe("event: x\ndata: \nid: 12\n\n");
});

test("[SSE-1] data of several lines becomes several data lines", () => {
  expect(sseEvent({ data: "a\nb\r\nc\rd" })).toBe("data: a\ndata: b\ndata: c\ndata: d\n\n");
});

test("[SSE-1] ids, event names and comments cannot break out of their line", () => {
  expect(sseEvent({ event: "a\nb\rc", id: "1\n\0data: x", data: "d" })).toBe("event: abc\ndata: d\nid: 1data: x\n\n");
  expect(sseComment("a\r\ndata: x")).toBe(": a  data: x\n\n");
});

test("[SSE-1] whatever the data, a parser reads exactly one event back", () => {
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

test("[SSE-1] events that differ in one text are the same as if each was rendered whole", () => {
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom('"text":""', "", "$&", "\u2028"));
  fc.assert(
    fc.property(text, text, (id, said) => {
      const event = (of: string): string => sseData({ id, part: { kind: "text", text: of }, last: false });
      expect(sseTexts(event(""))(said)).toBe(event(said));
    }),
  );
});

test("[SSE-1] events and comments in a row, cut into pieces anywhere, are read back with their names, ids and JSON", () => {
  const name = fc.stringMatching(/^[a-z]+(?:\.[a-z]+)?$/);
  const id = fc.stringMatching(/^\d{1,10}(?:\.\d{1,10})?$/);
  const data = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ stringUnit: "binary" }), { maxKeys: 4 });
  const event = fc.record({ event: name, id, data });
  const comment = fc.string({ unit: "binary" });
  const cuts = fc.infiniteStream(fc.integer({ min: 1, max: 40 }));
  fc.assert(
    fc.property(fc.array(fc.oneof(event, comment), { maxLength: 12 }), cuts, (items, sizes) => {
      const seen: { event: string | undefined; id: string | undefined; data: unknown }[] = [];
      const parser = createParser({
        onEvent: (e) => seen.push({ event: e.event, id: e.id, data: JSON.parse(e.data) as unknown }),
        onError: (error) => expect(error).toBeNull(),
      });
      const frame = (item: (typeof items)[number]): string =>
        typeof item === "string" ? sseComment(item) : sseEvent({ ...item, data: sseJson(item.data) });
      for (let rest = items.map(frame).join(""); rest !== "";) {
        const size = sizes.next().value;
        parser.feed(rest.slice(0, size));
        rest = rest.slice(size);
      }
      const told = items.filter((item) => typeof item !== "string");
      expect(seen).toEqual(told.map((item) => ({ ...item, data: JSON.parse(JSON.stringify(item.data)) as unknown })));
    }),
  );
});

test("[SSE-1] JSON is one line, also for parsers that split at the line ends of Unicode", () => {
  const any = fc.dictionary(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }));
  fc.assert(
    fc.property(any, fc.constantFrom("\u0085", "\u2028", "\u2029", "\r\n", "\n", "\r"), (data, end) => {
      const text = sseJson({ ...data, [end]: `a${end}b` });
      expect(text.split(/[\r\n\u0085\u2028\u2029]/)).toHaveLength(1);
      expect(JSON.parse(text)).toEqual({ ...data, [end]: `a${end}b` });
    }),
  );
});
