/**
 * The administration commands, in the order of the help: what each takes and does. The parser, the help and the refusal
 * of options that a command does not take are made from this table. What runs a command is in `commands.ts`, or in
 * `local.ts` if the command line runs it by itself.
 */
import { SCOPES } from "../../actors/organization/principal.ts";

interface OptionForm {
  readonly name: string;
  /** The placeholder of its value in the help; null: it takes none. */
  readonly value: string | null;
}

/** Options that are given together. */
interface OptionGroup {
  readonly isNeeded: boolean;
  readonly options: readonly OptionForm[];
}

export interface CommandForm {
  readonly takes: readonly OptionGroup[];
  /** One or two sentences, for its `--help`. */
  readonly about: string;
  /** The command line runs it, whether or not the service is running. */
  readonly isLocal?: true;
  /** A running service is asked first, because the answer is about its settings. */
  readonly isOfService?: true;
  /** What may be given after its name, as an option with this name and placeholder. */
  readonly argument?: readonly [name: string, value: string];
}

type Written = string | readonly [name: string, value: string];
const options = (given: readonly Written[]): readonly OptionForm[] =>
  given.map((one) => (typeof one === "string" ? { name: one, value: null } : { name: one[0], value: one[1] }));
const needs = (...given: readonly Written[]): OptionGroup => ({ isNeeded: true, options: options(given) });
const may = (...given: readonly Written[]): OptionGroup => ({ isNeeded: false, options: options(given) });

const ORG = needs(["org", "ORG"]);
const EMAIL_OPTION = needs(["email", "EMAIL"]);
const NAME_OPTION = may(["name", "NAME"]);
const AMOUNTS = "unlimited|default";

export const COMMAND_TABLE = {
  "org create": {
    takes: [needs(["name", "NAME"], ["owner-email", "EMAIL"]), may(["owner-name", "NAME"])],
    about: "Makes an organization with its first owner.",
  },
  "org list": { takes: [], about: "Lists the organizations." },
  "org budget": {
    takes: [ORG, may(["tokens", `N|${AMOUNTS}`]), may(["cost", `AMOUNT|${AMOUNTS}`])],
    about: "Shows the monthly budget of an organization for models, or sets it.",
  },
  "org quota": {
    takes: [ORG, may(["quota", "NAME"], ["limit", `N|${AMOUNTS}`])],
    about: "Shows the quotas of an organization and what it has, or sets one quota.",
  },
  "org suspend": {
    takes: [ORG],
    about: "Refuses every token of an organization, ends its streams and cancels its jobs.",
  },
  "org resume": { takes: [ORG], about: "Ends a suspension. Cancelled jobs stay cancelled." },
  "org export": {
    takes: [ORG, needs(["to", "FILE"])],
    about:
      "Writes all that an organization has into one file: its records as JSON lines, its events and the content of its files. Secrets, hashes of tokens and passwords are not in it. The service may run meanwhile.",
    isLocal: true,
  },
  "org erase": {
    takes: [ORG, needs("yes")],
    about:
      "Erases an organization for ever, with everything that it has and the accounts of people who belong to no other organization. The service may run meanwhile. After an interruption, run the command again. Backups keep what they have.",
  },
  "user add": {
    takes: [ORG, EMAIL_OPTION, NAME_OPTION, may("owner")],
    about: "Adds a person to an organization, or changes their name and role.",
  },
  "user remove": {
    takes: [ORG, EMAIL_OPTION],
    about: "Removes a person from an organization; their tokens there stop working.",
  },
  "user list": { takes: [ORG], about: "Lists the people of an organization." },
  "user link": { takes: [EMAIL_OPTION], about: "Makes a link for setting a password; it works once, within 24 hours." },
  "token create": {
    takes: [ORG, EMAIL_OPTION, may("service"), NAME_OPTION, may(["scopes", "a:read,b:write"]), may(["days", "N"])],
    about: "Makes a token, which is shown once.",
  },
  "token revoke": {
    takes: [ORG, needs(["id", "TOKEN_ID"])],
    about: "Revokes a token, with those that it has made.",
  },
  "token list": { takes: [ORG], about: "Lists the tokens of an organization, without their secrets." },
  "agent disable": {
    takes: [ORG, needs(["id", "AGENT_ID"])],
    about: "Stops an agent: its jobs are cancelled and none begins.",
  },
  "agent enable": { takes: [ORG, needs(["id", "AGENT_ID"])], about: "Lets a disabled agent work again." },
  "jobs cancel": {
    takes: [ORG, may(["agent", "AGENT_ID"])],
    about: "Cancels every queued, running or blocked job of an organization, or of one of its agents.",
  },
  "secrets rotate-key": {
    takes: [],
    about:
      "Encrypts every secret anew under the present key of the service (TROUPE_SECRET), looks at all of them, and says whether the former key can be removed. The service may run meanwhile. After an interruption, run the command again.",
  },
  invariants: { takes: [], about: "Counts violations of invariants: each is 0 in a healthy service." },
  load: { takes: [], about: "Shows which organizations the event loop works for." },
  backup: {
    takes: [needs(["to", "FILE"]), may("with-key")],
    about: "Writes the database and all files into one file, whether the service runs or not.",
    isLocal: true,
  },
  restore: {
    takes: [needs(["from", "FILE"])],
    about: "Loads a backup into an empty data folder or database.",
    isLocal: true,
  },
  doctor: {
    takes: [],
    about:
      "Looks at the settings, the database, the key, the disk, the clock and the models, and says what to do about each finding. The exit code is 1 if something must be repaired.",
    isLocal: true,
    isOfService: true,
  },
  "models try": {
    argument: ["model", "PROVIDER:NAME"],
    takes: [may("caching")],
    about:
      "Makes one cheap call to a model, by default the default model, and says what it found: whether the answer is streamed, when it began, and what the model makes of a tool and of an image. With --caching, two more calls show whether the provider caches a long beginning. The exit code is 1 if the model does not answer.",
    isLocal: true,
    isOfService: true,
  },
  jobs: {
    takes: [may(["org", "ORG"])],
    about: "Counts the unfinished jobs by organization and status, with the age of the oldest.",
    isLocal: true,
  },
  usage: {
    takes: [may(["org", "ORG"]), may(["by", "model|agent|day"])],
    about: "Shows what organizations have used this month, by model, agent or day.",
    isLocal: true,
  },
  logs: {
    takes: [needs(["request-id", "ID"]), may(["from", "FILE"])],
    about: "Finds the lines of one request in a log file or on standard input.",
    isLocal: true,
  },
} as const satisfies Readonly<Record<string, CommandForm>>;

type CommandTable = typeof COMMAND_TABLE;
export type CommandName = keyof CommandTable;
export type LocalName = {
  [K in CommandName]: CommandTable[K] extends { readonly isLocal: true } ? K : never;
}[CommandName];

export const COMMAND_NAMES = Object.keys(COMMAND_TABLE) as readonly CommandName[];
export const isCommand = (name: string): name is CommandName => Object.hasOwn(COMMAND_TABLE, name);
export const isLocal = (name: string): name is LocalName => isCommand(name) && "isLocal" in COMMAND_TABLE[name];

/** Whether a running service is asked first. */
export const isOfService = (name: string): boolean => isCommand(name) && "isOfService" in COMMAND_TABLE[name];

/** The option that the argument of a command sets; null if it takes none. */
export function argumentOf(name: string): OptionForm | null {
  const { argument }: CommandForm = isCommand(name) ? COMMAND_TABLE[name] : { takes: [], about: "" };
  return argument === undefined ? null : { name: argument[0], value: argument[1] };
}

function formsOf(command: CommandName): readonly OptionForm[] {
  const argument = argumentOf(command);
  const given = COMMAND_TABLE[command].takes.flatMap((group: OptionGroup) => group.options);
  return argument === null ? given : [argument, ...given];
}

/** The options that every command takes. */
const COMMON: readonly OptionForm[] = options(["help", "json"]);
/** All options, by name. */
export const OPTION_FORMS: ReadonlyMap<string, OptionForm> = new Map(
  [...COMMAND_NAMES.flatMap(formsOf), ...COMMON].map((form) => [form.name, form]),
);

/** Whether the command takes the option; `jobs cancel --id`, ignored, would cancel the jobs of all agents. */
export const takesOption = (command: CommandName, name: string): boolean =>
  [...formsOf(command), ...COMMON].some((form) => form.name === name);

function syntaxOf(command: CommandName): string {
  const groups = COMMAND_TABLE[command].takes.map((group: OptionGroup) => {
    const text = group.options.map(({ name, value }) => `--${name}${value === null ? "" : ` ${value}`}`).join(" ");
    return group.isNeeded ? text : `[${text}]`;
  });
  const argument = argumentOf(command);
  return [command, ...(argument === null ? [] : [`[${argument.value}]`]), ...groups].join(" ");
}

/** The syntax of one command, and what it does. */
export const usageOf = (command: CommandName): string =>
  `Usage: bun run admin ${syntaxOf(command)} [--json]\n\n${COMMAND_TABLE[command].about}`;

/** The help of all commands. */
export const ADMIN_USAGE = `Usage: bun run admin <command>

${COMMAND_NAMES.map((command) => `  ${syntaxOf(command)}`).join("\n")}

Each command has --help, and --json for programs.
ORG is an organization's id. While there is only one, --org may be omitted, except by org export and org erase.
A token is shown once.
A budget is of model tokens for a month of UTC, in and out together, and of what they cost by MODEL_PRICES;
default is MONTHLY_TOKEN_BUDGET and MONTHLY_COST_BUDGET.
A backup has the database and the files; the service may run meanwhile. --with-key puts the key of the
service into it, without which its secrets cannot be read: keep such a file as you keep the key. A restore
needs an empty DATA_DIR (and DATABASE_URL), and the key: in the backup, in TROUPE_SECRET or in DATA_DIR.
Without --scopes a token may do everything but name secrets: that is \`secrets:use\`, or \`*\`.
Scopes: ${SCOPES.join(" ")}`;
