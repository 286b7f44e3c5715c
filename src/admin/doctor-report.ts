/**
 * The doctor's report, and the facts that it judges. They are gathered without a change, and no model is asked for an
 * answer. A service that runs makes the report over its own settings; without one, the command makes it over the
 * settings that it was started with. Either says whose settings it judges.
 */
import { access, constants, statfs } from "node:fs/promises";
import { lookup } from "node:dns/promises";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { inspectDatabase } from "../../db/inspection.ts";
import { readSecret } from "../../db/data-folder.ts";
import type { ModelProvider } from "../../actors/job/model-provider.ts";
import { isCostKnown } from "../../actors/job/budget.ts";
import { findGit } from "../repositories/git.ts";
import { listModels } from "../runner/model-list.ts";
import { modelProviders } from "../runner/model-name.ts";
import { providerHeaders } from "../runner/provider-address.ts";
import { createModels } from "../runner/models.ts";
import { findShell } from "../sandbox/shell.ts";
import { modelSettings } from "../service/model-choice.ts";
import { createSealing, isCheckOf, otherSecretsOf } from "../service/service-key.ts";
import { maskUrl } from "../settings/setting-format.ts";
import type { Config } from "../settings/settings.ts";
import { priceErrors, pricesOf } from "../settings/prices.ts";
import { systemClock } from "../wiring/clock.ts";
import { pricedModels } from "../wiring/priced.ts";
import { type DatabaseFacts, type DoctorFacts, type Finding, findingsOf } from "./doctor.ts";
import { type CommandAnswer, listAnswer } from "./command-answer.ts";
import type { AdminCommand } from "./subjects.ts";
import { MIB } from "../../actors/units.ts";

/** `withDatabase` passes the url of the existing database; it rejects if there is none or it does not answer. */
export async function doctorFacts(
  config: Config,
  hasDatabase: boolean,
  withDatabase: <T>(run: (url: string) => Promise<T>) => Promise<T>,
): Promise<DoctorFacts> {
  const providers = await askedProviders(config);
  const outside = providers.map(({ address }) => new URL(address).hostname).filter((host) => /\.[a-z]+$/.test(host));
  return {
    config,
    bun: { version: Bun.version, wanted: manifest.engines.bun },
    database: hasDatabase ? await databaseFacts(config, withDatabase) : null,
    disk: await diskFacts(config.dataDir),
    model: modelOf(config),
    unpriced: unpricedOf(config),
    providers,
    findsNames: outside[0] === undefined ? null : await finds(outside[0]),
    git: (await findGit()).why,
    shell: (await findShell()).why,
  };
}

async function databaseFacts(
  { troupeSecret, dataDir, ...rest }: Config,
  withDatabase: <T>(run: (url: string) => Promise<T>) => Promise<T>,
): Promise<DatabaseFacts | string> {
  try {
    return await withDatabase(async (url) => {
      const { keyCheck, nowMs, ...facts } = await inspectDatabase(url);
      const key = troupeSecret ?? readSecret(dataDir);
      const others = otherSecretsOf(rest);
      const isOfKey = keyCheck === null || key === null ? null : isCheckOf(createSealing(key, others), keyCheck);
      return { ...facts, isOfKey, skewMs: Math.round(nowMs - systemClock.now()) };
    });
  } catch (cause) {
    return cause instanceof Error && cause.message !== "" ? cause.message : String(cause);
  }
}

async function diskFacts(dataDir: string): Promise<DoctorFacts["disk"]> {
  let path = dataDir;
  while (!existsSync(path) && path !== dirname(path)) path = dirname(path);
  const { bavail, bsize } = await statfs(path);
  const isWritable = await access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
  return { path, freeMib: Math.floor((bavail * bsize) / MIB), isWritable };
}

function modelOf(config: Config): DoctorFacts["model"] {
  if (config.model === "auto") return { name: "MODEL=auto", isDemo: false };
  const described = createModels(modelSettings(config, [])).describe(null);
  if (described.ok)
    return { name: `${described.value.provider}:${described.value.name}`, isDemo: described.value.demo };
  return described.fault.kind === "provider_error" ? described.fault.message : "no model can be used";
}

/** The allowed models without a price today; null without a price table; a text if the table has an error. */
function unpricedOf(config: Config): DoctorFacts["unpriced"] {
  const [error] = priceErrors.errors(config);
  if (error !== undefined) return `${error.variable} ${error.message}`;
  const prices = pricesOf(config);
  if (prices === null) return null;
  const models = pricedModels(createModels(modelSettings(config, [])), prices, systemClock);
  return models
    .allowed()
    .filter((model) => !isCostKnown(models, model))
    .map(({ provider, name, isDefault }) => ({ name: `${provider}:${name}`, isDefault }));
}

/** Asks each provider for its models. Two names of one address with one key are one provider. */
async function askedProviders(config: Config): Promise<DoctorFacts["providers"]> {
  const byAddress = Map.groupBy(modelProviders(modelSettings(config, [])).values(), (provider) =>
    JSON.stringify([provider.baseUrl, providerHeaders(provider.format, provider)]),
  );
  return Promise.all(
    [...byAddress.values()].map(async (providers) => {
      const [provider] = providers as [ModelProvider];
      const list = await listModels(provider.baseUrl, { headers: providerHeaders(provider.format, provider) });
      return {
        name: providers.map(({ name }) => name).join(", "),
        address: maskUrl(provider.baseUrl),
        why: list.kind === "unreachable" ? list.why : null,
        lists: list.kind === "listed",
      };
    }),
  );
}

const finds = (host: string): Promise<boolean> =>
  lookup(host).then(
    () => true,
    () => false,
  );

export function doctorReport(facts: DoctorFacts, whose: string): CommandAnswer {
  const settings: Finding = { check: "settings", state: "ok", finding: whose, advice: "" };
  const findings = [settings, ...findingsOf(facts)];
  const rows = findings.map(({ check, state, finding, advice }) => [state.toUpperCase(), check, finding, advice]);
  const { text } = listAnswer(["STATE", "CHECK", "FINDING", "WHAT TO DO"], rows);
  return { text, json: findings, ok: findings.every(({ state }) => state !== "problem") };
}

/** In the process of the service. */
export const DOCTOR: Readonly<Record<"doctor", AdminCommand>> = {
  async doctor({ config, databaseUrl }) {
    const facts = await doctorFacts(config, true, (run) => run(databaseUrl));
    return doctorReport(facts, `those of the service that runs (process ${process.pid})`);
  },
};
