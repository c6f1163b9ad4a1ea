import { z } from "zod";
import { parseEvent, type EventOf, type RunAbout } from "../../core/internal.ts";
import { asData } from "../../protocol/index.ts";

/** A question that waits for somebody, with the run that it is asked in. */
export interface OpenQuestion
  extends Omit<EventOf<"question-asked">, "type" | "timestamp">, Pick<RunAbout, "run" | "workspace" | "directory"> {
  readonly askedAt: string;
}

/** A question that is closed. */
export interface AnsweredQuestion {
  readonly questionId: string;
  readonly decision: "allow" | "deny";
  readonly by: string;
}

const text = z.string();

export const QuestionData = z.strictObject({
  question_id: text.describe("The question's id: its answer is sent to `/api/questions/{question}/answer`"),
  run: text.describe("The run that it is asked in"),
  workspace: text.describe("The workspace's path"),
  directory: text.describe("The directory that the agent works in: another one on a branch"),
  kind: z
    .enum(["permission", "question", "plan"])
    .describe("Whether a call is to be allowed, the agent wants to be told something, or its plan is to be approved"),
  asked_on: z
    .enum(["terminal", "remote"])
    .describe("Where it is answered: at the terminal of the run, or here, where it was started with `--ask remote`"),
  tool_use_id: text.describe("The call's id"),
  tool: text.describe("The tool's name"),
  input: z.unknown().describe("What the tool would be given, whole"),
  is_sandboxed: z.boolean().describe("Whether the call is a command that runs in the sandbox"),
  action: text.nullable().describe('What the tool would do, as the end of a sentence: "run a command"'),
  warnings: z.array(text).describe("What makes it more than that, each in a few words"),
  reason: text.nullable().describe("Why the CLI asks, in its own words"),
  blocked_path: text.nullable().describe("The path that made the CLI ask"),
  agent_id: text.nullable().describe("The sub-agent that calls; null in the main conversation"),
  rules: z
    .array(text)
    .describe("Rules that can be allowed with it for the rest of the session; an answer names them by their places"),
  asked_at: text.describe("When it was asked, ISO 8601"),
  deadline: text.nullable().describe("When it is denied, if nobody has answered it; null where it has none"),
});

export type QuestionData = z.infer<typeof QuestionData>;

export function toQuestionData(question: OpenQuestion): QuestionData {
  return asData(QuestionData, question);
}

/** Reads a question from a line of a journal; undefined where it is none that this version knows. */
export function readAsked(
  line: unknown,
  { run, workspace, directory }: Pick<RunAbout, "run" | "workspace" | "directory">,
): OpenQuestion | undefined {
  const event = readEvent(line, "question-asked");
  if (!event) return undefined;
  const { type: _, timestamp: askedAt, ...asked } = event;
  return { ...asked, run, workspace, directory, askedAt };
}

export function readAnswered(line: unknown): AnsweredQuestion | undefined {
  const event = readEvent(line, "question-answered");
  return event && { questionId: event.questionId, decision: event.decision, by: event.by };
}

function readEvent<Type extends "question-asked" | "question-answered">(
  line: unknown,
  type: Type,
): EventOf<Type> | undefined {
  try {
    const event = parseEvent(line);
    return event.type === type ? (event as EventOf<Type>) : undefined;
  } catch {
    return undefined;
  }
}
