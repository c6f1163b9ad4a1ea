import { readFile, stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import { SkeinError } from "../../core/index.ts";
import { checkAttachmentSize, createAttachment, type Attachment, type AttachmentMediaType } from "./attachment.ts";

const MEDIA_TYPES: Readonly<Record<string, Exclude<AttachmentMediaType, "text/plain">>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".pdf": "application/pdf",
};

/** Reads a file as an attachment: an image or a PDF by its ending, text otherwise. */
export async function readAttachment(path: string): Promise<Attachment> {
  const mediaType = MEDIA_TYPES[extname(path).toLowerCase()] ?? "text/plain";
  const type = mediaType === "text/plain" ? "text" : mediaType === "application/pdf" ? "pdf" : "image";
  const { size } = await orSay(path, stat(path));
  // Before it is read: a file of gigabytes is refused in no time.
  checkAttachmentSize(path, type, size);
  return createAttachment({ name: basename(path), mediaType, data: await orSay(path, readFile(path)) });
}

async function orSay<Value>(path: string, reading: Promise<Value>): Promise<Value> {
  try {
    return await reading;
  } catch (error) {
    throw new SkeinError(`Cannot read the attachment ${path}: ${(error as Error).message}`, {
      kind: "filesystem",
      target: path,
      hint: "Check that the path is a file you may read.",
      cause: error,
    });
  }
}
