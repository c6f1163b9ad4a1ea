import type { ReactNode } from "react";
import { fieldsOf } from "./question-answers.ts";
import styles from "./question-card.module.css";
import { visibleText } from "./visible-text.ts";

/** What a tool would be given: a command as its lines, anything else as its fields. */
export function CallInput({ tool, input }: { readonly tool: string; readonly input: unknown }): ReactNode {
  const { command } = fieldsOf(input);
  const text = tool === "Bash" && typeof command === "string" ? command : JSON.stringify(input, null, 2);
  return <pre className={styles["input"]}>{visibleText(text)}</pre>;
}
