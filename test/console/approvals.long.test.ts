/** Approvals in the console: who decides and how many, rules that are tried, groups, and how approvals reach people. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { CHROMIUM } from "../support/browser.ts";
import {
  acceptQuestions,
  answerOf,
  type ConsoleScene,
  newChat,
  openConsole,
  say,
  visitChats,
} from "../support/console-scene.ts";
import { answered, Client, type Json } from "../support/current.ts";
import { createEgressWorld, type EgressWorld } from "../support/egress-world.ts";
import { pageFaults } from "../support/page-checks.ts";
import { startReceiver } from "../support/webhook-receiver.ts";

let world: EgressWorld;
let scene: ConsoleScene;
const testInBrowser = test.skipIf(CHROMIUM === null);

beforeAll(async () => {
  if (CHROMIUM === null) return;
  world = createEgressWorld();
  scene = await openConsole({ egress: world.client() });
});
afterAll(async () => {
  await scene?.close();
  await world?.end();
});

const agentWith = (rules: readonly Json[]): Json => ({
  visibility: "organization",
  allowed_tools: ["create_task"],
  approval_rules: rules,
});
const asking = (fields: Json): Json => ({ name: "All tasks", tool: "create_task", then: "ask", ...fields });
const approvalOn = (page: Page) => page.getByRole("region", { name: "Approval of create_task" });

/** A new organization with an owner. */
async function founder() {
  const owner = await scene.service.found();
  return { owner, client: new Client(scene.service, owner) };
}

testInBrowser(
  "[CON-25] an approval says who decides, how many have, and what happens without a decision, in chat, inbox and job",
  async () => {
    const { owner, client } = await founder();
    const { service } = scene;
    const [starter, first, second] = [
      await service.join(owner.organizationId),
      await service.join(owner.organizationId),
      await service.join(owner.organizationId),
    ];
    const members = [starter.userId, first.userId, second.userId];
    await answered(client.call("PUT", "/api/groups/finance", { members }), 201);
    const rule = asking({
      of: { group: "finance" },
      count: 2,
      not_starter: true,
      expiry: { after_seconds: 3_600, on_expiry: "keep" },
    });
    const { page, agentId, complaints } = await visitChats(
      scene,
      { person: starter, bypassCSP: true },
      agentWith([rule]),
    );
    await newChat(page, agentId);
    await say(page, '/call create_task {"title": "Buy milk"}\n/then\n/say Bought.');
    const own = approvalOn(page);
    await own.getByText("Members of the group finance may decide, but not the person for whom").waitFor();
    await own.getByText("0 of 2 people have approved").waitFor();
    await own.getByText("Without a decision the call goes on waiting.").waitFor();
    const refused = own.getByRole("button", { name: "Deny" });
    expect(await refused.getAttribute("aria-disabled")).toBe("true");
    await refused.focus();
    const why = await refused.evaluate((element) => {
      const { ownerDocument } = element as unknown as {
        ownerDocument: { getElementById: (id: string) => { textContent: string } | null };
      };
      return ownerDocument.getElementById(element.getAttribute("aria-describedby") ?? "")?.textContent ?? "";
    });
    expect(why).toMatch(/began|person|work/);
    expect(await pageFaults(page)).toEqual([]);

    const one = await scene.enter("/inbox", { person: first, colorScheme: "dark", bypassCSP: true });
    const atFirst = approvalOn(one.page);
    expect(await atFirst.getByRole("textbox", { name: "title (needed)" }).getAttribute("readonly")).not.toBeNull();
    await atFirst.getByRole("button", { name: "Approve", exact: true }).click();
    await atFirst.getByText("1 of 2 people have approved").waitFor();
    await atFirst.getByRole("list", { name: "Approved by" }).getByText("You").waitFor();
    await atFirst.getByRole("button", { name: "Approve", exact: true }).focus();
    await atFirst.getByText("You have approved it already").waitFor();
    expect(await pageFaults(one.page)).toEqual([]);
    // No event of the chat says so: the page learns it with the next read of the inbox.
    await own.getByText("1 of 2 people have approved").waitFor();

    const two = await scene.enter("/inbox", { person: second });
    await two.page.getByRole("link", { name: "Open its job" }).click();
    await two.page.getByText("1 of 2 people have approved").first().waitFor();
    await approvalOn(two.page).getByRole("button", { name: "Approve", exact: true }).click();
    await answerOf(page).getByText("Bought.").first().waitFor();
    await two.page.getByText("Decision: approve").waitFor();
    await one.page.getByText("Nothing waits for you").waitFor();
    expect([...complaints, ...one.complaints, ...two.complaints]).toEqual([]);
  },
);

testInBrowser("[CON-25] rules are tried on the last calls, and an agent's reach and rules are edited", async () => {
  const { page, person, agentId } = await visitChats(scene, { bypassCSP: true }, agentWith([]));
  const questions = acceptQuestions(page);
  const { service } = scene;
  const client = new Client(service, person);
  const { job } = await client.send(
    await client.chat(agentId, scene.owner.workspaceId),
    '/call create_task {"title": "Buy milk"}\n/then\n/say Bought.',
  );
  await client.reached(job.id, "completed");
  await page.goto(`${scene.url}/app/agents/${agentId}`);
  await page.getByText("Limits, approvals and answers").click();
  const rules = page.getByRole("textbox", { name: "Approval rules" });
  const tryRules = page.getByRole("button", { name: "Try the rules on the last calls" });
  await rules.fill("{}");
  await page.getByText("Approval rules must be a list of rules").waitFor();
  expect(await tryRules.getAttribute("aria-disabled")).toBe("true");
  // What the service refuses is said at its place.
  await rules.fill(JSON.stringify([asking({ tool: "no_such_tool" })]));
  await tryRules.click();
  await page.getByText(/^\/approval_rules\/0\/tool: /).waitFor();
  await rules.fill(JSON.stringify([{ ...asking({}), then: "deny" }]));
  await tryRules.click();
  await page.getByText("Rules would have decided 1 of the last 1 calls.").waitFor();
  const tried = page.getByRole("region", { name: "What the rules would have decided" });
  await tried.getByRole("row", { name: /create_task.*no rules.*is denied: rule 1 “All tasks”/ }).waitFor();
  expect(await page.getByText(/^\/approval_rules\/0/).count()).toBe(0);
  expect(await pageFaults(page)).toEqual([]);
  await rules.fill(JSON.stringify([asking({})]));
  await page.getByText("The rules have changed since.").waitFor();
  await page.getByRole("combobox", { name: "The link in a mail or message decides" }).selectOption("anyone");
  await page.getByRole("spinbutton", { name: "Minutes until a reminder" }).fill("30");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("status").filter({ hasText: "Saved" }).waitFor();
  expect(await answered<object>(service.call(person, "GET", `/api/agents/${agentId}`))).toMatchObject({
    approval_reach: { links: "anyone", remind_after_seconds: 1_800 },
    approval_rules: [asking({})],
  });
  await page.getByRole("spinbutton", { name: "Minutes until a reminder" }).fill("");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("status").filter({ hasText: "Saved" }).waitFor();
  expect(await answered<object>(service.call(person, "GET", `/api/agents/${agentId}`))).toMatchObject({
    approval_reach: { links: "anyone", remind_after_seconds: null },
  });
  expect(questions).toEqual([]);
});

testInBrowser("[CON-26] an owner makes, edits and deletes a group of members, and others see it", async () => {
  const { owner, client } = await founder();
  const other = await scene.service.join(owner.organizationId);
  const { page, complaints } = await scene.enter("/people/groups", { person: owner, bypassCSP: true });
  const questions = acceptQuestions(page);
  await page.getByText("There are no groups").waitFor();
  await page.getByText("New group", { exact: true }).click();
  const name = page.getByRole("textbox", { name: "Name" });
  await name.fill("No Such Name");
  const make = page.getByRole("button", { name: "Make the group" });
  await make.click();
  await page.getByRole("alert").waitFor();
  await name.fill("finance");
  const boxes = page.getByRole("group", { name: "Members" }).getByRole("checkbox");
  await boxes.nth(0).check();
  await make.click();
  const groups = page.getByRole("list", { name: "Groups" });
  await groups.getByText("finance", { exact: true }).waitFor();
  expect((await client.get<{ members: string[] }>("/api/groups/finance")).members).toHaveLength(1);
  await name.fill("finance");
  await make.focus();
  await page.getByText("This group exists already: edit it").waitFor();
  await groups.getByRole("button", { name: "Edit" }).click();
  const edited = groups.getByRole("group", { name: "Members" }).getByRole("checkbox");
  await edited.nth(0).check();
  await edited.nth(1).check();
  expect(await pageFaults(page)).toEqual([]);
  await groups.getByRole("button", { name: "Save the group" }).click();
  await groups.getByRole("button", { name: "Edit" }).waitFor();
  expect((await client.get<{ members: string[] }>("/api/groups/finance")).members.toSorted()).toEqual(
    [owner.userId, other.userId].toSorted(),
  );

  const member = await scene.enter("/people/groups", { person: other, colorScheme: "dark", bypassCSP: true });
  const shown = member.page.getByRole("list", { name: "Groups" });
  await shown.getByRole("button", { name: "Edit" }).focus();
  await shown.getByText("Only owners of the organization can do this").first().waitFor();
  expect(await shown.getByRole("button", { name: "Delete" }).getAttribute("aria-disabled")).toBe("true");
  expect(await pageFaults(member.page)).toEqual([]);

  await groups.getByRole("button", { name: "Delete" }).click();
  await page.getByText("There are no groups").waitFor();
  expect(questions).toEqual([expect.stringContaining("Delete the group finance?")]);
  expect([...complaints, ...member.complaints].filter((text) => !text.includes("400"))).toEqual([]);
});

testInBrowser("[CON-26] an owner adds a messenger and sees what was sent, and each person chooses mails", async () => {
  const { owner } = await founder();
  const receiver = startReceiver(world, "messenger");
  try {
    const { page, complaints } = await scene.enter("/people/notices", { person: owner, bypassCSP: true });
    const questions = acceptQuestions(page);
    const mails = page.getByRole("region", { name: "Your mails" });
    await mails.getByRole("button", { name: "Send me no such mails" }).click();
    await mails.getByText("You get no mails").waitFor();
    await page.reload();
    await mails.getByRole("button", { name: "Send me mails" }).click();
    await mails.getByText("You get a mail when").waitFor();

    await page.getByText("There are no messengers").waitFor();
    await page.getByText("No notice was sent yet").waitFor();
    await page.getByText("New messenger", { exact: true }).click();
    await page.getByRole("textbox", { name: "Name" }).fill('<img src=x onerror="alert(1)">');
    await page.getByLabel("Address", { exact: true }).fill("http://169.254.169.254/hook");
    await page.getByRole("button", { name: "Add the messenger" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Address", { exact: true }).fill(`${receiver.url}secret-of-the-hook`);
    await page.getByRole("button", { name: "Add the messenger" }).click();
    const messengers = page.getByRole("list", { name: "Messengers" });
    await messengers.getByText("<img src=x").waitFor();
    expect(await page.getByText("secret-of-the-hook").count()).toBe(0);

    const client = new Client(scene.service, owner);
    const agentId = await client.agent({ ...agentWith([asking({})]) });
    const { job } = await client.send(
      await client.chat(agentId, owner.workspaceId),
      '/call create_task {"title": "Buy milk"}',
    );
    await client.reached(job.id, "blocked");
    const sent = page.getByRole("region", { name: "Sent notices" });
    await sent.getByRole("row", { name: /Question.*<img src=x.*success HTTP 200/ }).waitFor();
    expect(receiver.deliveries).toHaveLength(1);
    expect(await pageFaults(page)).toEqual([]);
    await messengers.getByText("last arrived").or(messengers.getByText("nothing has arrived yet")).waitFor();
    await messengers.getByRole("button", { name: "Delete" }).click();
    await page.getByText("There are no messengers").waitFor();
    await sent.getByText("A deleted messenger").first().waitFor();
    expect(questions).toEqual([expect.stringContaining("Delete the messenger <img")]);
    expect(await page.evaluate("document.querySelectorAll('main img').length")).toBe(0);

    const other = await scene.service.join(owner.organizationId);
    const member = await scene.enter("/people/notices", { person: other, colorScheme: "dark", bypassCSP: true });
    await member.page.getByText("Only owners of the organization see messengers").waitFor();
    await member.page.getByRole("button", { name: "Send me no such mails" }).waitFor();
    expect(await pageFaults(member.page)).toEqual([]);
    expect([...complaints, ...member.complaints].filter((text) => !/4(00|22)/.test(text))).toEqual([]);
  } finally {
    receiver.stop();
  }
});
