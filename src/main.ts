/**
 * The start: reads the arguments and the settings, and only when they are right loads the service and runs it. So a
 * refusal and `--print-config` come at once.
 *
 *   bun start                   serve
 *   bun start --replicas 3      serve with several processes behind one port
 *   bun start --print-config    print the configuration, secrets masked, and end
 */
import { describeConfig, describeErrors, environmentWith, readConfig } from "./settings/config.ts";
import { priceErrors } from "./settings/prices.ts";
import { modelErrors } from "./service/model-choice.ts";
import { EXIT_CONFIG } from "./service/process-end.ts";
import { readArguments, START_HELP } from "./service/start-arguments.ts";
import { superviseBy } from "./service/supervision.ts";

async function startProgram(argv: readonly string[]): Promise<void> {
  const given = readArguments(argv);
  const isWrong = typeof given === "string";
  if (!isWrong && given.printsHelp) return console.log(START_HELP);
  const supervision = !isWrong && given.isSupervised ? await superviseBy(process) : null;
  // The supervisor has already ended.
  if (!isWrong && given.isSupervised && supervision === null) return;
  const read = readConfig(environmentWith(supervision?.order.settings ?? {}), [modelErrors, priceErrors]);
  const printsConfig = !isWrong && given.printsConfig;
  if (isWrong) console.error(given);
  if (printsConfig) console.log(read.ok ? describeConfig(read.config) : describeConfig(read.valid, read.errors));
  if (!read.ok) console.error(`The configuration cannot be used:\n${describeErrors(read.errors)}`);
  if (!read.ok || isWrong) process.exit(EXIT_CONFIG);
  if (printsConfig) return;
  const { runProcess } = await import("./service/process.ts");
  const loadCommands = async () => (await import("./admin/commands.ts")).runAdmin;
  await runProcess({ config: read.config, replicas: given.replicas, supervision, loadCommands });
}

await startProgram(process.argv.slice(2));
