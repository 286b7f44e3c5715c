/** Deterministic jitter, computed from the mission and the scheduled time alone. */

/** FNV-1a, 32 bits: spreads well enough, and needs no library. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  // FNV leaves similar inputs near each other; this spreads them (the finalizer of murmur3).
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}

/** Ms to wait after the scheduled time: at least 0 and less than `longestMs`. */
export const jitterMs = (missionId: string, timeMs: number, longestMs: number): number =>
  Math.floor((hash(`${missionId}/${timeMs}`) / 2 ** 32) * longestMs);
