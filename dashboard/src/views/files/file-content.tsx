import type { ReactNode } from "react";
import type { FileContent as Content } from "../../../../src/monitor/api-types.ts";
import { useDiff, useFile } from "../../data/queries.ts";
import { useParam, useSetParams } from "../../data/url.ts";
import { Code } from "../../parts/code.tsx";
import { CopyButton } from "../../parts/copy.tsx";
import { Diff } from "../../parts/diff.tsx";
import { bytesText } from "../../parts/format.ts";
import { Images } from "../../parts/images.tsx";
import { Answered, Empty } from "../../parts/note.tsx";
import { Switcher } from "../../parts/switcher.tsx";
import { visibleText } from "../../parts/visible-text.ts";
import type { ChangeType, FileItem } from "./file-tree.ts";
import styles from "./files.module.css";

/** A file as a state has it, or what is different in it from the state before. */
export function FileContent({
  workspace,
  state,
  path,
  item,
  change,
}: {
  readonly workspace: string;
  readonly state: string;
  readonly path: string;
  readonly item: FileItem | undefined;
  readonly change: ChangeType | undefined;
}): ReactNode {
  const wanted = useParam("show");
  const set = useSetParams();
  const isDeleted = change === "deleted";
  const show = isDeleted || (wanted === "changes" && change !== undefined) ? "changes" : "content";
  return (
    <>
      <header className={styles["contentHead"]}>
        <span className={`${styles["path"]} mono`} title={visibleText(path)} dir="ltr">
          {visibleText(path)}
        </span>
        <CopyButton text={path} label="Copy the path" />
        <span className={styles["gap"]} />
        {item && <span className="quiet number">{item.kind === "symlink" ? "link" : bytesText(item.size_bytes)}</span>}
        {item?.kind === "file" && item.mode.endsWith("755") && <span className="quiet small">executable</span>}
        {change !== undefined && (
          <Switcher
            label="What is shown"
            value={show}
            choices={[
              ...(isDeleted ? [] : [{ value: "content" as const, label: "Content" }]),
              { value: "changes" as const, label: isDeleted ? "What was deleted" : "Changes" },
            ]}
            onChange={(next) => set({ show: next === "changes" ? next : undefined })}
          />
        )}
      </header>
      <div className={styles["contentBody"]}>
        {show === "changes" ? (
          <Changes workspace={workspace} state={state} path={path} />
        ) : (
          <Whole key={path} workspace={workspace} state={state} path={path} item={item} />
        )}
      </div>
    </>
  );
}

function Changes({
  workspace,
  state,
  path,
}: {
  readonly workspace: string;
  readonly state: string;
  readonly path: string;
}): ReactNode {
  const diff = useDiff(workspace, state, { path });
  return (
    <Answered query={diff} what="the changes">
      {({ patch }) =>
        patch === "" ? (
          <Empty title="Nothing to show: its content is the same" />
        ) : (
          <Diff patch={patch} hasHeaders={false} isFilling />
        )
      }
    </Answered>
  );
}

function Whole({
  workspace,
  state,
  path,
  item,
}: {
  readonly workspace: string;
  readonly state: string;
  readonly path: string;
  readonly item: FileItem | undefined;
}): ReactNode {
  const file = useFile(workspace, state, path);
  return (
    <Answered query={file} what="the file">
      {(content) => (
        <>
          {item?.kind === "symlink" ? (
            <p className={styles["said"]}>
              A link to <code>{visibleText(content.content)}</code>
            </p>
          ) : (
            <Shown content={content} />
          )}
          {content.is_cut && (
            <p className={styles["note"]}>Only its beginning is shown: it has {bytesText(content.size_bytes)}.</p>
          )}
        </>
      )}
    </Answered>
  );
}

const PICTURES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
};

function Shown({
  content: { path, content, encoding, size_bytes: size, is_cut: isCut },
}: {
  readonly content: Content;
}): ReactNode {
  if (size === 0) return <p className={styles["said"]}>This file is empty.</p>;
  if (encoding === "utf8") return <Code text={content} path={path} isNumbered isFilling isPlain />;
  const type = PICTURES[path.split(".").at(-1)?.toLowerCase() ?? ""];
  if (type !== undefined && !isCut) {
    return (
      <div className={styles["picture"]}>
        <Images blocks={[{ type: "image", source: { type: "base64", media_type: type, data: content } }]} />
      </div>
    );
  }
  return (
    <div className={styles["said"]}>
      <p>This file is binary: {bytesText(size)}.</p>
      <pre>{hexLines(content)}</pre>
    </div>
  );
}

const HEX_BYTES = 256;

/** The first bytes, sixteen a line. */
function hexLines(base64: string): string {
  const bytes = [...atob(base64.slice(0, Math.ceil(HEX_BYTES / 3) * 4))].map((each) => each.charCodeAt(0));
  const lines: string[] = [];
  const width = Math.min(16, bytes.length) * 3 - 1;
  for (let start = 0; start < bytes.length; start += 16) {
    const line = bytes.slice(start, start + 16);
    const hex = line.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const text = line.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "·")).join("");
    lines.push(`${start.toString(16).padStart(4, "0")}  ${hex.padEnd(width)}  ${text}`);
  }
  return lines.join("\n");
}
