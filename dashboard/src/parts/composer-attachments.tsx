import { FileText, Paperclip, X } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import type { StartRun } from "../../../src/monitor/api-types.ts";
import { attachmentName, MOST_ATTACHED_BYTES, MOST_ATTACHMENTS } from "./attachment-name.ts";
import { Button, IconButton } from "./button.tsx";
import styles from "./composer.module.css";
import { bytesText } from "./format.ts";
import { ErrorLine } from "./note.tsx";

interface Attached {
  readonly name: string;
  readonly file: File;
  /** Its content as base64, once it is read. */
  readonly content: string | undefined;
}

/** The files that are sent along with a prompt. */
export interface Attachments {
  readonly files: readonly Attached[];
  readonly ready: NonNullable<StartRun["attachments"]>;
  readonly isReady: boolean;
  readonly refusal: string | undefined;
  readonly add: (files: readonly File[]) => void;
  readonly remove: (name: string) => void;
}

export function useAttachments(isTaking: boolean): Attachments {
  const [files, setFiles] = useState<readonly Attached[]>([]);
  const [refusal, setRefusal] = useState<string | undefined>();
  const add = (added: readonly File[]): void => {
    const all = [...files];
    for (const file of added)
      all.push({
        name: attachmentName(
          file.name,
          all.map(({ name }) => name),
        ),
        file,
        content: undefined,
      });
    const bytes = all.reduce((sum, { file }) => sum + file.size, 0);
    const tooMany = all.length > MOST_ATTACHMENTS ? `${MOST_ATTACHMENTS} files are the most` : undefined;
    const tooLarge =
      bytes > MOST_ATTACHED_BYTES
        ? `${bytesText(bytes)} are too much: ${bytesText(MOST_ATTACHED_BYTES)} for all files together`
        : undefined;
    setRefusal(tooMany ?? tooLarge);
    if (tooMany !== undefined || tooLarge !== undefined) return;
    setFiles(all);
    for (const { name, file } of all.slice(files.length)) void readInto(name, file);
  };
  const readInto = async (name: string, file: File): Promise<void> => {
    try {
      const content = await readBase64(file);
      setFiles((before) => before.map((each) => (each.file === file ? { ...each, content } : each)));
    } catch {
      setRefusal(`${name} cannot be read`);
      setFiles((before) => before.filter((each) => each.file !== file));
    }
  };
  useDropped(isTaking ? add : undefined);
  return {
    files,
    ready: files.flatMap(({ name, content }) => (content === undefined ? [] : [{ name, content_base64: content }])),
    isReady: files.every(({ content }) => content !== undefined),
    refusal,
    add,
    remove: (name) => setFiles((before) => before.filter((each) => each.name !== name)),
  };
}

/** Files that are dropped anywhere on the page. */
function useDropped(take: ((files: readonly File[]) => void) | undefined): void {
  const current = useRef(take);
  useEffect(() => {
    current.current = take;
  });
  useEffect(() => {
    const hear = (event: DragEvent): void => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      if (event.type === "drop") current.current?.([...event.dataTransfer.files]);
    };
    document.addEventListener("dragover", hear);
    document.addEventListener("drop", hear);
    return () => {
      document.removeEventListener("dragover", hear);
      document.removeEventListener("drop", hear);
    };
  }, []);
}

async function readBase64(file: File): Promise<string> {
  return await new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () =>
      resolve(typeof reader.result === "string" ? (reader.result.split(",")[1] ?? "") : ""),
    );
    reader.addEventListener("error", () => reject(reader.error ?? new Error("It cannot be read")));
    reader.readAsDataURL(file);
  });
}

/** The files that are sent along, pictures as pictures. */
export function AttachmentList({
  attachments: { files, refusal, add, remove },
  error,
}: {
  readonly attachments: Attachments;
  readonly error: unknown;
}): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className={styles["attachments"]}>
      {files.map(({ name, file, content }) => (
        <span key={name} className={styles["attachment"]}>
          {file.type.startsWith("image/") && content !== undefined ? (
            <Picture type={file.type} content={content} />
          ) : (
            <FileText aria-hidden />
          )}
          <span className="cut" title={name}>
            {name}
          </span>
          <span className="number quiet">{bytesText(file.size)}</span>
          <IconButton label={`Take ${name} away`} icon={<X />} onClick={() => remove(name)} />
        </span>
      ))}
      <Button size="small" look="quiet" icon={<Paperclip />} onClick={() => input.current?.click()}>
        Attach files
      </Button>
      <span className="quiet small">
        or drop or paste them: images, PDFs, texts; {MOST_ATTACHMENTS} files, {bytesText(MOST_ATTACHED_BYTES)} together
      </span>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ target }) => {
          add([...(target.files ?? [])]);
          target.value = "";
        }}
      />
      <ErrorLine error={refusal === undefined ? error : new Error(refusal)} />
    </div>
  );
}

/** The page's Content-Security-Policy lets pictures be data, and no address of a blob. */
function Picture({ type, content }: { readonly type: string; readonly content: string }): ReactNode {
  return <img src={`data:${type};base64,${content}`} alt="" />;
}
