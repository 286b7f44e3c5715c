/** What keeps the replicas of one machine running, with processes that a test plays. */
import { expect, test } from "bun:test";
import { EXIT_CONFIG } from "../../src/service/process-end.ts";
import { readArguments } from "../../src/service/start-arguments.ts";
import {
  FIRST_PAUSE_MS,
  LONGEST_PAUSE_MS,
  type ReplicaProcess,
  STEADY_MS,
  Supervisor,
} from "../../src/service/supervisor.ts";
import { FakeClock, settle } from "../support/fake-clock.ts";

class PlayedProcess implements ReplicaProcess {
  readonly pid = 1;
  readonly number: number;
  readonly said: string[] = [];
  private readonly serves = Promise.withResolvers<void>();
  private readonly ends = Promise.withResolvers<number>();
  readonly serving = this.serves.promise;
  readonly exited = this.ends.promise;

  constructor(number: number) {
    this.number = number;
  }

  end(): void {
    this.said.push("end");
  }

  leave(): void {
    this.said.push("leave");
  }

  async serve(): Promise<void> {
    this.serves.resolve();
    await settle();
  }

  async exit(code: number): Promise<void> {
    this.ends.resolve(code);
    await settle();
  }
}

function played(count: number) {
  const clock = new FakeClock();
  const started: PlayedProcess[] = [];
  const fatal: [string, number][] = [];
  const supervisor = new Supervisor({
    count,
    clock,
    log: { info: () => {}, warn: () => {} },
    onFatal: (reason, code) => void fatal.push([reason, code]),
    spawn(number) {
      const process = new PlayedProcess(number);
      started.push(process);
      return process;
    },
  });
  return { clock, started, fatal, supervisor, numbers: () => started.map(({ number }) => number) };
}

/** Two that serve. */
async function serving() {
  const scene = played(2);
  const start = scene.supervisor.start();
  await scene.started[0]!.serve();
  await scene.started[1]!.serve();
  await start;
  return scene;
}

test("[REP-9] the first replica starts alone, and the others when it serves", async () => {
  const { started, supervisor, numbers } = played(3);
  let isUp = false;
  const start = supervisor.start().then(() => (isUp = true));
  await settle();
  expect(numbers()).toEqual([1]);
  await started[0]!.serve();
  expect(numbers()).toEqual([1, 2, 3]);
  await started[2]!.serve();
  expect(isUp).toBe(false);
  await started[1]!.serve();
  await start;
});

test("[REP-9] a replica that ends is restarted: at once if it has served well, else after a pause that doubles", async () => {
  const { clock, started, fatal, numbers } = await serving();
  await clock.advance(STEADY_MS);
  await started[1]!.exit(137);
  await clock.advance(0);
  expect(numbers()).toEqual([1, 2, 2]);
  for (let pause = FIRST_PAUSE_MS, at = 2; pause <= 2 * LONGEST_PAUSE_MS; pause *= 2, at++) {
    await started[at]!.exit(69);
    await clock.advance(Math.min(pause, LONGEST_PAUSE_MS) - 1);
    expect(numbers().length).toBe(at + 1);
    await clock.advance(1);
    expect(numbers().length).toBe(at + 2);
  }
  expect(fatal).toEqual([]);
});

test("[REP-9] the service ends when one cannot start at first, when none serves, and when settings are wrong", async () => {
  const first = played(2);
  void first.supervisor.start();
  await first.started[0]!.exit(69);
  expect(first.fatal).toEqual([["replica 1 could not start (code 69)", 69]]);

  const none = await serving();
  await none.started[0]!.exit(137);
  await none.started[1]!.exit(137);
  await none.clock.advance(FIRST_PAUSE_MS);
  expect(none.fatal).toEqual([]);
  await none.started[2]!.exit(69);
  await none.started[3]!.exit(69);
  expect(none.fatal).toEqual([["replica 1 could not start (code 69)", 69]]);

  const wrong = await serving();
  await wrong.started[1]!.exit(EXIT_CONFIG);
  expect(wrong.fatal).toEqual([["replica 2 could not start (code 78)", EXIT_CONFIG]]);
});

test("[REP-9] a stop drains all at once, waits for each, and starts none again", async () => {
  const { clock, started, supervisor, numbers } = await serving();
  await started[1]!.exit(137);
  let isOver = false;
  const stop = supervisor.stop().then(() => (isOver = true));
  await settle();
  expect([started[0]!.said, started[1]!.said, isOver]).toEqual([["end"], [], false]);
  await started[0]!.exit(0);
  await stop;
  await clock.advance(LONGEST_PAUSE_MS);
  expect(numbers()).toEqual([1, 2]);
});

test("[REP-9] a restart takes one replica after the other, and waits if one does not return", async () => {
  const { clock, started, supervisor, numbers } = await serving();
  const restart = supervisor.restart();
  await settle();
  expect(supervisor.restart()).toBe(restart);
  expect([started[0]!.said, started[1]!.said]).toEqual([["leave"], []]);
  await started[0]!.exit(0);
  expect(numbers()).toEqual([1, 2, 1]);
  await started[2]!.exit(69);
  expect(started[1]!.said).toEqual([]);
  await clock.advance(FIRST_PAUSE_MS);
  await started[3]!.serve();
  expect(started[1]!.said).toEqual(["leave"]);
  await started[1]!.exit(0);
  await started[4]!.serve();
  await restart;
  expect(numbers()).toEqual([1, 2, 1, 1, 2]);
});

test("[REP-9] the arguments of a start are read, or refused with the allowed values", () => {
  const none = { printsHelp: false, printsConfig: false, replicas: 1, isSupervised: false };
  expect(readArguments([])).toEqual(none);
  expect(readArguments(["--replicas", "3", "--print-config"])).toEqual({ ...none, replicas: 3, printsConfig: true });
  expect(readArguments(["--replicas=64"])).toEqual({ ...none, replicas: 64 });
  for (const bad of ["0", "65", "-1", "x", "1.5", ""])
    expect(readArguments([`--replicas=${bad}`])).toBe(
      `--replicas is ${JSON.stringify(bad)}; it must be a whole number from 1 to 64`,
    );
  expect(readArguments(["--replicas"])).toContain('--replicas is ""');
  expect(readArguments(["--fast"])).toBe("Unknown argument --fast; there are --print-config, --replicas N and --help");
  for (const help of ["--help", "-h"]) expect(readArguments([help])).toEqual({ ...none, printsHelp: true });
});
