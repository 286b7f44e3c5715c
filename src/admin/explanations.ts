/** What each command does, for its `--help`. */

/** By command: one or two sentences. */
export const EXPLANATIONS: Readonly<Record<string, string>> = {
  "org create": "Makes an organization with its first owner.",
  "org list": "Lists the organizations.",
  "org budget": "Shows the monthly budget of an organization for models, or sets it.",
  "org quota": "Shows the quotas of an organization and what it has, or sets one quota.",
  "org suspend": "Refuses every token of an organization, ends its streams and cancels its jobs.",
  "org resume": "Ends a suspension. Cancelled jobs stay cancelled.",
  "org export":
    "Writes all that an organization has into one file: its records as JSON lines, its events and the content of its files. Secrets, hashes of tokens and passwords are not in it. The service may run meanwhile.",
  "org erase":
    "Erases an organization for ever, with everything that it has and the accounts of people who belong to no other organization. The service may run meanwhile. After an interruption, run the command again. Backups keep what they have.",
  "user add": "Adds a person to an organization, or changes their name and role.",
  "user remove": "Removes a person from an organization; their tokens there stop working.",
  "user list": "Lists the people of an organization.",
  "user link": "Makes a link for setting a password; it works once, within 24 hours.",
  "token create": "Makes a token, which is shown once.",
  "token revoke": "Revokes a token, with those that it has made.",
  "token list": "Lists the tokens of an organization, without their secrets.",
  "agent disable": "Stops an agent: its jobs are cancelled and none begins.",
  "agent enable": "Lets a disabled agent work again.",
  "jobs cancel": "Cancels every unfinished job of an organization, or of one of its agents.",
  "secrets rotate-key":
    "Encrypts every secret anew under the present key of the service (TROUPE_SECRET), looks at all of them, and says whether the former key can be removed. The service may run meanwhile. After an interruption, run the command again.",
  invariants: "Counts violations of invariants: each is 0 in a healthy service.",
  load: "Shows which organizations the event loop works for.",
  backup: "Writes the database and all files into one file, whether the service runs or not.",
  restore: "Loads a backup into an empty data folder or database.",
  doctor:
    "Looks at the settings, the database, the key, the disk, the clock and the models, and says what to do about each finding. The exit code is 1 if something must be repaired.",
  jobs: "Counts the unfinished jobs by organization and status, with the age of the oldest.",
  usage: "Shows what organizations have used this month, by model, agent or day.",
  logs: "Finds the lines of one request in a log file or on standard input.",
};
