/**
 * The system calls that a bubble refuses, as a program of the kernel's filter (seccomp, `bwrap --seccomp`). They make
 * memory that no limit of a process counts, or namespaces in which such memory can be mounted. Programs take another
 * way or say so: each of these calls is missing on some systems.
 *
 *   memfd, System V, io_uring, vmsplice   memory that belongs to no process: "not implemented"
 *   mmap, shared and anonymous            the same, once its pages are no longer mapped: "not permitted"
 *   new user namespaces                   where a program may mount memory of any size: "not permitted"
 *   prctl(PR_SET_DUMPABLE)                would hide the memory of a process from `bubble-use.ts`: does nothing
 */

/** Operations of a filter. */
const BPF_LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_ANY_BIT = 0x45;
const BPF_RETURN = 0x06;

const ALLOW = 0x7fff_0000;
const KILL = 0x8000_0000;
const error = (number: number): number => 0x0005_0000 | number;
const NOT_PERMITTED = error(1);
const NOT_IMPLEMENTED = error(38);
const NOTHING_DONE = error(0);

/** The input of a filter: the call, the architecture, and the arguments, of which it reads the lower halves. */
const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const argumentAt = (index: number): number => 16 + 8 * index;

const NEW_USER_NAMESPACE = 0x1000_0000;
const OF_THE_SAME_PROCESS = 0x1_0000;
const MAP_SHARED = 0x01;
const MAP_ANONYMOUS = 0x20;
const PR_SET_DUMPABLE = 4;

interface Numbers {
  readonly architecture: number;
  readonly unimplemented: readonly number[];
  readonly clone: number;
  readonly clone3: number;
  readonly forks: readonly number[];
  readonly unshare: number;
  readonly mmap: number;
  readonly prctl: number;
}

/** The numbers of the calls. `unimplemented`: memfd_create, memfd_secret, shmget, semget, msgget, io_uring_setup, vmsplice, userfaultfd. */
const CALL_NUMBERS: Partial<Record<NodeJS.Architecture, Numbers>> = {
  x64: {
    architecture: 0xc000_003e,
    unimplemented: [319, 447, 29, 64, 68, 425, 316, 323],
    clone: 56,
    clone3: 435,
    forks: [57, 58],
    unshare: 272,
    mmap: 9,
    prctl: 157,
  },
  arm64: {
    architecture: 0xc000_00b7,
    unimplemented: [279, 447, 194, 190, 186, 425, 75, 282],
    clone: 220,
    clone3: 435,
    forks: [],
    unshare: 97,
    mmap: 222,
    prctl: 167,
  },
};
/** On x64, calls of its third form begin here. */
const X32 = 0x4000_0000;

export interface CallFilter {
  /** Whether it may start processes; threads it always may. */
  readonly hasProcesses: boolean;
}

/** Null for an architecture whose calls are not known here. */
export function callFilter({ hasProcesses }: CallFilter, architecture = process.arch): Uint8Array | null {
  const numbers = CALL_NUMBERS[architecture];
  if (numbers === undefined) return null;
  const { clone, clone3, unshare, mmap, prctl, forks } = numbers;
  const program: Step[] = [
    [BPF_LOAD, 0, 0, ARCHITECTURE_AT],
    [IF_EQUAL, 1, 0, numbers.architecture],
    [BPF_RETURN, 0, 0, KILL],
    [BPF_LOAD, 0, 0, NUMBER_AT],
    ...(architecture === "x64" ? ifEqual(IF_AT_LEAST, X32, NOT_IMPLEMENTED) : []),
  ];
  // Its flags are in memory, which a filter cannot read; libraries then use `clone`.
  for (const call of [...numbers.unimplemented, clone3]) program.push(...ifEqual(IF_EQUAL, call, NOT_IMPLEMENTED));
  if (!hasProcesses) for (const call of forks) program.push(...ifEqual(IF_EQUAL, call, NOT_PERMITTED));
  const alone = hasProcesses ? [] : ([[IF_ANY_BIT, 1, 0, OF_THE_SAME_PROCESS], REFUSE_CALL] as const);
  program.push(
    ...filterCall(clone, 0, [...ifEqual(IF_ANY_BIT, NEW_USER_NAMESPACE, NOT_PERMITTED), ...alone]),
    ...filterCall(unshare, 0, ifEqual(IF_ANY_BIT, NEW_USER_NAMESPACE, NOT_PERMITTED)),
    ...filterCall(mmap, 3, [[IF_ANY_BIT, 0, 2, MAP_ANONYMOUS], ...ifEqual(IF_ANY_BIT, MAP_SHARED, NOT_PERMITTED)]),
    ...filterCall(prctl, 0, ifEqual(IF_EQUAL, PR_SET_DUMPABLE, NOTHING_DONE)),
    [BPF_RETURN, 0, 0, ALLOW],
  );
  return filterBytes(program);
}

/** Operation, steps to skip if true, steps to skip if false, operand. */
type Step = readonly [number, number, number, number];

const REFUSE_CALL: Step = [BPF_RETURN, 0, 0, NOT_PERMITTED];
const ifEqual = (test: number, operand: number, answer: number): Step[] => [
  [test, 0, 1, operand],
  [BPF_RETURN, 0, 0, answer],
];

/** Checks one argument of one call, and allows what `steps` accept. */
const filterCall = (number: number, argument: number, steps: readonly Step[]): Step[] => [
  [IF_EQUAL, 0, steps.length + 2, number],
  [BPF_LOAD, 0, 0, argumentAt(argument)],
  ...steps,
  [BPF_RETURN, 0, 0, ALLOW],
];

function filterBytes(program: readonly Step[]): Uint8Array {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [i, [operation, ifTrue, ifFalse, operand]] of program.entries()) {
    bytes.writeUInt16LE(operation, i * 8);
    bytes.writeUInt8(ifTrue, i * 8 + 2);
    bytes.writeUInt8(ifFalse, i * 8 + 3);
    bytes.writeUInt32LE(operand >>> 0, i * 8 + 4);
  }
  return bytes;
}
