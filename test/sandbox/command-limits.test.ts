/** What a command of an agent may use in all: processes, memory of every kind, files. With the real bubblewrap. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { findStyle } from "../../src/sandbox/bubble-style.ts";
import { findShell, type Shell, type ShellLimits } from "../../src/sandbox/shell.ts";
import { callFilter } from "../../src/sandbox/system-calls.ts";
import { tellBounds } from "../../src/wiring/shell-service.ts";

const MIB = 1024 * 1024;
const LIMITS: ShellLimits = {
  timeoutMs: 60_000,
  folderBytes: 20 * MIB,
  memoryBytes: 100 * MIB,
  outputBytes: 1_000_000,
};
const { shell } = await findShell({ isPolite: false });
const NO_PERL = Bun.which("perl") === null;

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "troupe-command-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const run = (command: string, limits: Partial<ShellLimits> = {}) =>
  (shell as Shell).run(command, { folder, limits: { ...LIMITS, ...limits }, signal: new AbortController().signal });

describe.skipIf(shell === null)("the sandbox of the shell", () => {
  test("[WSP-16] a command has at most 128 processes, also if the service runs as root", async () => {
    // The shell ends when it cannot fork. `set` needs no process.
    const many = "i=0; while [ $i -lt 400 ]; do sleep 100 & i=$((i+1)); done";
    const { output } = await run(`(${many}) 2>/dev/null; set -- /proc/[0-9]*; echo $#`, { memoryBytes: 1024 * MIB });
    expect(Number(output)).toBeGreaterThan(100);
    expect(Number(output)).toBeLessThanOrEqual(130);
    expect(shell?.style.limitsProcesses).toBe(true);
  });

  // reason: other users have no second user.
  test.skipIf(process.getuid?.() !== 0 || Bun.which("setpriv") === null)(
    "[WSP-16] a command of a root service does not run as root, and its changes are in its folder",
    async () => {
      writeFileSync(join(folder, "f"), "before", { mode: 0o600 });
      chmodSync(folder, 0o700);
      const { output } = await run("id -u; cat f; echo after > f; grep -h CapEff /proc/self/status");
      expect(output).toMatch(/^6\d{4}\nbeforeCapEff:\s0{16}\n$/);
      expect(await Bun.file(join(folder, "f")).text()).toBe("after\n");
    },
  );

  test("[WSP-16] nothing that a command can read as its first process names the data folder, except the table of mounts", async () => {
    const { output } = await run("tr '\\0' ' ' < /proc/1/cmdline; cat /proc/1/environ; find / -xdev");
    expect(output).toContain("bwrap");
    expect(output).not.toContain(basename(folder));
  });

  // reason: root reads every directory.
  test.skipIf(process.getuid?.() === 0)("[WSP-16] a directory that hides its files ends a command", async () => {
    const { end } = await run("mkdir d; echo x > d/x; chmod 000 d; sleep 100");
    chmodSync(join(folder, "d"), 0o700);
    expect(end).toEqual({ kind: "too_large" });
  });

  // reason: the shell itself cannot hold much memory, fork it, or make sockets.
  describe.skipIf(NO_PERL)("(perl)", () => {
    const held = 'open(Z, "/dev/zero"); sysread(Z, $x, 60 << 20);';

    test("[WSP-16] the memory of all its processes together is limited", async () => {
      const one = `perl -e '${held} sleep 100' &`;
      expect((await run(`${one} ${one} ${one} wait`)).end).toEqual({ kind: "memory" });
    });

    test("[WSP-16] memory that its processes share counts once", async () => {
      // The command ends with its first process, which waits for the others.
      const { end, output } = await run(`perl -e '${held} fork; fork; sleep 2; print "done "; 1 while wait > 0'`);
      expect([end, output.trim()]).toEqual([{ kind: "exited", code: 0 }, "done done done done"]);
    });

    test("[WSP-16] memory in files, also in many empty ones, and in sockets counts too", async () => {
      const file = "head -c 15000000 /dev/zero > /tmp/a; head -c 15000000 /dev/zero > /dev/shm/a; sleep 100";
      expect((await run(file, { memoryBytes: 24 * MIB })).end).toEqual({ kind: "memory" });
      const empty = 'mkdir /tmp/d; perl -e \'for (1..30000) { open(F, ">", "/tmp/d/$_") } sleep 100\'';
      expect((await run(empty, { memoryBytes: 20 * MIB })).end).toEqual({ kind: "memory" });
      const sockets =
        "perl -MSocket -e 'for (1..100) { socketpair($a[$_], $b[$_], AF_UNIX, SOCK_STREAM, 0) or die } sleep 100'";
      expect((await run(sockets, { memoryBytes: 40 * MIB })).end).toEqual({ kind: "memory" });
    });

    test("[WSP-16] files that it has removed count while they are open", async () => {
      const fill = 'for $n (a, b) { open($f{$n}, ">", $n); unlink $n; syswrite($f{$n}, "x" x (15 << 20)) } sleep 100';
      expect((await run(`perl -e '${fill}'`)).end).toEqual({ kind: "too_large" });
    });

    // reason: the numbers of the calls are those of this architecture.
    test.skipIf(process.arch !== "x64" || shell?.style.hasFilter !== true)(
      "[WSP-16] memory that belongs to no process cannot be made: 2 GiB of it, or a byte",
      async () => {
        const calls = [
          ["memfd", "319, $n, 0"],
          ["shared", "9, 0, 2 << 30, 3, 0x21, -1, 0"],
          ["zero", "9, 0, 4096, 3, 1, fileno(Z), 0"],
          ["shm", "29, 0, 4096, 0x3b6"],
          ["uring", "425, 8, 0"],
          ["namespace", "272, 0x10000000"],
          ["clone", "56, 0x10000011, 0, 0, 0, 0"],
          ["private", "9, 0, 4096, 3, 0x22, -1, 0"],
        ];
        const said = calls.map(([name, args]) => `print "${name} ", (syscall(${args}) == -1 ? $!+0 : "made"), "\\n";`);
        const { output } = await run(`perl -e '$n = "x"; open(Z, "+<", "/dev/zero"); ${said.join(" ")}'`);
        expect(output.trim().split("\n")).toEqual([
          "memfd 38",
          "shared 1",
          "zero 19",
          "shm 38",
          "uring 38",
          "namespace 1",
          "clone 1",
          "private made",
        ]);
      },
    );
  });
});

// reason: elsewhere there is no bubblewrap.
test.skipIf(process.platform !== "linux")(
  "[WSP-16] bubblewrap that is installed but does not work is not reported as missing",
  async () => {
    const program = join(folder, "bwrap");
    writeFileSync(program, "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n", {
      mode: 0o755,
    });
    expect(await findStyle(program)).toEqual({
      style: null,
      why: "bubblewrap is installed but does not work here: bwrap: No permissions to create new namespace",
    });
  },
);

test("[WSP-16] the log reports which limits of a command are in force, and warns if its processes are not limited", () => {
  const told = (limitsProcesses: boolean): unknown[] => {
    const lines: unknown[] = [];
    const line = (level: string) => (fields: object, message?: string) => lines.push([level, fields, message]);
    const style = { hasOwnUser: true, hasFilter: false, limitsProcesses };
    tellBounds({ style }, { info: line("info"), warn: line("warn") } as never);
    return lines;
  };
  const others = { ownUser: true, callsFiltered: false };
  expect(told(true)).toEqual([["info", { processesLimited: true, ...others }, "commands of agents run in bubblewrap"]]);
  const why: unknown = expect.stringMatching(/root|tried/);
  const words: unknown = expect.stringMatching(/^nothing limits the number of processes/);
  expect(told(false)).toEqual([["warn", { processesLimited: false, ...others, why }, words]]);
});

describe("the filter of system calls", () => {
  /** What the kernel would answer to a call with this one argument. */
  function answerOf(filter: Uint8Array, architecture: number, call: number, index = 0, argument = 0): number {
    const program = Buffer.from(filter);
    const data = new Map([
      [0, call],
      [4, architecture],
      [16 + 8 * index, argument],
    ]);
    let value = 0;
    for (let at = 0; at < program.length; at += 8) {
      const [operation, operand] = [program.readUInt16LE(at), program.readUInt32LE(at + 4)];
      if (operation === 0x06) return operand;
      if (operation === 0x20) {
        value = data.get(operand) ?? 0;
        continue;
      }
      const isTrue =
        operation === 0x15 ? value === operand : operation === 0x35 ? value >= operand : (value & operand) !== 0;
      at += 8 * (program[at + (isTrue ? 2 : 3)] ?? 0);
    }
    throw new Error("the program has no end");
  }
  const ALLOWED = 0x7fff_0000;
  const error = (number: number): number => 0x0005_0000 + number;
  const THREAD = 0x1_0000;

  for (const [name, architecture, calls] of [
    ["x64", 0xc000_003e, { memfd: 319, clone: 56, mmap: 9, prctl: 157, read: 0 }],
    ["arm64", 0xc000_00b7, { memfd: 279, clone: 220, mmap: 222, prctl: 167, read: 63 }],
  ] as const)
    test(`[WSP-16] [GUARD-1] of ${name} allows calls that are limited elsewhere, and refuses the rest`, () => {
      for (const hasProcesses of [true, false]) {
        const filter = callFilter({ hasProcesses }, name)!;
        const answer = answerOf.bind(null, filter, architecture);
        expect(answer(calls.read)).toBe(ALLOWED);
        expect(answer(calls.memfd)).toBe(error(38));
        expect([0x22, 0x02, 0x01, 0x21].map((flags) => answer(calls.mmap, 3, flags))).toEqual([
          ALLOWED,
          ALLOWED,
          ALLOWED,
          error(1),
        ]);
        expect(answer(calls.prctl, 0, 4)).toBe(error(0));
        expect(answer(calls.prctl, 0, 15)).toBe(ALLOWED);
        expect(answer(calls.clone, 0, THREAD)).toBe(ALLOWED);
        expect(answer(calls.clone, 0, THREAD | 0x1000_0000)).toBe(error(1));
        expect(answer(calls.clone, 0, 17)).toBe(hasProcesses ? ALLOWED : error(1));
        // Programs of other architectures have other numbers.
        expect(answerOf(filter, 0x4000_0003, calls.read)).toBe(0x8000_0000);
      }
    });
});
