/** The pages of agents in a real browser, against the real service. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../support/condition.ts";
import type { Page } from "playwright-core";
import { CHROMIUM } from "../support/browser.ts";
import { acceptQuestions, type ConsoleScene, openConsole } from "../support/console-scene.ts";
import { answered } from "../support/current.ts";
import { pageFaults } from "../support/page-checks.ts";
import type { Caller } from "../support/service.ts";

let scene: ConsoleScene;

const testInBrowser = test.skipIf(CHROMIUM === null);

beforeAll(async () => {
  if (CHROMIUM !== null) scene = await openConsole();
});
afterAll(() => scene?.close());

interface AgentRecord {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly allowed_tools: readonly string[];
  readonly approval_tools: readonly string[];
  readonly model_settings: object | null;
  readonly install_state: string;
}

const createAgent = (person: Caller, body: object = {}): Promise<AgentRecord> =>
  answered<AgentRecord>(
    scene.service.call(person, "POST", "/api/agents", { name: "Ada", system_prompt: "Be brief.", ...body }),
    201,
  );
const readAgent = (person: Caller, id: string): Promise<AgentRecord> =>
  answered<AgentRecord>(scene.service.call(person, "GET", `/api/agents/${id}`));

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

testInBrowser("[CON-9] an agent is made, given tools, tried out, changed and deleted", async () => {
  const { page, person, complaints } = await scene.enter("/agents");
  const questions = acceptQuestions(page);
  await page.getByText("There is no agent yet").waitFor();
  await page.getByRole("link", { name: "New agent" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Grace");
  await page.getByRole("textbox", { name: "Instructions" }).fill("Answer with care.");
  await page.getByRole("combobox", { name: "Model" }).selectOption("demo:echo");
  await page.getByRole("searchbox", { name: "Find a tool" }).fill("create_task");
  await page.getByRole("checkbox", { name: "May use: create_task" }).check();
  await page.getByRole("checkbox", { name: "Asks a person first: create_task" }).check();
  await button(page, "Create").click();
  await page.getByRole("heading", { name: "Grace", level: 1 }).waitFor();
  const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  const made = await readAgent(person, id);
  expect([made.allowed_tools, made.approval_tools]).toEqual([["create_task"], ["create_task"]]);

  const tryOut = page.getByRole("region", { name: "Try-out" });
  await tryOut.getByText("Options", { exact: true }).click();
  await tryOut.getByRole("combobox", { name: "Priority" }).selectOption("high");
  await tryOut.getByRole("textbox", { name: "Message" }).fill('/call create_task {"title": "Buy milk"}');
  await tryOut.getByRole("button", { name: "Send" }).click();
  await tryOut.getByRole("region", { name: "Approval of create_task" }).waitFor();
  await page.reload();
  await tryOut.getByRole("button", { name: "Approve", exact: true }).click();
  await tryOut.getByText("tokens in").waitFor();
  const { jobs } = await answered<{ readonly jobs: readonly { readonly priority: string }[] }>(
    scene.service.call(person, "GET", `/api/jobs?agent_id=${id}`),
  );
  expect(jobs.map(({ priority }) => priority)).toEqual(["high"]);

  await page.getByRole("textbox", { name: "Name" }).fill("Grace Hopper");
  await page.getByText("You talk to the saved agent").waitFor();
  await button(page, "Save").click();
  await page.getByRole("heading", { name: "Grace Hopper", level: 1 }).waitFor();
  await page.getByRole("status").filter({ hasText: "Saved" }).waitFor();
  expect((await readAgent(person, id)).name).toBe("Grace Hopper");

  await button(page, "Delete").click();
  await page.getByText("There is no agent yet").waitFor();
  expect(questions).toEqual([expect.stringContaining("Delete the agent Grace Hopper?")]);
  expect((await scene.service.call(person, "GET", `/api/agents/${id}`)).status).toBe(404);
  expect(complaints).toEqual([]);
});

testInBrowser("[CON-9] the form and the JSON view change the same agent", async () => {
  const { page, person, complaints } = await scene.enter("/agents");
  const { id } = await createAgent(person);
  await page.goto(`${scene.url}/app/agents/${id}`);
  await page.getByRole("textbox", { name: "Role" }).fill("Editor");
  await page.getByRole("link", { name: "JSON" }).click();
  const json = page.getByRole("textbox", { name: "Agent as JSON" });
  const shown = JSON.parse(await json.inputValue()) as Record<string, unknown>;
  expect(shown["role"]).toBe("Editor");
  await json.fill("{");
  await button(page, "Save").focus();
  await page.getByText("Correct the JSON of Agent as JSON first").waitFor();
  expect(await button(page, "Save").isDisabled()).toBe(true);
  await json.fill(JSON.stringify({ ...shown, model_settings: { temperature: 9 } }));
  await button(page, "Save").click();
  await page.getByRole("alert").filter({ hasText: "request req_" }).waitFor();
  await json.fill(JSON.stringify({ ...shown, model_settings: { temperature: 0.5 } }));
  await page.getByText("Not saved: role, model settings", { exact: true }).waitFor();
  await button(page, "Save").click();
  await page.getByRole("status").filter({ hasText: "Saved" }).waitFor();
  // Nothing of it is left, to lie over what somebody else saves later.
  await answered(scene.service.call(person, "PATCH", `/api/agents/${id}`, { name: "Theirs" }));
  await page.reload();
  await page.getByRole("heading", { name: "Theirs", level: 1 }).waitFor();
  expect(JSON.parse(await json.inputValue())).toMatchObject({ name: "Theirs" });
  await page.goBack();
  await page.getByText("Settings of the model").click();
  expect(await page.getByRole("spinbutton", { name: "Temperature" }).inputValue()).toBe("0.5");
  expect((await readAgent(person, id)).model_settings).toEqual({ temperature: 0.5 });
  // A 400 that was asked for.
  expect(complaints.filter((one) => !one.includes("400"))).toEqual([]);
});

testInBrowser("[CON-9] a change that somebody else has made is told, and nothing is lost", async () => {
  const { page, person } = await scene.enter("/agents", { bypassCSP: true });
  const { id } = await createAgent(person);
  // The person writes before the page of a new tab knows who they are.
  const written = Promise.withResolvers<void>();
  await page.route("**/api/members/me", (route) => written.promise.then(() => route.continue()));
  await page.evaluate("sessionStorage.clear()");
  await page.goto(`${scene.url}/app/agents/${id}`);
  await page.getByRole("textbox", { name: "Name" }).fill("Mine");
  await until("the draft is kept", () => page.evaluate<boolean>("sessionStorage.length > 0"));
  written.resolve();
  await until("its key is kept", () => page.evaluate<boolean>("sessionStorage.getItem('troupe kept for') !== null"));
  // A reload loads their version under the changes.
  await answered(scene.service.call(person, "PATCH", `/api/agents/${id}`, { role: "Their role" }));
  await page.reload();
  await page.getByRole("alert").filter({ hasText: "somebody else has changed role" }).waitFor();
  await answered(scene.service.call(person, "PATCH", `/api/agents/${id}`, { name: "Theirs" }));
  await button(page, "Save").click();
  await page.getByRole("alert").filter({ hasText: "somebody else has changed name, role" }).waitFor();
  expect(await page.getByRole("textbox", { name: "Role" }).inputValue()).toBe("Their role");
  expect((await readAgent(person, id)).name).toBe("Theirs");
  // The changes survive a reload, and the next save puts them over the newer version.
  await page.reload();
  expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("Mine");
  await button(page, "Save").click();
  await page.getByRole("heading", { name: "Mine", level: 1 }).waitFor();
});

testInBrowser("[CON-9] tools of the agent itself and servers of tools are written as forms", async () => {
  const { page, person } = await scene.enter("/agents/new", { bypassCSP: true });
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Grace");
  await page.getByRole("textbox", { name: "Instructions" }).fill("Answer with care.");
  await page.getByText("HTTP tools and MCP servers").click();
  const tools = page.getByRole("group", { name: "HTTP and client tools" });
  await tools.getByRole("button", { name: "Add a tool" }).click();
  await tools.getByRole("textbox", { name: "Tool name" }).fill("look_up");
  await tools.getByRole("textbox", { name: "What it does" }).fill("Looks up an article");
  await tools.getByRole("combobox", { name: "Method" }).selectOption("POST");
  await tools.getByRole("textbox", { name: "Address" }).fill("https://shop.example/articles/{article}");
  await tools.getByRole("button", { name: "Add a header" }).click();
  await tools.getByRole("textbox", { name: "Header name" }).fill("Accept");
  await tools.getByRole("textbox", { name: "Or a fixed value" }).fill("application/json");
  const schema = { type: "object", properties: { article: { type: "string" } }, required: ["article"] };
  await tools.getByRole("textbox", { name: "Schema of the arguments of look_up" }).fill(JSON.stringify(schema));
  await page.getByRole("button", { name: "Add a server" }).click();
  await page.getByRole("textbox", { name: "Server name" }).fill("files");
  await page.getByRole("textbox", { name: "Address of the server" }).fill("https://ada:secret@mcp.example/");
  const servers = page.getByRole("group", { name: "MCP servers" });
  await servers.getByRole("combobox", { name: "Whose access it uses" }).selectOption("person");
  await servers.getByRole("textbox", { name: "Client id" }).fill("troupe-4711");
  await servers.getByRole("textbox", { name: "Authorization server of the client" }).fill("https://auth.example");
  expect(await pageFaults(page)).toEqual([]);
  await button(page, "Create").click();
  // What the service refuses is said at its field.
  await page
    .getByText(/without a user name|password/)
    .first()
    .waitFor();
  await page.getByRole("textbox", { name: "Address of the server" }).fill("https://mcp.example/");
  await button(page, "Create").click();
  await page.getByRole("heading", { name: "Grace", level: 1 }).waitFor();
  const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  const made = await answered<object>(scene.service.call(person, "GET", `/api/agents/${id}`));
  expect(made).toMatchObject({
    tools: [
      {
        name: "look_up",
        kind: "http",
        method: "POST",
        url: "https://shop.example/articles/{article}",
        headers: [{ name: "Accept", value: "application/json" }],
        input_schema: schema,
      },
    ],
    mcp_servers: [
      {
        name: "files",
        url: "https://mcp.example/",
        auth: { type: "oauth", owner: "person", client: { issuer: "https://auth.example", id: "troupe-4711" } },
      },
    ],
  });
  await page.getByText("HTTP tools and MCP servers").click();
  await page.getByRole("group", { name: "MCP servers" }).getByText("files", { exact: true }).click();
  await page.getByRole("button", { name: "Remove the server files" }).click();
  await button(page, "Save").click();
  await page.getByRole("status").filter({ hasText: "Saved" }).waitFor();
  expect(await answered<object>(scene.service.call(person, "GET", `/api/agents/${id}`))).toMatchObject({
    mcp_servers: [],
  });
});

testInBrowser("[CON-9] an agent of the library is installed", async () => {
  const { page, person } = await scene.enter("/agents?source=library", { person: scene.owner });
  await button(page, "Install Editor").click();
  await page.getByRole("link", { name: "Editor", exact: true }).click();
  await button(page, "Uninstall").waitFor();
  const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  expect((await readAgent(person, id)).install_state).toBe("installed");
  await button(page, "Uninstall").click();
  await page.getByText("Install this agent to use and to change it").first().waitFor();
});

testInBrowser(
  "[CON-9] an agent of another organization can be used, and the page says why it cannot be changed",
  async () => {
    const other = await scene.service.found("Other");
    const { id } = await createAgent(other, { name: "Shared", visibility: "public" });
    const { page } = await scene.enter(`/agents/${id}`);
    await page.getByText("You may not change this agent").first().waitFor();
    expect(await page.getByRole("textbox", { name: "Name" }).isEditable()).toBe(false);
    await button(page, "Delete").focus();
    await page.getByText("You may not delete this agent").waitFor();
    await page.getByRole("textbox", { name: "Message" }).fill("/say Hello");
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Try-out" }).getByText("tokens in").waitFor();
  },
);

const HOSTILE_NAME = `<img src=x onerror=alert(1)>\u202Egpj.exe ${"long".repeat(100)}`;

testInBrowser(
  "[CON-5] [CON-6] the pages of agents are legible and run nothing, in both schemes and widths",
  async () => {
    for (const colorScheme of ["light", "dark"] as const)
      for (const width of [390, 1_280]) {
        const look = { colorScheme, viewport: { width, height: 844 }, bypassCSP: true };
        const { page, person } = await scene.enter("/agents", look);
        const questions = acceptQuestions(page);
        const faults: string[] = [];
        const check = async (at: string, ready: string): Promise<void> => {
          await page.goto(`${scene.url}/app${at}`);
          await page.getByText(ready).first().waitFor();
          faults.push(...(await pageFaults(page)));
        };
        await check("/agents", "There is no agent yet");
        await check("/agents/new", "every agent has it");
        const { id } = await createAgent(person, { name: HOSTILE_NAME, description: HOSTILE_NAME });
        await check("/agents", "onerror");
        await check(`/agents/${id}`, "every agent has it");
        await page.getByText("Settings of the model").click();
        await page.getByText("HTTP tools and MCP servers").click();
        await page.getByText("Limits, approvals and answers").click();
        faults.push(...(await pageFaults(page)));
        await check(`/agents/${id}?view=json`, "Agent as JSON");
        expect({ faults, questions }).toEqual({ faults: [], questions: [] });
        await page.context().close();
      }
  },
);
