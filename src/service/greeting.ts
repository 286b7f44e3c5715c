/**
 * What a start prints for the person at the terminal: the service's address, the tokens of the first run, which model
 * answers and how to choose another, and a command to paste.
 */
import type { ModelInfo } from "../../actors/job/ports.ts";
import type { Outcome } from "../../actors/fault.ts";
import { FIRST_OWNER, type FirstRun, type FirstTokens } from "./first-run.ts";
import { LINK_HOURS } from "../sign-in/password-link.ts";
import type { LocalModel } from "../runner/local-models.ts";

export interface Greeting {
  readonly version: string;
  readonly appUrl: string;
  /** The address that the service is bound to; shown if it is not `appUrl`. */
  readonly listens: string;
  readonly dataDir: string;
  readonly model: Outcome<ModelInfo>;
  readonly localModels: readonly LocalModel[];
  /** How long the start took. */
  readonly tookMs: number;
}

/** The lines of every start. */
export function greeting(of: Greeting): string {
  return [
    "",
    `  Troupe ${of.version} serves ${of.appUrl}`,
    `  Console ${of.appUrl}/app`,
    `  API     ${of.appUrl}/api/reference`,
    ...(of.listens === of.appUrl ? [] : [`  Listens ${of.listens}`]),
    `  Data    ${of.dataDir}`,
    `  Model   ${modelLine(of.model)}`,
    ...localLines(of),
    `  Start   took ${(of.tookMs / 1_000).toFixed(1)} s`,
    "",
  ].join("\n");
}

function modelLine(model: Outcome<ModelInfo>): string {
  if (!model.ok) {
    const why = model.fault.kind === "provider_error" ? model.fault.message : model.fault.kind;
    return `none: ${why}`;
  }
  const { provider, name, demo } = model.value;
  if (!demo) return `${provider}:${name}  (another one: MODEL=provider:name)`;
  return (
    `${provider}:${name}, a built-in demo, not a language model. For a real one set ANTHROPIC_API_KEY or\n` +
    "          OPENAI_API_KEY, or OPENAI_BASE_URL with MODEL=openai:NAME for any compatible server."
  );
}

function localLines({ localModels, model }: Greeting): string[] {
  if (localModels.length === 0 || !model.ok || !model.value.demo) return [];
  const names = localModels.map((found) => `${found.model} (${found.server})`).join(", ");
  return [`          On this machine there is: ${names}. Use it with MODEL=auto.`];
}

/** The tokens of the first run, which can be shown only now. */
export function tokenLines(run: FirstTokens): string {
  return [
    `  Personal access token  ${run.personalToken}`,
    `  Service token          ${run.serviceToken}`,
    `  Both are shown only this once and expire on ${run.expiresAt.slice(0, 10)}.`,
    `  More: bun run admin token create --email ${FIRST_OWNER}`,
    "",
  ].join("\n");
}

/** The link with which the owner chooses a password, to sign in with a browser. */
function signInLines(appUrl: string, { passwordPath }: FirstRun): string[] {
  const path = passwordPath === null ? null : appUrl + passwordPath;
  return [
    `  Sign in as ${FIRST_OWNER}: choose a password here, once, within ${LINK_HOURS} hours.`,
    path === null ? `  bun run admin user link --email ${FIRST_OWNER}` : `  ${path}`,
    "",
  ];
}

/** A command that streams an answer when it is pasted into a shell. */
export function tryLines(appUrl: string, run: FirstRun): string {
  return [
    ...signInLines(appUrl, run),
    "  Try it:",
    "",
    `  curl -N ${appUrl}/api/v1/agents/${run.agentId}/execute \\`,
    `    -H 'Authorization: Bearer ${run.personalToken}' \\`,
    "    -H 'Content-Type: application/json' \\",
    `    -d '{"message": "Hello, what can you do?", "stream": true}'`,
    "",
  ].join("\n");
}
