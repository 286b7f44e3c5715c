/** The history checker itself: it must find every lie that is planted. */
import { expect, test } from "bun:test";
import { EFFECT_DONE, History, judge, type Stored, type StoredLedger } from "../support/ledger-history.ts";

/** Two ledgers with three acknowledged writes, one of them in both, and one effect that is done. */
function honest(): { history: History; stored: Stored; keys: [number, number, number] } {
  const history = new History();
  const [add, tell, work] = [history.begin(["a"]), history.begin(["a", "b"]), history.begin(["b"], true)];
  const keys: [number, number, number] = [add.key, tell.key, work.key];
  history.acknowledge(add, [add.key]);
  history.acknowledge(tell, [add.key + tell.key, null]);
  history.acknowledge(work, [null]);
  history.seen.push({ ledger: "a", lastSeq: 1, count: add.key, floor: 0 });
  const stored = {
    ledgers: [ledger("a", [keys[0], keys[1]]), ledger("b", [keys[1], keys[2], EFFECT_DONE])],
    undone: 0,
    sent: new Map([
      [`a/1/${keys[0]}`, [1]],
      [`a/2/${keys[1]}`, [1, 2]],
    ]),
  };
  return { history, stored, keys };
}

function ledger(id: string, bys: readonly number[]): StoredLedger {
  const count = bys.reduce((sum, by) => sum + by, 0);
  return { id, count, lastSeq: bys.length, events: bys.map((by, i) => ({ seq: i + 1, by })) };
}

test("[RT-4] the checker accepts an honest history", () => {
  const { history, stored } = honest();
  expect(judge(history, stored)).toEqual({ lost: [], twice: [], wrong: [] });
});

type Lie = readonly [name: string, kind: "lost" | "twice" | "wrong", plant: (of: ReturnType<typeof honest>) => Stored];

const LIES: readonly Lie[] = [
  [
    "an acknowledged write is not stored",
    "lost",
    ({ stored, keys }) => ({ ...stored, ledgers: [ledger("a", [keys[1]]), stored.ledgers[1]!] }),
  ],
  [
    "a message was never delivered",
    "lost",
    ({ stored, keys }) => ({ ...stored, ledgers: [stored.ledgers[0]!, ledger("b", [keys[2], 1])] }),
  ],
  [
    "an effect was never done",
    "lost",
    ({ stored, keys }) => ({ ...stored, ledgers: [stored.ledgers[0]!, ledger("b", [keys[1], keys[2]])] }),
  ],
  [
    "a write is stored twice",
    "twice",
    ({ stored, keys }) => ({ ...stored, ledgers: [ledger("a", [keys[0], keys[1], keys[0]]), stored.ledgers[1]!] }),
  ],
  [
    "a message was delivered twice",
    "twice",
    ({ stored, keys }) => ({ ...stored, ledgers: [stored.ledgers[0]!, ledger("b", [keys[1], keys[1], keys[2], 1])] }),
  ],
  [
    "an effect was done twice",
    "twice",
    ({ stored, keys }) => ({ ...stored, ledgers: [stored.ledgers[0]!, ledger("b", [keys[1], keys[2], 1, 1])] }),
  ],
  [
    "a refused write is stored",
    "wrong",
    ({ history, stored }) => {
      history.writes[0]!.answer = "refused";
      return stored;
    },
  ],
  [
    "a write is in one of its two ledgers",
    "wrong",
    ({ history, stored, keys }) => {
      history.writes[1]!.answer = "unknown";
      return { ...stored, ledgers: [ledger("a", [keys[0]]), stored.ledgers[1]!] };
    },
  ],
  [
    "a write was never answered",
    "wrong",
    ({ history, stored }) => {
      history.begin(["a"]);
      return stored;
    },
  ],
  [
    "a reply counted a write that is not stored",
    "wrong",
    ({ history, stored, keys }) => {
      history.writes[0]!.counts = [keys[0] + 5];
      return stored;
    },
  ],
  [
    "a reader saw what is not stored",
    "wrong",
    ({ history, stored }) => {
      history.seen.push({ ledger: "a", lastSeq: 3, count: 9, floor: 0 });
      return stored;
    },
  ],
  [
    "a reader did not see what had been acknowledged",
    "wrong",
    ({ history, stored, keys }) => {
      history.seen.push({ ledger: "a", lastSeq: 1, count: keys[0], floor: keys[0] + keys[1] });
      return stored;
    },
  ],
  [
    "a seq is missing",
    "wrong",
    ({ stored, keys }) => {
      const a = stored.ledgers[0]!;
      return {
        ...stored,
        ledgers: [{ ...a, lastSeq: 3, events: [a.events[0]!, { seq: 3, by: keys[1] }] }, stored.ledgers[1]!],
      };
    },
  ],
  [
    "a record runs behind its events",
    "wrong",
    ({ stored }) => ({ ...stored, ledgers: [{ ...stored.ledgers[0]!, count: 1 }, stored.ledgers[1]!] }),
  ],
  [
    "an older epoch stored after a newer one",
    "wrong",
    ({ stored, keys }) => {
      return {
        ...stored,
        sent: new Map([
          [`a/1/${keys[0]}`, [2]],
          [`a/2/${keys[1]}`, [1]],
        ]),
      };
    },
  ],
  [
    "a write that nobody made is stored",
    "wrong",
    ({ stored }) => ({ ...stored, ledgers: [...stored.ledgers, ledger("c", [77])] }),
  ],
  ["a promise was left", "wrong", ({ stored }) => ({ ...stored, undone: 1 })],
];

for (const [name, kind, plant] of LIES) {
  test(`[RT-4] the checker finds: ${name}`, () => {
    const honesty = honest();
    expect(judge(honesty.history, plant(honesty))[kind].length).toBeGreaterThan(0);
  });
}
