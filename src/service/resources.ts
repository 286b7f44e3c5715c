/**
 * What the service works with besides its storage: models, the guarded client, sandboxes, programs of the machine. The
 * start opens them; a test gives its own in their place.
 */
import { join } from "node:path";
import type { ModelPort } from "../../actors/job/ports.ts";
import type { Tracing } from "../../actors/runtime/tracing.ts";
import { readingSlices } from "../egress/body.ts";
import { createEgress, type Egress } from "../egress/egress.ts";
import type { Meters } from "../metrics/meters.ts";
import { Cloner } from "../repositories/clone.ts";
import { createModels } from "../runner/models.ts";
import { findGit, type GitVersion } from "../repositories/git.ts";
import { createSandbox, filePool, type Sandbox } from "../sandbox/sandbox.ts";
import { authoritiesOf } from "../settings/authorities.ts";
import type { Config } from "../settings/settings.ts";
import { systemClock } from "../wiring/clock.ts";
import { createMailer, type Mailer } from "../reach/mailer.ts";
import type { OpenIdProvider } from "../sign-in/openid/provider.ts";
import { Passwords } from "../sign-in/passwords.ts";
import { openIdProvider } from "../wiring/openid-provider.ts";
import { type AgentShell, openShell } from "../wiring/shell-service.ts";
import type { ActorParts, ServiceLog } from "./actors.ts";
import { chargeOf, slicePace } from "./loop-time.ts";
import type { Undo } from "./undo.ts";

export interface Resources {
  readonly models: ModelPort;
  /** The guarded client for requests to untrusted addresses. */
  readonly egress: Egress;
  /** Parses the answers to those requests. */
  readonly sandbox: Sandbox;
  /** Runs queries over files of workspaces. */
  readonly fileSandbox: Sandbox;
  /** Fetches repositories. */
  readonly cloner: Cloner;
  /** The git that clones repositories; null if none is installed. */
  readonly git: GitVersion | null;
  /** Runs commands of agents, and has their folders; null if commands cannot be isolated. */
  readonly shell: AgentShell | null;
  /** Hashes and checks passwords of people and shares, a few at a time. */
  readonly passwords: Passwords;
  /** An OpenID provider by which people can also sign in, or null. */
  readonly provider: OpenIdProvider | null;
  /** Sends mails about approvals; null if the operator has set no mail server. */
  readonly mailer: Mailer | null;
  /** Counts for metrics; null if metrics are off. */
  readonly meters: Meters | null;
  /** Receives spans; null if nothing is traced. */
  readonly tracing: Tracing | null;
}

/**
 * The resources of a process that only runs commands: no model, no egress, no program of the machine. Nothing is
 * opened.
 */
export function idleResources({ log, storage }: Omit<ResourceParts, "config">): Resources {
  const egress = createEgress({ allow: [], production: true }, log);
  const sandbox = createSandbox(log, { isOverShare: () => false });
  return {
    models: createModels(NO_MODEL, log),
    egress,
    sandbox,
    fileSandbox: sandbox,
    cloner: new Cloner(clonesOf(storage), egress),
    passwords: new Passwords(),
    git: null,
    shell: null,
    provider: null,
    mailer: null,
    meters: null,
    tracing: null,
  };
}

const NO_MODEL = {
  model: null,
  anthropicApiKey: null,
  openaiApiKey: null,
  openaiBaseUrl: null,
  localModels: [],
  production: true,
  allowDemoModel: false,
} as const;

const clonesOf = ({ folder }: ResourceParts["storage"]): string => join(folder.path, "files", "clones");

interface ResourceParts {
  readonly config: Config;
  readonly log: ServiceLog;
  readonly storage: ActorParts["storage"] & { readonly folder: { readonly path: string } };
}

/** Opens the resources that are not given; `undo` closes what this function has opened. */
export async function openResources(
  { config, log, storage }: ResourceParts,
  given: Partial<Resources> & Pick<Resources, "models" | "meters" | "tracing">,
  undo: Pick<Undo, "add">,
): Promise<Resources> {
  const opened = <T>(value: T, close: () => Promise<void> | void): T => {
    undo.add(close);
    return value;
  };
  const { loopTime, files } = storage;
  const shells = join(storage.folder.path, "files", "shells");
  const isOverShare = (organizationId: string): boolean => loopTime.isOverShare(organizationId);
  const charge = chargeOf(loopTime);
  const sandboxOf = (more: Parameters<typeof createSandbox>[1]): Sandbox => {
    const sandbox = createSandbox(log, { isOverShare, charge, ...more });
    return opened(sandbox, () => sandbox.close());
  };
  const egress = given.egress ?? openEgress({ config, log, storage }, opened);
  const cloner = given.cloner ?? new Cloner(clonesOf(storage), egress);
  await cloner.prepare();
  return {
    ...given,
    egress,
    cloner,
    sandbox: given.sandbox ?? sandboxOf({}),
    fileSandbox: given.fileSandbox ?? sandboxOf({ kind: filePool(files.children) }),
    passwords: given.passwords ?? new Passwords(),
    mailer: given.mailer === undefined ? mailerOf(config) : given.mailer,
    provider: given.provider === undefined ? openProvider(config, log, opened) : given.provider,
    git: given.git === undefined ? await gitOf(log) : given.git,
    shell: given.shell === undefined ? await openShell(config.shellHosts, shells, log) : given.shell,
  };
}

type OpenResource = <T>(value: T, close: () => Promise<void> | void) => T;

/** The log lists what the operator has allowed. */
function openEgress({ config, log, storage: { loopTime } }: ResourceParts, opened: OpenResource): Egress {
  const { egressAllow: allow, nodeEnv } = config;
  if (allow.length > 0) {
    const fields = { egressAllow: allow };
    log.warn(fields, "outgoing requests may reach these hosts and networks although they are not public");
  }
  const reading = { slices: readingSlices(slicePace(loopTime)), charge: chargeOf(loopTime) };
  const privateCa = authoritiesOf(config.egressCaFile);
  const authorities = privateCa === undefined ? {} : { privateCa };
  const egress = createEgress({ allow, production: nodeEnv === "production", ...authorities }, log, reading);
  return opened(egress, () => egress.close());
}

function openProvider(config: Config, log: ServiceLog, opened: OpenResource): OpenIdProvider | null {
  const provider = openIdProvider(config, log);
  return provider === null ? null : opened(provider.client, () => provider.close());
}

function mailerOf({ smtpUrl, mailFrom, smtpCaFile }: Config): Mailer | null {
  if (smtpUrl === undefined || mailFrom === undefined) return null;
  const ca = authoritiesOf(smtpCaFile);
  return createMailer({ url: smtpUrl, from: mailFrom, ...(ca === undefined ? {} : { ca }) }, systemClock);
}

/** Finds a git that is safe for clones; the log says whether there is one. */
async function gitOf(log: ServiceLog): Promise<GitVersion | null> {
  const { git, why } = await findGit();
  if (git === null) log.info({}, `repositories cannot be cloned: ${why}`);
  return git;
}
