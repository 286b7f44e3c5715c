/** Loaded before the service: on SIGUSR2 its event loop hangs, as the environment says how. */
const HANGS: Readonly<Record<string, () => void>> = {
  loop: () => {
    for (;;) Math.random();
  },
  wait: () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
  microtasks: () => {
    const again = (): void => void Promise.resolve().then(again);
    again();
  },
};
process.on("SIGUSR2", () => HANGS[process.env["TROUPE_TEST_HANG"] ?? ""]?.());
