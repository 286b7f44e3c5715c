/** What is said of arguments that their schema does not take. */
import { expect, test } from "bun:test";
import { checkArguments } from "../../src/sandbox/jobs/arguments.ts";

test.each([
  ["string", "a string"],
  ["integer", "an integer"],
  [["array", "null"], "an array or null"],
])("[JOB-8] the error of an argument with a wrong type has the types of %j", async (type, words) => {
  const schema = { type: "object", properties: { x: { type } } };
  const content = new TextEncoder().encode(JSON.stringify({ schema, given: { x: true } }));
  expect(await checkArguments({}, content)).toEqual([{ path: "/x", message: `Field arguments.x must be ${words}` }]);
});
