/** How many streams the limit of open files leaves room for. */
import { expect, test } from "bun:test";
import { openFilesLimit, streamsWithin } from "../../src/service/open-files.ts";

const limits = (files: string): string =>
  `Limit                     Soft Limit           Hard Limit           Units     \nMax processes             95000                95000                processes \nMax open files            ${files.padEnd(20)} 524288               files     \n`;

test("[SSE-14] the limit of open files is read from the system", () => {
  expect(openFilesLimit(() => limits("20000"))).toBe(20_000);
  expect(openFilesLimit(() => limits("unlimited"))).toBeNull();
  expect(openFilesLimit(() => "")).toBeNull();
  const missing = (): string => {
    throw new Error("no such file");
  };
  expect(openFilesLimit(missing)).toBeNull();
});

test("[SSE-14] streams are limited by the open files, with some left for everything else", () => {
  expect(streamsWithin(24_000, null)).toBe(24_000);
  expect(streamsWithin(24_000, 65_536)).toBe(24_000);
  expect(streamsWithin(24_000, 20_000)).toBe(18_976);
  expect(streamsWithin(24_000, 1_024)).toBe(768);
  expect(streamsWithin(100, 1_024)).toBe(100);
});
