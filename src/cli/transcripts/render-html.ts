import { toolTitle } from "../turn/tool-title.ts";
import { nameOf } from "./indexed-session-data.ts";
import type { MessageData } from "./message-data.ts";
import { shownText } from "./shown-text.ts";
import { durationOf, factsOf, labelOf, timeOf, type ShownSession } from "./render-session.ts";

/** The session as one page that needs nothing else: no script, no font, no picture from anywhere. */
export function renderHtml({ session, messages }: ShownSession): string {
  const title = escape(nameOf(session).split("\n")[0] ?? "");
  const cwd = session.project ?? "/";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>${title}</h1><p>${escape(factsOf(session))}</p></header>
<main>
${messages.map((message) => renderMessage(message, cwd)).join("\n")}
</main>
</body>
</html>
`;
}

function renderMessage(message: MessageData, cwd: string): string {
  const parts = [
    message.thinking === ""
      ? ""
      : `<details class="thinking"><summary>Thinking</summary><pre>${escape(message.thinking)}</pre></details>`,
    shownText(message.text) === "" ? "" : `<div class="text">${escape(shownText(message.text))}</div>`,
    ...message.tools.map((tool) => renderTool(tool, cwd)),
  ];
  return `<article class="${message.role} ${escape(message.kind)}"><h2>${escape(labelOf(message))}<time>${escape(timeOf(message))}</time></h2>${parts.join("")}</article>`;
}

function renderTool(tool: MessageData["tools"][number], cwd: string): string {
  const state = tool.result === null ? "open" : tool.is_error ? "failed" : "done";
  const input = escape(JSON.stringify(tool.input, null, 2) ?? "");
  const result = tool.result === null ? "" : `<pre>${escape(tool.result)}</pre>`;
  const title = `<b>${escape(tool.tool)}</b> <code>${escape(toolTitle(tool.input, cwd))}</code><span>${escape(durationOf(tool))}</span>`;
  return `<details class="tool ${state}"><summary>${title}</summary><pre class="input">${input}</pre>${result}</details>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/gu, (char) => ENTITIES[char] ?? char);
}

const STYLE = `
:root { color-scheme: light dark; --back: #fbfaf8; --card: #fff; --ink: #23211f; --dim: #78726b; --line: #e5e0d9; --user: #2563ab; --agent: #b4531f; --good: #2e7d4f; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --back: #1a1917; --card: #232220; --ink: #e9e6e1; --dim: #9b958c; --line: #383530; --user: #7fb2ea; --agent: #eba071; --good: #79c797; --bad: #f2867e; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
header, main { max-width: 52rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2.5rem; padding-bottom: 1rem; }
h1 { margin: 0 0 .4rem; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
header p, time, summary span { color: var(--dim); font-size: .85rem; overflow-wrap: anywhere; }
article { background: var(--card); border: 1px solid var(--line); border-left: 3px solid var(--agent); border-radius: 6px; margin: 0 0 .9rem; padding: .7rem 1rem .8rem; }
article.user { border-left-color: var(--user); }
article.meta, article.command-output, article.tool-result { opacity: .75; }
h2 { display: flex; gap: .75rem; justify-content: space-between; align-items: baseline; margin: 0 0 .35rem; font-size: .85rem; font-weight: 600; color: var(--agent); }
article.user h2 { color: var(--user); }
time { font-weight: 400; white-space: nowrap; }
.thinking + .text { margin-top: .5rem; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
details { margin-top: .5rem; border: 1px solid var(--line); border-radius: 5px; }
summary { cursor: pointer; padding: .3rem .6rem; overflow-wrap: anywhere; font-size: .9rem; }
.tool.done summary b { color: var(--good); } .tool.failed summary b { color: var(--bad); }
code, pre { font: .85rem/1.45 ui-monospace, monospace; }
pre { margin: 0; padding: .6rem .8rem; border-top: 1px solid var(--line); white-space: pre-wrap; overflow-wrap: anywhere; max-height: 30rem; overflow: auto; }
pre.input, .thinking pre { color: var(--dim); }
`;
