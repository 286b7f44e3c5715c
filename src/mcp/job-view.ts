/**
 * A job as a page that a client shows in its conversation (MCP-8, the extension MCP Apps): one self-contained file.
 * It is the same for every job: the client gives it the tool's result, and it follows the job's signed stream
 * (SSE-9).
 */
import { JOB_EVENTS } from "../../actors/job/events.ts";
import { escapeHtml } from "../http/document/page.ts";
import { JOB_VIEW_SCRIPT } from "./job-view-script.ts";

export const JOB_VIEW_URI = "ui://troupe/job";
export const JOB_VIEW_TYPE = "text/html;profile=mcp-app";

const JOB_VIEW_STYLE = `
:root { color-scheme: light dark; font: 14px/1.5 var(--font-sans, system-ui, sans-serif); }
body { margin: 0; padding: 12px 16px; color: var(--color-text-primary, light-dark(#1a1a1a, #f2f2f2));
  background: var(--color-background-primary, light-dark(#fff, #1c1c1c)); overflow-wrap: anywhere; }
h1 { font-size: 1em; margin: 0; }
#status, #notice { color: var(--color-text-secondary, light-dark(#555, #b5b5b5)); margin: 2px 0; }
#text { white-space: pre-wrap; margin: 8px 0; max-height: 24em; overflow: auto; }
section { border: 1px solid var(--color-border-primary, light-dark(#ccc, #555)); border-radius: 6px; padding: 8px 12px; margin: 8px 0; }
section p { margin: 0 0 4px; }
pre { margin: 0 0 8px; white-space: pre-wrap; max-height: 16em; overflow: auto; }
button { font: inherit; padding: 4px 12px; margin-right: 8px; }
`;

/** The events after which the page reads the record again. */
const CHANGES = Object.keys(JOB_EVENTS).filter((type) => /^(?:job|approval|review)\./.test(type));

/** The page for clients that reach the service at this address. */
export const jobViewPage = (appUrl: string): string => `<!doctype html>
<html lang="en" data-service="${escapeHtml(appUrl)}" data-changes="${CHANGES.join(" ")}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Job</title><style>${JOB_VIEW_STYLE}</style></head>
<body>
<main>
<h1 id="title">Job</h1>
<p id="status" role="status">Waiting for the job …</p>
<div id="text" tabindex="0" role="region" aria-label="Answer"></div>
<div id="approvals"></div>
<p id="notice" role="alert"></p>
</main>
<script>${JOB_VIEW_SCRIPT}</script>
</body>
</html>
`;

/** The answer of `resources/read`: it limits the page's connections to the service. */
export const jobViewResource = (appUrl: string) => ({
  uri: JOB_VIEW_URI,
  mimeType: JOB_VIEW_TYPE,
  text: jobViewPage(appUrl),
  _meta: { ui: { csp: { connectDomains: [new URL(appUrl).origin], resourceDomains: [] }, prefersBorder: true } },
});
