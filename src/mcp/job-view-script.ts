/**
 * The script of the job view. It talks to its host in JSON-RPC by `postMessage`, and to the service only by the
 * signed stream; it shows everything as text. When a stream expires or is cut, the host reads the job again, which
 * yields a fresh address, and the stream resumes after the last event. If the host lets the page call tools, its
 * person can approve and deny.
 */
export const JOB_VIEW_SCRIPT = String.raw`
"use strict";
const { service, changes } = document.documentElement.dataset;
const ENDED = new Set(["completed", "failed", "cancelled"]);
const FIRST_WAIT_MS = 500, LONGEST_WAIT_MS = 30000, READ_AFTER_MS = 100, MOST_FAILURES = 5;
const at = (id) => document.getElementById(id);
const waiting = new Map();
let asked = 0, job = null, text = "", cursor = null, source = null, failures = 0, timer = 0, reading = 0;
let canCall = false, link = null, look = null;

const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
const ask = (method, params) => new Promise((resolve, reject) => {
  const id = ++asked;
  waiting.set(id, { resolve, reject });
  send({ id, method, params });
});
async function call(name, args) {
  const result = await ask("tools/call", { name, arguments: args });
  if (result.isError) throw new Error(words(result));
  return result.structuredContent;
}
function words(result) {
  const said = result.content?.find((one) => one.type === "text")?.text ?? "";
  try { return JSON.parse(said).message ?? said; } catch { return said; }
}

addEventListener("message", ({ source: from, data }) => {
  if (from !== parent || data?.jsonrpc !== "2.0") return;
  const { id, method, params, result, error } = data;
  if (method === undefined) {
    const one = waiting.get(id);
    waiting.delete(id);
    if (error) one?.reject(new Error(error.message)); else one?.resolve(result);
  } else if (method === "ui/notifications/tool-result") take(params?.structuredContent);
  else if (method === "ui/notifications/tool-cancelled") at("status").textContent = "Cancelled";
  else if (method === "ui/notifications/host-context-changed") dress(params);
  else if (method === "ping" || method === "ui/resource-teardown") {
    if (method !== "ping") stop();
    send({ id, result: {} });
  } else if (id !== undefined) send({ id, error: { code: -32601, message: "Method not found" } });
});

function dress(context) {
  const root = document.documentElement;
  if (context?.theme === "light" || context?.theme === "dark") root.style.colorScheme = context.theme;
  for (const [name, value] of Object.entries(context?.styles?.variables ?? {}))
    if (name.startsWith("--") && typeof value === "string") root.style.setProperty(name, value);
}

/** A job has come from the host: shows it, and follows it while it can change. */
function take(record) {
  if (typeof record?.id !== "string" || typeof record.status !== "string") return;
  const isOther = job?.id !== record.id;
  if (isOther) { stop(); text = ""; cursor = null; failures = 0; link = null; }
  show(record);
  if (isOther) follow();
}

function show(record) {
  if (job?.id === record.id && record.version < job.version) return;
  // Records in the stream have no fresh address.
  link = record.links?.app_stream ?? link;
  job = record;
  at("title").textContent = record.title ?? record.id;
  at("status").textContent = [record.status.replace("_", " "), record.progress?.label].filter(Boolean).join(": ");
  if (record.error) at("notice").textContent = record.error.message;
  if (record.result) text = record.result;
  at("text").textContent = text;
  showApprovals();
}

function showApprovals() {
  const open = job.status === "blocked" ? (job.approvals ?? []).filter((one) => !one.decision) : [];
  at("approvals").replaceChildren(...open.map((approval) => {
    const box = document.createElement("section");
    const said = document.createElement("p");
    said.textContent = approval.message;
    const given = document.createElement("pre");
    given.textContent = JSON.stringify(approval.arguments, null, 2);
    box.append(said, given);
    if (canCall) for (const [label, decision] of [["Approve", "approve"], ["Deny", "deny"]]) {
      const button = document.createElement("button");
      button.textContent = label;
      button.onclick = () => decide(box, approval.id, decision);
      box.append(button);
    } else {
      const hint = document.createElement("p");
      hint.textContent = "Tell the assistant whether to approve this.";
      box.append(hint);
    }
    return box;
  }));
}

async function decide(box, approvalId, decision) {
  for (const button of box.querySelectorAll("button")) button.disabled = true;
  at("notice").textContent = "";
  try {
    show(await call("approve_job", { job_id: job.id, approval_id: approvalId, decision }));
    if (source === null) follow();
  } catch (error) {
    at("notice").textContent = error.message;
    showApprovals();
  }
}

function stop() {
  source?.close();
  source = null;
  clearTimeout(timer);
  clearTimeout(reading);
}

function follow() {
  stop();
  if (link === null || (ENDED.has(job.status) && cursor !== null)) return;
  const url = new URL(service + link);
  if (cursor !== null) url.searchParams.set("after", cursor);
  source = new EventSource(url);
  const on = (name, hear) => source.addEventListener(name, (event) => {
    if (event.lastEventId !== "") cursor = event.lastEventId;
    failures = 0;
    hear(JSON.parse(event.data));
  });
  on("snapshot", show);
  on("transcript.delta", ({ position, text: added }) => {
    text = text.slice(0, position - added.length) + added;
    at("text").textContent = text;
  });
  for (const name of changes.split(" ")) on(name, readSoon);
  on("stream.end", () => { stop(); readSoon(); });
  on("stream.closing", ({ reason }) => reason === "revoked" ? fail("The live view has ended.") : renew());
  source.onerror = () => renew();
}

/** The record says more than its events: reads it again, as the host or else the stream gives it. */
function readSoon() {
  clearTimeout(reading);
  reading = setTimeout(async () => {
    if (!canCall) return peek();
    try { show(await call("get_job", { job_id: job.id })); } catch (error) { at("notice").textContent = error.message; }
  }, READ_AFTER_MS);
}

/** Reads the record from the beginning of a second stream. */
function peek() {
  look?.close();
  const first = (look = new EventSource(service + link + "&replay=0"));
  first.addEventListener("snapshot", (event) => { first.close(); show(JSON.parse(event.data)); });
  first.onerror = () => first.close();
}

function fail(message) {
  stop();
  at("notice").textContent = message;
}

/** Continues at a fresh address. */
function renew() {
  stop();
  if (ENDED.has(job.status)) return;
  if (failures++ >= MOST_FAILURES && !canCall) return fail("The live view has ended. Ask the assistant for the job.");
  timer = setTimeout(async () => {
    try {
      if (canCall) show(await call("get_job", { job_id: job.id }));
      follow();
    } catch {
      renew();
    }
  }, Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures));
}

new ResizeObserver(() => {
  const { scrollWidth: width, offsetHeight: height } = document.documentElement;
  send({ method: "ui/notifications/size-changed", params: { width, height } });
}).observe(document.body);

ask("ui/initialize", {
  protocolVersion: "2026-01-26",
  appInfo: { name: "troupe-job", title: "Job", version: "1.0.0" },
  appCapabilities: {},
}).then((said) => {
  canCall = said?.hostCapabilities?.serverTools !== undefined;
  dress(said?.hostContext);
  send({ method: "ui/notifications/initialized", params: {} });
  if (job !== null) showApprovals();
}, (error) => { at("notice").textContent = error.message; });
`;
