import { readFile, stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import { ClaudeConfigError, SkeinError } from "../core/index.ts";

const IMAGE_TYPES: Readonly<Record<string, ImageMediaType>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};

/** Largest file of each kind, as the API takes it. */
const LIMIT_BYTES = { image: 5 * 1024 * 1024, pdf: 32 * 1024 * 1024, text: 1024 * 1024 } as const;

/** The image formats that the API reads. */
export type ImageMediaType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

/** Something that is sent along with a prompt. `data` is base64. */
export type Attachment =
  | { readonly type: "image"; readonly name: string; readonly mediaType: ImageMediaType; readonly data: string }
  | { readonly type: "pdf"; readonly name: string; readonly data: string }
  | { readonly type: "text"; readonly name: string; readonly text: string };

/** Reads a file as an attachment, and refuses what the API would refuse before anything is sent. */
export async function readAttachment(path: string): Promise<Attachment> {
  const extension = extname(path).toLowerCase();
  const name = basename(path);
  const mediaType = IMAGE_TYPES[extension];
  if (mediaType) return { type: "image", name, mediaType, data: (await readLimited(path, "image")).toString("base64") };
  if (extension === ".pdf") return { type: "pdf", name, data: (await readLimited(path, "pdf")).toString("base64") };
  return { type: "text", name, text: decodeText(await readLimited(path, "text"), path) };
}

async function readLimited(path: string, type: Attachment["type"]): Promise<Buffer> {
  try {
    const { size } = await stat(path);
    if (size > LIMIT_BYTES[type]) throw tooLarge(path, type, size);
    return await readFile(path);
  } catch (error) {
    if (error instanceof SkeinError) throw error;
    throw new SkeinError(`Cannot read the attachment ${path}: ${(error as Error).message}`, {
      kind: "filesystem",
      target: path,
      hint: "Check that the path is a file that you may read.",
      cause: error,
    });
  }
}

function tooLarge(path: string, type: Attachment["type"], sizeBytes: number): ClaudeConfigError {
  return new ClaudeConfigError(
    `The attachment ${path} has ${sizeBytes} bytes; a file of type ${type} may have ${LIMIT_BYTES[type]}`,
    { option: "attachments", target: path, hint: "Send a smaller file, or let the agent read it from its directory." },
  );
}

function decodeText(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new ClaudeConfigError(`The attachment ${path} is neither an image, a PDF nor UTF-8 text`, {
      option: "attachments",
      target: path,
      hint: "Attach png, jpeg, gif, webp, pdf or text.",
      cause: error,
    });
  }
}
