import { Check, Copy } from "lucide-react";
import { useState, type ReactNode } from "react";
import { IconButton } from "./button.tsx";
import styles from "./copy.module.css";

/** Copies a text, and says so. */
export function CopyButton({
  text,
  label = "Copy",
}: {
  readonly text: string | (() => string | Promise<string>);
  readonly label?: string;
}): ReactNode {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(typeof text === "string" ? text : await text());
    setCopied(true);
    window.setTimeout(() => setCopied(false), 1200);
  };
  return (
    <IconButton
      label={isCopied ? "Copied" : label}
      icon={isCopied ? <Check /> : <Copy />}
      onClick={() => void copy()}
    />
  );
}

/** A command to copy and run. */
export function CopyLine({ text }: { readonly text: string }): ReactNode {
  return (
    <div className={styles["line"]}>
      <code className="cut">{text}</code>
      <CopyButton text={text} label="Copy the command" />
    </div>
  );
}
