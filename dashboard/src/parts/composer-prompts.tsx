import { Plus, X } from "lucide-react";
import type { ReactNode } from "react";
import { Button, IconButton } from "./button.tsx";
import type { Composing } from "./composer.tsx";
import styles from "./composer.module.css";
import { ErrorLine } from "./note.tsx";
import { PromptField } from "./prompt-field.tsx";

const MOST_PROMPTS = 50;

/** What the agent should do: one prompt, or those that are tried. */
export function PromptFields({
  composing: { draft, change, errorOf },
  onFiles,
}: {
  readonly composing: Composing;
  readonly onFiles: ((files: readonly File[]) => void) | undefined;
}): ReactNode {
  const isSearch = draft.kind === "search";
  const prompts = isSearch ? draft.prompts : draft.prompts.slice(0, 1);
  const set = (place: number, prompt: string): void =>
    change({ prompts: draft.prompts.map((before, each) => (each === place ? prompt : before)) });
  return (
    <div className={styles["prompts"]}>
      {isSearch && (
        <p className="quiet small">Each prompt is tried on branches beside the directory, which keeps its files.</p>
      )}
      {prompts.map((prompt, place) => (
        <div key={place} className={styles["promptRow"]}>
          <PromptField
            label={isSearch ? `Prompt ${place + 1}` : "Prompt"}
            placeholder="What should the agent do? / for commands, @ for files"
            rows={isSearch ? 3 : 6}
            isFocused={place === 0}
            workspace={draft.workspace}
            value={prompt}
            onChange={(next) => set(place, next)}
            onFiles={onFiles}
          />
          {isSearch && draft.prompts.length > 1 && (
            <IconButton
              label={`Take prompt ${place + 1} away`}
              icon={<X />}
              onClick={() => change({ prompts: draft.prompts.filter((_, each) => each !== place) })}
            />
          )}
        </div>
      ))}
      <ErrorLine error={errorOf("prompt")} />
      {isSearch && (
        <Button
          size="small"
          look="quiet"
          icon={<Plus />}
          disabled={draft.prompts.length >= MOST_PROMPTS}
          onClick={() => change({ prompts: [...draft.prompts, ""] })}
        >
          Another prompt
        </Button>
      )}
    </div>
  );
}
