import { createHash } from "node:crypto";
import type { Subagent } from "../transcript/internal.ts";
import { formatDuration, formatNumberOf, formatUsd, dotted } from "../terminal/index.ts";
import { costText, nameOf, tokensText, toUsageData } from "./session-data.ts";
import { escapeHtml, renderFolded } from "./html-parts.ts";
import { PAGE_STYLE } from "./page-style.ts";
import { renderMessage, renderPrompt, type MessageSetting, nameOfSubagent } from "./render-message.ts";
import { shownText } from "./said.ts";
import { modelsOf, momentOf, type PageTurn, type SessionPage } from "./session-page.ts";

/** The session as one page that needs nothing else: no script, no font, nothing from anywhere. */
export function renderPage(page: SessionPage): string {
  const title = escapeHtml(firstLine(nameOf(page.head)) || page.head.session_id);
  const setting = settingOf(page);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<a class="skip" href="#conversation">To the conversation</a>
<header class="head"><h1>${title}</h1>${renderFacts(page)}</header>
<div class="frame">
${renderContents(page)}
<main id="conversation">
${page.isPart ? `<p class="placeholder">Only a part of the session is shown.</p>` : ""}
${page.turns.map((turn) => renderTurn(turn, setting)).join("\n")}
${renderStrays(page, setting)}
</main>
</div>
</body>
</html>
`;
}

/** Only the style of this page, and pictures that it holds itself: whatever a transcript may smuggle in runs and loads nothing. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(PAGE_STYLE).digest("base64")}'; img-src data:; base-uri 'none'; form-action 'none'`;

function renderFacts({ head, turns }: SessionPage): string {
  const facts: readonly (readonly [string, string])[] = [
    ["Cost", costText(head.usage)],
    ["Tokens", tokensText(head.usage)],
    ["Turns", String(turns.filter(({ prompt }) => prompt !== undefined).length)],
    ["Model", modelsOf(head)],
    ["Started", momentOf(head.started_at)],
    ["Project", head.project ?? ""],
    ["Session", head.session_id],
  ];
  const shown = facts
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`);
  return `<dl class="facts">${shown.join("")}</dl>`;
}

function renderContents({ turns }: SessionPage): string {
  const items = turns.map((turn) => {
    const marks = dotted([turn.mark ?? "", turn.failures > 0 && `✗ ${turn.failures} failed`]);
    const note = marks === "" ? "" : `<span class="quiet">${escapeHtml(marks)}</span>`;
    return `<li${turn.mark === undefined ? "" : ' class="left"'}><a href="#turn-${turn.number}"><span class="number">${turn.number === 0 ? "" : turn.number}</span><span class="what">${escapeHtml(nameOfTurn(turn))}</span><span class="amount">${escapeHtml(costOf(turn))}</span>${note}</a></li>`;
  });
  return `<nav class="contents" aria-label="Turns"><h2>Turns</h2><ol>${items.join("\n")}</ol></nav>`;
}

function renderTurn(turn: PageTurn, setting: MessageSetting): string {
  const { number, prompt, messages, mark } = turn;
  const facts = dotted([
    costOf(turn),
    turn.usage.messages > 0 && `${tokensText(toUsageData(turn.usage))} tokens`,
    turn.durationMs !== undefined && formatDuration(turn.durationMs),
    momentOf((prompt ?? messages[0])?.timestamp),
  ]);
  const badges = [
    mark === undefined ? "" : `<span class="badge">↶ ${mark}: not part of the current conversation</span>`,
    turn.failures > 0 ? `<span class="badge bad">✗ ${formatNumberOf(turn.failures, "failed call")}</span>` : "",
  ];
  const steps = messages.map((message) => renderMessage(message, setting)).filter((step) => step !== "");
  return `<section class="turn${mark === undefined ? "" : " left"}" id="turn-${number}" aria-labelledby="title-${number}">
<header><h2 id="title-${number}"><a href="#turn-${number}">${prompt ? `Turn ${number}` : "Before the first prompt"}</a></h2>${badges.join("")}<span class="facts">${escapeHtml(facts)}</span></header>
${prompt ? renderPrompt(prompt) : ""}
${steps.join("\n")}
</section>`;
}

function settingOf({ head, turns, subagents, strays, usageOf }: SessionPage): MessageSetting {
  const called = new Set(
    [
      ...turns.flatMap(({ messages }) => messages),
      ...[...subagents.values(), strays].flat().flatMap(({ messages }) => messages),
    ].flatMap(({ toolUses }) => toolUses.map(({ id }) => id)),
  );
  const setting: MessageSetting = {
    cwd: head.project ?? "/",
    isCalled: (id) => called.has(id),
    renderSubagents: (id) =>
      (subagents.get(id) ?? []).map((subagent) => renderSubagent(subagent, setting, usageOf)).join(""),
  };
  return setting;
}

function renderSubagent(subagent: Subagent, setting: MessageSetting, usageOf: SessionPage["usageOf"]): string {
  const usage = toUsageData(usageOf(subagent));
  const facts = `${formatNumberOf(subagent.messages.length, "message")} · ${tokensText(usage)} tokens · ${costText(usage)}`;
  const summary = `<span class="mark" aria-hidden="true">⤷</span> <b>${escapeHtml(nameOfSubagent(subagent))}</b> <span class="quiet">${escapeHtml(facts)}</span>`;
  const steps = subagent.messages.map((message) => renderMessage(message, setting)).filter((step) => step !== "");
  return renderFolded(summary, steps.join("\n"), { className: "step agent" });
}

/** Sub-agents whose call is not in the transcript, or is too deep inside others. */
function renderStrays({ strays, usageOf }: SessionPage, setting: MessageSetting): string {
  if (strays.length === 0) return "";
  // Without those within them: a ring of sub-agents that started each other has no end.
  const flat: MessageSetting = { ...setting, renderSubagents: () => "" };
  const shown = strays.map((subagent) => renderSubagent(subagent, flat, usageOf)).join("\n");
  return `<section class="turn" id="sub-agents"><header><h2>Sub-agents whose call is not here</h2></header>${shown}</section>`;
}

function nameOfTurn({ prompt }: PageTurn): string {
  if (prompt === undefined) return "Before the first prompt";
  return firstLine(prompt.text) || (prompt.images.length > 0 ? "(an image)" : "(nothing said)");
}

/** The first words, without the marks of a heading or of a line break. */
function firstLine(text: string): string {
  const line = shownText(text).split("\n", 1)[0] ?? "";
  return line
    .replace(/^[#>\s]{1,10}/u, "")
    .replace(/\\$/u, "")
    .slice(0, 160);
}

function costOf({ usage }: PageTurn): string {
  return usage.messages === 0 ? formatUsd(0) : costText(toUsageData(usage));
}
