import highlighter from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/cpp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

const LANGUAGES = { bash, c, css, diff, go, ini, java, javascript, json, markdown, python, ruby, rust, sql };
for (const [name, language] of Object.entries({ ...LANGUAGES, typescript, xml, yaml })) {
  highlighter.registerLanguage(name, language);
}

/** A piece of a line, and what it is in its language: `keyword`, `string`, or nothing. */
export type CodePiece = readonly [text: string, kind: string];

export type CodeLine = readonly CodePiece[];

/** Lines of code in their pieces. A language that is not known, or code that it stumbles over, is text. */
export function highlightLines(code: string, language: string | undefined): readonly CodeLine[] {
  if (language === undefined || !highlighter.getLanguage(language)) return asText(code);
  try {
    return linesOf(highlighter.highlight(code, { language, ignoreIllegals: true }).value);
  } catch {
    return asText(code);
  }
}

function asText(code: string): readonly CodeLine[] {
  return code.split("\n").map((line) => [[line, ""]]);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
};

/** What highlight.js answers is markup of nothing but spans: they become data, and no markup of anybody reaches the page. */
function linesOf(markup: string): readonly CodeLine[] {
  const lines: CodePiece[][] = [[]];
  const open: string[] = [];
  for (const [part] of markup.matchAll(/<span class="[^"]*">|<\/span>|[^<]+|</gu)) {
    if (part === "</span>") open.pop();
    else if (part.startsWith("<span")) open.push(kindOf(part));
    else {
      const text = part.replaceAll(/&(?:amp|lt|gt|quot|#x27);/gu, (entity) => ENTITIES[entity] ?? entity);
      for (const [place, line] of text.split("\n").entries()) {
        if (place > 0) lines.push([]);
        if (line !== "") lines.at(-1)?.push([line, open.findLast((kind) => kind !== "") ?? ""]);
      }
    }
  }
  return lines;
}

/** Many words of highlight.js in the few that have a colour. */
const KINDS: Readonly<Record<string, string>> = {
  comment: "comment",
  quote: "comment",
  keyword: "keyword",
  "selector-tag": "keyword",
  literal: "number",
  number: "number",
  symbol: "number",
  bullet: "number",
  string: "string",
  regexp: "string",
  addition: "string",
  link: "string",
  title: "title",
  section: "title",
  name: "title",
  built_in: "type",
  type: "type",
  "selector-class": "type",
  "selector-id": "type",
  attr: "attr",
  attribute: "attr",
  property: "attr",
  variable: "attr",
  "template-variable": "attr",
  meta: "keyword",
  deletion: "keyword",
};

function kindOf(span: string): string {
  const [first] = (/class="([^"]*)"/u.exec(span)?.[1] ?? "").split(" ");
  return KINDS[(first ?? "").replace(/^hljs-/u, "")] ?? "";
}
