import { type ReactNode } from "react";
import styles from "./composer.module.css";

const MOST_LETTERS = 100_000;

/** A prompt as it is written; files that are pasted into it are sent along. */
export function PromptField({
  label,
  placeholder,
  rows,
  isFocused,
  value,
  onChange,
  onFiles,
}: {
  readonly label: string;
  readonly placeholder: string;
  readonly rows: number;
  readonly isFocused: boolean;
  /** The workspace whose files and commands complete what is written; empty where it is none. */
  readonly workspace: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onFiles: ((files: readonly File[]) => void) | undefined;
}): ReactNode {
  return (
    <textarea
      // oxlint-disable-next-line jsx-a11y/no-autofocus -- the form was opened to write a prompt
      autoFocus={isFocused}
      className={styles["prompt"]}
      aria-label={label}
      placeholder={placeholder}
      rows={rows}
      maxLength={MOST_LETTERS}
      value={value}
      onChange={({ target }) => onChange(target.value)}
      onPaste={(event) => {
        const files = [...event.clipboardData.files];
        if (files.length === 0 || onFiles === undefined) return;
        event.preventDefault();
        onFiles(files);
      }}
    />
  );
}
