/**
 * Wall-clock time in ms with fractions, comparable between processes of one machine: the fine clock of each process has
 * its own origin, which is calibrated when the coarse clock ticks.
 */
function originOf(): number {
  let origin = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < 20; i++) {
    const last = Date.now();
    while (Date.now() === last);
    // A reading that was interrupted after the tick is too late, so the largest is the most accurate.
    origin = Math.max(origin, Date.now() - performance.now());
  }
  return origin;
}

const origin = originOf();
export const wallMs = (): number => origin + performance.now();
