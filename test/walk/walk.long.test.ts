/** The hostile requests of `walk.test.ts`, many more of them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { longScale } from "../support/long.ts";
import { readContract } from "./document.ts";
import { ENVIRONMENTS, Grounds } from "./grounds.ts";
import { Judge } from "./judge.ts";

/** In each of the two environments. */
const HOSTILE = Math.ceil(longScale().requests / 2);

const contract = readContract();

describe.each(["unset", "production"] as const)("with NODE_ENV %s", (name) => {
  let grounds: Grounds;

  beforeAll(async () => {
    grounds = await Grounds.open(ENVIRONMENTS[name], contract, new Judge(contract));
  });
  afterAll(() => grounds.close());

  test("[DOC-6] hostile requests are refused as the document says, and none is answered with 5xx", async () => {
    const { sent, found } = await grounds.harry(HOSTILE);
    expect(found).toEqual([]);
    expect(sent).toBeGreaterThanOrEqual(HOSTILE);
    expect(grounds.bugs).toEqual([]);
  });
});
