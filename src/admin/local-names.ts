/** Commands that are run where they are given, beside a service that runs and without one (`local.ts`). */
export const LOCAL_NAMES = ["org export", "backup", "restore", "doctor", "jobs", "usage", "logs"] as const;
export type LocalName = (typeof LOCAL_NAMES)[number];
