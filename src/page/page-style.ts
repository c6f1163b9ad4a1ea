/** The style of the page: two themes, a phone, paper. Sizes and colours are those of the dashboard. */
export const PAGE_STYLE = `
:root { color-scheme: light dark;
  --back: #f6f6f4; --card: #ffffff; --sunk: #f2f2ef; --ink: #1f1f1d; --dim: #63635e; --line: #dededa; --accent: #1d5fa8; --prompt: #eef4fb;
  --good: #1f7a45; --bad: #b3261e; --add: #e4f4e8; --add-ink: #14532d; --del: #fbe9e7; --del-ink: #8c1d18; }
@media (prefers-color-scheme: dark) { :root {
  --back: #161615; --card: #1e1e1c; --sunk: #181817; --ink: #e4e3df; --dim: #a09f98; --line: #363632; --accent: #86b7ea; --prompt: #1c2733;
  --good: #7ac294; --bad: #f0938b; --add: #1b3022; --add-ink: #a9dcb9; --del: #3a2120; --del-ink: #f1b6b0; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 12px; }
body { margin: 0; background: var(--back); color: var(--ink); font: 14px/20px system-ui, sans-serif; }
a { color: var(--accent); text-decoration: none; overflow-wrap: anywhere; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; border-radius: 3px; }
.skip { position: absolute; left: -999px; } .skip:focus { left: 8px; top: 8px; background: var(--card); padding: 4px 8px; }
.head, .frame { max-width: 1240px; margin: 0 auto; padding: 0 20px; }
.head { padding-top: 24px; padding-bottom: 16px; }
h1 { margin: 0 0 8px; font-size: 16px; line-height: 24px; font-weight: 600; overflow-wrap: anywhere; }
dl, dd, dt { margin: 0; }
.facts { display: flex; flex-wrap: wrap; gap: 2px 24px; font-size: 12px; line-height: 16px; color: var(--dim); }
.facts dt { display: inline; margin-right: 6px; } .facts dd { display: inline; color: var(--ink); font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.frame { display: grid; grid-template-columns: 264px minmax(0, 1fr); gap: 20px; align-items: start; padding-bottom: 48px; }
.contents { position: sticky; top: 12px; max-height: calc(100vh - 24px); overflow: auto; font-size: 12px; line-height: 16px; }
.contents h2 { margin: 0 0 4px 8px; font-size: 12px; line-height: 16px; font-weight: 600; color: var(--dim); }
.contents ol { list-style: none; margin: 0; padding: 0; }
.contents a { display: grid; grid-template-columns: 24px minmax(0, 1fr) auto; gap: 0 6px; padding: 5px 8px; border-radius: 6px; color: var(--ink); }
.contents a:hover { background: var(--sunk); text-decoration: none; }
.contents .number { color: var(--dim); text-align: right; font-variant-numeric: tabular-nums; }
.contents .what { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; overflow-wrap: anywhere; }
.contents .quiet { grid-column: 2 / 4; }
.amount { color: var(--dim); font-variant-numeric: tabular-nums; white-space: nowrap; }
.contents .left .what { color: var(--dim); text-decoration: line-through; }
main { min-width: 0; }
.turn { background: var(--card); border: 1px solid var(--line); border-radius: 6px; margin: 0 0 16px; padding: 0 16px 12px; }
.turn.left { border-style: dashed; background: transparent; }
.turn > header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 12px; padding: 10px 0 8px; }
.turn > header h2 { margin: 0; font-size: 14px; line-height: 20px; font-weight: 600; } .turn > header h2 a { color: var(--ink); }
.turn > header .facts { margin-left: auto; font-variant-numeric: tabular-nums; }
.badge { font-size: 12px; line-height: 16px; padding: 1px 8px; border: 1px solid var(--line); border-radius: 6px; color: var(--dim); }
.badge.bad { color: var(--bad); border-color: currentColor; }
.prompt { background: var(--prompt); border-radius: 6px; padding: 8px 12px; margin: 0 0 8px; }
.step { margin: 8px 0; } details.step, .fold { margin: 2px 0; } details + .step.said, .step.said + details { margin-top: 8px; }
.prompt p { white-space: pre-wrap; }
.said { overflow-wrap: anywhere; }
.said > :first-child { margin-top: 0; } .said > :last-child { margin-bottom: 0; }
.said p, .said ul, .said ol, .said blockquote, .said .code, .said .scroll { margin: 8px 0; }
.said h3, .said h4, .said h5, .said h6 { margin: 16px 0 6px; font-size: 14px; line-height: 20px; font-weight: 600; } .said h3 { font-size: 16px; line-height: 24px; }
.said ul, .said ol { padding-left: 24px; } .said li { margin: 2px 0; } .said li > p { margin: 4px 0; } .said li > ul, .said li > ol { margin: 2px 0; }
.said ul > li.task { list-style: none; margin-left: -20px; }
.said blockquote { padding-left: 12px; border-left: 3px solid var(--line); color: var(--dim); margin-left: 0; }
.said hr { border: 0; border-top: 1px solid var(--line); margin: 16px 0; }
code, pre { font: 12px/18px ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace; }
.said code { background: var(--sunk); border: 1px solid var(--line); border-radius: 4px; padding: 0 3px; overflow-wrap: anywhere; }
.said pre code { background: none; border: 0; padding: 0; overflow-wrap: normal; }
pre { margin: 6px 0; padding: 8px 10px; background: var(--sunk); border: 1px solid var(--line); border-radius: 6px; overflow: auto; max-height: 480px; white-space: pre; tab-size: 4; }
.code { position: relative; } .code pre { margin: 0; }
.language { position: absolute; right: 8px; top: 4px; font-size: 12px; line-height: 16px; color: var(--dim); background: var(--sunk); padding-left: 6px; }
pre.command { white-space: pre-wrap; overflow-wrap: anywhere; } pre.command::before { content: "$ "; color: var(--dim); }
.prompt pre.command { margin: 0; background: none; border: 0; padding: 0; } .prompt pre.command::before { content: ""; }
pre.output { white-space: pre-wrap; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: 13px; } th, td { border: 1px solid var(--line); padding: 4px 8px; text-align: left; vertical-align: top; overflow-wrap: normal; }
th { background: var(--sunk); font-weight: 600; } .right { text-align: right; } .center { text-align: center; }
.inert { color: var(--dim); text-decoration: underline dotted; } 
summary { cursor: pointer; padding: 3px 0; min-height: 26px; overflow-wrap: anywhere; list-style-position: outside; }
details > summary { margin-left: 14px; } details > .body { margin: 2px 0 8px 14px; }
summary::marker { color: var(--dim); font-size: 10px; } summary code { color: var(--ink); } summary b { font-weight: 600; }
.quiet { color: var(--dim); font-size: 12px; font-variant-numeric: tabular-nums; }
.clip { display: inline-block; max-width: 70%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; vertical-align: bottom; }
.mark { display: inline-block; width: 14px; text-align: center; } .done > summary .mark { color: var(--good); } .failed > summary .mark, .failed > summary b, .label { color: var(--bad); }
.failed > summary .quiet { color: var(--bad); }
.label { margin: 6px 0 0; font-weight: 600; font-size: 12px; line-height: 16px; }
.error { border-left: 3px solid var(--bad); padding-left: 12px; }
.agent > .body { border-left: 2px solid var(--line); padding-left: 12px; }
.note, .placeholder { color: var(--dim); font-size: 12px; line-height: 16px; margin: 8px 0; overflow-wrap: anywhere; } .note { border-top: 1px dashed var(--line); padding-top: 8px; }
.placeholder { border: 1px dashed var(--line); border-radius: 6px; padding: 6px 10px; }
.fields { display: grid; gap: 4px; font-size: 12px; line-height: 18px; margin: 6px 0; } .fields > div { display: grid; grid-template-columns: minmax(72px, max-content) minmax(0, 1fr); gap: 10px; }
.fields dt { color: var(--dim); } .fields dd { min-width: 0; overflow-wrap: anywhere; } .fields pre { margin: 0; }
.todos { margin: 6px 0; padding-left: 20px; }
.diff { padding: 4px 0; } .diff span { display: block; padding: 0 10px; min-height: 18px; width: max-content; min-width: 100%; }
.diff .added { background: var(--add); color: var(--add-ink); } .diff .removed { background: var(--del); color: var(--del-ink); } .diff .place { color: var(--dim); }
figure { margin: 8px 0; } img { max-width: 100%; max-height: 480px; border: 1px solid var(--line); border-radius: 6px; background: #fff; } figcaption { color: var(--dim); font-size: 12px; line-height: 16px; }
@media (max-width: 900px) { .frame { grid-template-columns: minmax(0, 1fr); } .contents { position: static; max-height: 40vh; border: 1px solid var(--line); border-radius: 6px; padding: 8px 0; background: var(--card); } }
@media (max-width: 600px) { .head, .frame { padding-left: 12px; padding-right: 12px; } .turn { padding: 0 10px 8px; } .turn > header .facts { margin-left: 0; width: 100%; } }
@media print { :root { --back: #fff; --card: #fff; } .frame { display: block; } .contents { position: static; max-height: none; overflow: visible; break-after: page; } pre, .contents { max-height: none; overflow: visible; white-space: pre-wrap; }
  .turn { border-color: #999; } .turn > header, summary { break-after: avoid; } details::details-content { content-visibility: visible; display: block; block-size: auto; } a { color: inherit; } }
`;
