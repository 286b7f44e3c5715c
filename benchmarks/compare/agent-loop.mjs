// The loop of an agent over the provider and the tool of the comparison, for peers that run by Node. `durable(name, f)` is
// what a system puts around a call, so that a run continues behind it after a crash.
import http from "node:http";

const world = Number(process.env.WORLD_PORT);
const agent = new http.Agent({ keepAlive: true, maxSockets: 512 });
const TOOL = {
  type: "function",
  function: {
    name: "ping",
    description: "Answers at once",
    parameters: { type: "object", properties: { key: { type: "string" } } },
  },
};

function post(path, body) {
  return new Promise((resolve, reject) => {
    const bytes = Buffer.from(JSON.stringify(body));
    const headers = { "content-type": "application/json", "content-length": bytes.length };
    const request = http.request(
      { host: "127.0.0.1", port: world, path, method: "POST", agent, headers },
      (response) => {
        const parts = [];
        response.on("data", (part) => parts.push(part));
        response.on("end", () => resolve(Buffer.concat(parts).toString()));
        response.on("error", reject);
      },
    );
    request.on("error", reject);
    request.end(bytes);
  });
}

async function askModel(messages) {
  const text = await post("/v1/chat/completions", { model: "fake-model", stream: true, messages, tools: [TOOL] });
  let [call, said] = [null, ""];
  for (const line of text.split("\n")) {
    if (!line.startsWith("data: {")) continue;
    const delta = JSON.parse(line.slice(6)).choices[0]?.delta;
    if (delta?.tool_calls) call = delta.tool_calls[0];
    if (delta?.content) said += delta.content;
  }
  return call === null ? { text: said } : { call };
}

export async function runAgent({ message }, durable = (_, call) => call()) {
  const messages = [
    { role: "system", content: "You are a test." },
    { role: "user", content: message },
  ];
  for (let step = 0; ; step++) {
    const answer = await durable(`model ${step}`, () => askModel(messages));
    if (answer.call === undefined) return answer.text;
    const { id, function: called } = answer.call;
    const result = await durable(`tool ${step}`, () => post("/tool", JSON.parse(called.arguments)));
    messages.push(
      { role: "assistant", content: null, tool_calls: [{ id, type: "function", function: called }] },
      { role: "tool", tool_call_id: id, content: result },
    );
  }
}

/** Serves `POST /agent` by `run`, which answers at the end, and `POST /begin` by `begin`, which answers when it will run. */
export function serveAgent(run, begin = run) {
  http
    .createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
      const parts = [];
      request.on("data", (part) => parts.push(part));
      request.on("end", async () => {
        if (request.method !== "POST") return response.end();
        try {
          const handle = request.url === "/begin" ? begin : run;
          const answer = JSON.stringify(await handle(JSON.parse(Buffer.concat(parts).toString())));
          response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(answer) });
          response.end(answer);
        } catch (cause) {
          response.writeHead(500);
          response.end(String(cause));
        }
      });
    })
    .listen(Number(process.env.PORT), "127.0.0.1");
}
