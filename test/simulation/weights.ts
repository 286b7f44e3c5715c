/** How often each thing happens in a history, beside the others. */
export const ACTIONS = { resume: 64, command: 16, message: 2, visit: 3, time: 14, connect: 2, fault: 2 };
/** Of every third history, in which there are missions: the others stay what they were. */
export const WITH_MISSIONS = { ...ACTIONS, command: 8, mission: 8 };
/** Of histories of replicas: more is asked, because requests wait for their owners, and less goes wrong at once. */
export const AMONG_REPLICAS = { ...ACTIONS, command: 36, connect: 4, mission: 0, time: 6, fault: 3 };
export const FAULTS = {
  crash: 4,
  kill: 3,
  stop: 2,
  freeze: 4,
  thaw: 8,
  steal: 4,
  give_back: 6,
  cut: 3,
  mend: 8,
  pause: 2,
  start: 8,
  rest: 2,
};
/** They come and go, and lose the database or each other. */
export const FAULTS_AMONG_REPLICAS = { ...FAULTS, crash: 3, stop: 6, steal: 1, cut: 8, pause: 1, start: 20, rest: 4 };
