import type { QuestionData } from "../../../src/monitor/api-types.ts";
import { fieldsOf, textOf } from "./tool-words.ts";

/** What an agent wants to be told, as its tool `AskUserQuestion` has it. */
export interface Asked {
  readonly question: string;
  readonly header: string;
  readonly isMulti: boolean;
  readonly options: readonly { readonly label: string; readonly description: string }[];
}

/** What a person has chosen so far of one question: options by their labels, and words of their own. */
export interface Chosen {
  readonly labels: readonly string[];
  readonly words: string;
}

export type ChosenAnswers = Readonly<Record<string, Chosen>>;

const NOTHING: Chosen = { labels: [], words: "" };

export function chosenOf(chosen: ChosenAnswers, question: string): Chosen {
  return Object.hasOwn(chosen, question) ? (chosen[question] ?? NOTHING) : NOTHING;
}

/** The questions of a call; what is not as expected is left out. */
export function askedIn({ input }: Pick<QuestionData, "input">): readonly Asked[] {
  const { questions } = fieldsOf(input);
  if (!Array.isArray(questions)) return [];
  return questions.map((each: unknown) => {
    const fields = fieldsOf(each);
    const { options } = fields;
    return {
      question: textOf(fields, "question"),
      header: textOf(fields, "header"),
      isMulti: fields["multiSelect"] === true,
      options: Array.isArray(options) ? options.map(optionOf) : [],
    };
  });
}

/** A person's choice with an option taken or put back; of a question with one answer the new one replaces the old. */
export function choose({ isMulti }: Asked, { labels, words }: Chosen, label: string): Chosen {
  if (!isMulti) return { labels: [label], words: "" };
  return { words, labels: labels.includes(label) ? labels.filter((each) => each !== label) : [...labels, label] };
}

/** A person's choice with words of their own, which replace an option where only one answer is taken. */
export function write({ isMulti }: Asked, { labels }: Chosen, words: string): Chosen {
  return { words, labels: isMulti || words.trim() === "" ? labels : [] };
}

/** The answers as they are sent, by each question's text; undefined until all are given. */
export function answersOf(
  asked: readonly Asked[],
  chosen: ChosenAnswers,
): Readonly<Record<string, string>> | undefined {
  const answers = asked.map(({ question, options }) => {
    const { labels, words } = chosenOf(chosen, question);
    const inOrder = options.map(({ label }) => label).filter((label) => labels.includes(label));
    return [question, [...inOrder, words.trim()].filter(Boolean).join(", ")] as const;
  });
  return answers.every(([, answer]) => answer !== "") ? Object.fromEntries(answers) : undefined;
}

/** Reads choices that were kept as a draft. */
export function parseChosen(draft: string): ChosenAnswers {
  try {
    const read = Object.entries(fieldsOf(JSON.parse(draft))).map(([question, value]) => {
      const fields = fieldsOf(value);
      const { labels } = fields;
      const known = Array.isArray(labels) ? labels.filter((label) => typeof label === "string") : [];
      return [question, { labels: known, words: textOf(fields, "words") }] as const;
    });
    return Object.fromEntries(read);
  } catch {
    return {};
  }
}

function optionOf(option: unknown): Asked["options"][number] {
  const fields = fieldsOf(option);
  return { label: textOf(fields, "label"), description: textOf(fields, "description") };
}
