/** What each command does, for its `--help`. */

/** By command: one sentence or two. */
export const EXPLANATIONS: Readonly<Record<string, string>> = {
  "org create": "Makes an organization with its first owner.",
  "org list": "Lists the organizations.",
  "org budget": "Shows what an organization may use of models in a month, or sets it.",
  "org quota": "Shows what an organization has of what is bounded, or sets one bound.",
  "org suspend": "Refuses every token of an organization, ends its streams and cancels its jobs.",
  "org resume": "Ends a suspension. Jobs that were cancelled stay so.",
  "org export":
    "Writes all that an organization has into one file: its records as JSON lines, its events and the content of its files. Secrets, hashes of tokens and passwords are not in it. The service may run meanwhile.",
  "org erase":
    "Erases an organization for ever, with everything that it has, and how its people sign in who belong to no other. The service may run meanwhile. A run that broke off is begun again. Backups keep what they have.",
  "user add": "Adds a person to an organization, or changes their name and role.",
  "user remove": "Takes a person out of an organization; their tokens there no longer count.",
  "user list": "Lists the people of an organization.",
  "user link": "Makes a link with which a person sets a password, once, within 24 hours.",
  "token create": "Makes a token, which is shown once.",
  "token revoke": "Revokes a token, with those that it has made.",
  "token list": "Lists the tokens of an organization, without their secrets.",
  "agent disable": "Stops an agent: its jobs are cancelled and none begins.",
  "agent enable": "Lets a disabled agent work again.",
  "jobs cancel": "Cancels every unfinished job of an organization, or of one of its agents.",
  "secrets rotate-key":
    "Encrypts every secret anew under the present key of the service (TROUPE_SECRET), looks at all of them, and says whether the former key can go. The service may run meanwhile; a run that broke off is begun again.",
  invariants: "Counts what must never be: each is 0 in a healthy service.",
  load: "Shows which organizations the event loop works for.",
  backup: "Writes the database and all files into one file, while the service runs or stands still.",
  restore: "Loads a backup into an empty data folder or database.",
  doctor:
    "Looks at the settings, the database, the key, the disk, the clock and the models, and says of each finding what to do. The exit code is 1 where something must be mended.",
  jobs: "Counts the unfinished jobs by organization and status, with the time since which the oldest has been there.",
  usage: "Shows what organizations have used this month: of models, agents or days.",
  logs: "Finds the lines of one request in a log, of a file or of standard input.",
};
