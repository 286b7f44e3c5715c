/** Organizations of a running service, created as an operator does. */
import { knock } from "../../src/admin/door.ts";
import type { RunningService } from "./service.ts";

export interface Organization {
  readonly id: string;
  /** A token of the owner. */
  readonly token: string;
}

type Words = Readonly<Record<string, string>>;

/** Runs an administration command; answers its output. */
export async function administer({ note }: RunningService, command: string, options: Words): Promise<string> {
  const answer = await knock(note, { command, given: { options, flags: new Set<string>() } });
  if (answer?.ok !== true) throw new Error(`${command}: ${answer?.text}`);
  return answer.text;
}

/** A new organization, and a token of its owner. */
export async function newOrganization(service: RunningService, name: string): Promise<Organization> {
  const email = `owner@${name}.test`;
  const made = await administer(service, "org create", { name, "owner-email": email });
  const org = /\borg_[\w-]+/.exec(made)?.[0] ?? "";
  const token = /\bpat_\S+/.exec(await administer(service, "token create", { org, email }))?.[0] ?? "";
  return { id: org, token };
}

/** Sends a request as a user of the organization; answers the body. */
export async function asked<T = { readonly id: string }>(
  { url }: RunningService,
  { token }: Organization,
  [method, path]: readonly [method: string, path: string],
  body?: object,
): Promise<T> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${(await response.text()).slice(0, 500)}`);
  return (await response.json()) as T;
}

/** Gives the organization tasks with long descriptions. */
export async function fillTasks(
  service: RunningService,
  organization: Organization,
  { count, characters }: { readonly count: number; readonly characters: number },
): Promise<void> {
  const description = "A long task. ".repeat(characters).slice(0, characters);
  for (let i = 0; i < count; i++)
    await asked(service, organization, ["POST", "/api/v1/tasks"], { title: `Task ${i}`, description });
}
