/**
 * The fixtures that the conformance suite of MCP asks for by name, behind the endpoint in place of our own tools, so
 * that scenarios run which our tools give no occasion for: other kinds of content, logging, requests to the client.
 */
import { type CallToolResult, Server, type ServerContext } from "@modelcontextprotocol/server";

/** One pixel, and a moment of silence. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

type Content = CallToolResult["content"];
type Run = (context: ServerContext, given: Readonly<Record<string, unknown>>) => Promise<Content> | Content;

const text = (said: string) => ({ type: "text" as const, text: said });
const image = { type: "image" as const, data: PNG, mimeType: "image/png" };
const embedded = (uri: string, said: string, mimeType = "text/plain") => ({
  type: "resource" as const,
  resource: { uri, mimeType, text: said },
});

/** Asks the person for what the schema says. */
const elicit = async (context: ServerContext, message: string, properties: object, required: string[] = []) => {
  const requestedSchema = { type: "object", properties, required };
  const { action, content } = await context.mcpReq.elicitInput({ message, requestedSchema } as never);
  return [text(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`)];
};

const choices = { enum: ["option1", "option2", "option3"] };
const titled = ["value1", "value2", "value3"].map((value, i) => ({ const: value, title: `Option ${i + 1}` }));

const TOOLS: Readonly<Record<string, Run>> = {
  test_simple_text: () => [text("This is a simple text response for testing.")],
  test_image_content: () => [image],
  test_audio_content: () => [{ type: "audio", data: WAV, mimeType: "audio/wav" }],
  test_embedded_resource: () => [embedded("test://embedded-resource", "This is an embedded resource content.")],
  test_multiple_content_types: () => [
    text("Multiple content types test:"),
    image,
    embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
  ],
  test_error_handling: () => {
    throw new Error("This tool intentionally returns an error for testing");
  },
  async test_tool_with_logging(context) {
    for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"])
      await context.mcpReq.notify({ method: "notifications/message", params: { level: "info", data } });
    return [text("Logged")];
  },
  async test_tool_with_progress(context) {
    const progressToken = context.mcpReq._meta?.progressToken ?? 0;
    for (const progress of [0, 50, 100])
      await context.mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken, progress, total: 100 },
      });
    return [text(String(progressToken))];
  },
  async test_sampling(context, { prompt }) {
    const answer = await context.mcpReq.requestSampling({
      messages: [{ role: "user", content: text(String(prompt)) }],
      maxTokens: 100,
    });
    return [text(`LLM response: ${JSON.stringify(answer.content)}`)];
  },
  test_elicitation: (context, { message }) =>
    elicit(
      context,
      String(message),
      {
        username: { type: "string", description: "User's response" },
        email: { type: "string", description: "User's email address" },
      },
      ["username", "email"],
    ),
  test_elicitation_sep1034_defaults: (context) =>
    elicit(context, "Please review and update the form fields with defaults", {
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true },
    }),
  test_elicitation_sep1330_enums: (context) =>
    elicit(context, "Please select options", {
      untitledSingle: { type: "string", ...choices },
      titledSingle: { type: "string", oneOf: titled },
      legacyEnum: {
        type: "string",
        enum: ["opt1", "opt2", "opt3"],
        enumNames: ["Option One", "Option Two", "Option Three"],
      },
      untitledMulti: { type: "array", items: { type: "string", ...choices } },
      titledMulti: { type: "array", items: { anyOf: titled } },
    }),
};

const PROMPTS: Readonly<Record<string, (given: Readonly<Record<string, string>>) => readonly object[]>> = {
  test_simple_prompt: () => [text("This is a simple prompt for testing.")],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  test_prompt_with_embedded_resource: ({ resourceUri = "" }) => [
    embedded(resourceUri, "Embedded resource content for testing."),
    text("Please process the embedded resource above."),
  ],
  test_prompt_with_image: () => [image, text("Please analyze the image above.")],
};

const RESOURCES: Readonly<Record<string, object>> = {
  "test://static-text": { mimeType: "text/plain", text: "This is the content of the static text resource." },
  "test://static-binary": { mimeType: "image/png", blob: PNG },
};

/** A server with the fixtures. */
export function fixtureServer(): Server {
  const server = new Server(
    { name: "fixtures", version: "1.0.0" },
    { capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, logging: {}, completions: {} } },
  );
  server.setRequestHandler("tools/list", () => ({
    tools: Object.keys(TOOLS).map((name) => ({ name, description: name, inputSchema: { type: "object" } })),
  }));
  server.setRequestHandler("tools/call", async ({ params: { name, arguments: given = {} } }, context) => {
    try {
      return { content: await TOOLS[name]!(context, given) };
    } catch (error) {
      return { content: [text(String(error))], isError: true };
    }
  });
  server.setRequestHandler("resources/list", () => ({
    resources: Object.keys(RESOURCES).map((uri) => ({ uri, name: uri })),
  }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{ name: "template", uriTemplate: "test://template/{id}/data" }],
  }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => {
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
    const templated = { mimeType: "application/json", text: JSON.stringify({ id, templateTest: true }) };
    return { contents: [{ uri, ...(id === undefined ? RESOURCES[uri] : templated) } as never] };
  });
  server.setRequestHandler("resources/subscribe", () => ({}));
  server.setRequestHandler("resources/unsubscribe", () => ({}));
  server.setRequestHandler("prompts/list", () => ({
    prompts: Object.keys(PROMPTS).map((name) => ({ name, description: name })),
  }));
  server.setRequestHandler("prompts/get", ({ params: { name, arguments: given = {} } }) => ({
    messages: PROMPTS[name]!(given).map((content) => ({ role: "user" as const, content: content as never })),
  }));
  server.setRequestHandler("completion/complete", () => ({
    completion: { values: ["paris"], total: 1, hasMore: false },
  }));
  return server;
}
