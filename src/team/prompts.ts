import type { Evidence } from "./evidence.ts";
import type { Plan, WorkItem } from "./plan.ts";
import type { Verdict } from "./verdict.ts";

// What a manager and its workers are told: everything that they know of each other. The first line is what the history shows.

interface Terms {
  readonly gates: readonly string[];
  readonly protect: readonly string[];
}

export function planPrompt(goal: string, { workers, gates, protect }: Terms & { readonly workers: number }): string {
  return sections([
    `Plan the work of a team: ${firstLine(goal)}`,
    "You manage a team of coding agents. Make a plan for the goal below. Read what you need to of this directory first; change nothing.",
    `# Goal\n\n${goal}`,
    `# The plan\n\nAnswer with items that one worker can do each, with a title, a description that says all a worker has to know, acceptance criteria, the ids of the items that have to be done before, a priority and an effort. ${workers === 1 ? "One worker takes them one after another." : `${workers} workers take items that depend on nothing open at the same time, each in a copy of its own: keep those apart from each other.`} As few items as do the work well.`,
    termsText({ gates, protect }),
  ]);
}

export function planAgainPrompt(problem: string): string {
  return `The plan cannot be followed: ${problem}. Answer with the whole plan again, without that.`;
}

export function itemPrompt(
  goal: string,
  { item, approach, terms }: { readonly item: WorkItem; readonly approach: string; readonly terms: Terms },
): string {
  return sections([
    `Do one item of a plan: ${item.title} (${item.id})`,
    "Do this item and nothing else. Commit nothing: accepted work is put together for you.",
    itemText(item),
    `# What it is for\n\n${goal}`,
    approach && `# An earlier attempt failed. Another approach\n\n${approach}`,
    termsText(terms),
    "Your work is judged by what is in the files afterwards and by what the gates say, not by what you answer.",
  ]);
}

export function feedbackPrompt(item: WorkItem, { issues, requiredChanges }: Verdict): string {
  return sections([
    `Not approved yet: ${item.title}`,
    list("What is wrong", issues),
    list("What has to be done", requiredChanges),
    "Go on in the files as they are.",
  ]);
}

export function conflictPrompt(item: WorkItem, paths: readonly string[]): string {
  return sections([
    `Settle a conflict: ${item.title}`,
    `Your work on this item was approved. Meanwhile others changed the same lines, and both are now in the files, between the marks <<<<<<< and >>>>>>>.`,
    list("Files with marks", paths),
    "Settle each of them so that both changes do what they are for, and remove the marks. What is above ======= or below it is theirs or yours: read both before you decide.",
  ]);
}

export function reviewPrompt(goal: string, { item, evidence }: Reviewed): string {
  return sections([
    `Review the work on an item: ${item.title} (${item.id})`,
    `The files of this directory are as the worker left them: read what you need to. Judge by the evidence, not by what the worker says. Approve it only if its acceptance criteria hold.`,
    itemText(item),
    `# What it is for\n\n${goal}`,
    evidenceText(evidence),
  ]);
}

export function remedyPrompt(
  { item, history, reason }: { readonly item: WorkItem; readonly history: readonly Verdict[]; readonly reason: string },
  { actions, dependents }: { readonly actions: readonly string[]; readonly dependents: readonly string[] },
): string {
  return sections([
    `Decide what becomes of an item: ${item.title} (${item.id})`,
    `It is not done: ${reason}.`,
    list(
      "What was wrong, round by round",
      history.map(({ issues }) => issues.join("; ")),
    ),
    list("What you may choose", actions),
    dependents.length > 0 && `These items depend on it: ${dependents.join(", ")}.`,
  ]);
}

interface Reviewed {
  readonly item: WorkItem;
  readonly evidence: Evidence;
}

/** A plan as a person reads it, who is asked whether it may be followed. */
export function planText(goal: string, { items, protect }: Plan): string {
  const told = items.map(({ id, title, description, acceptanceCriteria, dependencies }) =>
    sections([
      `## ${id}: ${title}`,
      description,
      list("Done when", acceptanceCriteria),
      dependencies.length > 0 && `After ${dependencies.join(", ")}`,
    ]),
  );
  return sections([`# ${goal}`, ...told, list("Protected", protect)]);
}

function itemText({ id, title, description, acceptanceCriteria }: WorkItem): string {
  return sections([`# ${title} (${id})\n\n${description}`, list("Acceptance criteria", acceptanceCriteria)]);
}

function termsText({ gates, protect }: Terms): string {
  return sections([
    list("Gates: commands that have to end with exit code 0", gates.map(inline)),
    list("Files that nobody may change", protect.map(inline)),
  ]);
}

const MOST_OUTPUT_CHARACTERS = 4000;

function evidenceText({ changes, patch, isPatchCut, gates, toolErrors, costUsd, claim }: Evidence): string {
  return sections([
    list(
      "Files changed",
      changes.map((change) => `${change.type} ${inline(change.path)}`),
    ),
    `# Patch${isPatchCut ? " (its beginning; read the files for the rest)" : ""}\n\n${fenced(patch, "diff")}`,
    list(
      "Gates",
      gates.map(({ command, passed, ending }) => `${inline(command)}: ${passed ? "passed" : `failed, ${ending}`}`),
    ),
    `# Figures\n\nTool calls that failed or were denied: ${toolErrors}. Cost: $${costUsd.toFixed(4)}.`,
    `# What the worker says of it\n\n${fenced(claim.slice(0, MOST_OUTPUT_CHARACTERS))}`,
  ]);
}

function list(title: string, entries: readonly string[]): string {
  return entries.length === 0 ? "" : `# ${title}\n\n${entries.map((entry) => `- ${entry}`).join("\n")}`;
}

function inline(text: string): string {
  return `\`${text.replaceAll("`", "'")}\``;
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}

/** What an agent wrote must not end the fence around it. */
function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`{3,}/gu), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function sections(parts: readonly (string | false | undefined)[]): string {
  return parts.filter(Boolean).join("\n\n");
}
