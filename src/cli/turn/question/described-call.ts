/** A tool call as a person has to judge it. */
export interface DescribedCall {
  /** What the tool would do, as the end of a sentence: "run a command". */
  readonly action: string;
  /** What makes it more than that, each in a few words: "Outside the sandbox". */
  readonly warnings: readonly string[];
  /** Whether a stray key must not be enough for it, nor an answer for good. */
  readonly isRisky: boolean;
  /** Its particulars: the file, the host, what the agent says of it. */
  readonly facts: readonly Fact[];
  /** The command, the text or the change, whole. */
  readonly body: readonly BodyLine[];
}

/** A particular of a call. */
export interface Fact {
  readonly name: string;
  readonly value: string;
}

/** A line of what is asked for. */
export interface BodyLine {
  readonly text: string;
  /** Whether a change puts it in or takes it out. */
  readonly change?: "added" | "removed";
}
