/** Commands that run in the process of the command line, whether or not the service is running (`local.ts`). */
export const LOCAL_NAMES = ["org export", "backup", "restore", "doctor", "jobs", "usage", "logs"] as const;
export type LocalName = (typeof LOCAL_NAMES)[number];
