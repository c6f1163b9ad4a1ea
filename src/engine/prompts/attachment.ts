import { readFile, stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import { z } from "zod";
import { ClaudeConfigError, SkeinError } from "../../core/internal.ts";

const imageType = z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export const attachmentSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("image"), name: z.string(), mediaType: imageType, data: z.string() }),
  z.object({ type: z.literal("pdf"), name: z.string(), data: z.string() }),
  z.object({ type: z.literal("text"), name: z.string(), text: z.string() }),
]);

/** Something that is sent along with a prompt. `data` is base64. */
export type Attachment = Readonly<z.infer<typeof attachmentSchema>>;

interface AttachmentSource {
  /** What the model is told it is called. */
  readonly name: string;
  readonly mediaType: z.infer<typeof imageType> | "application/pdf" | "text/plain";
  /** The bytes, or, as a string, the text of `text/plain` and the base64 of everything else. */
  readonly data: Uint8Array | string;
}

const LIMIT_BYTES = { image: 5 * 1024 * 1024, pdf: 32 * 1024 * 1024, text: 1024 * 1024 } as const;

/** Makes an attachment, and refuses what the API would refuse before anything is sent. */
export function createAttachment({ name, mediaType, data }: AttachmentSource): Attachment {
  if (mediaType === "text/plain") {
    const bytes = Buffer.from(data as string);
    checkAttachmentSize(name, "text", bytes.length);
    return { type: "text", name, text: decodeText(bytes, name) };
  }
  const bytes = typeof data === "string" ? decodeBase64(data, name) : Buffer.from(data);
  const encoded = bytes.toString("base64");
  checkAttachmentSize(name, mediaType === "application/pdf" ? "pdf" : "image", bytes.length);
  if (mediaType === "application/pdf") return { type: "pdf", name, data: encoded };
  return { type: "image", name, mediaType, data: encoded };
}

function checkAttachmentSize(name: string, type: Attachment["type"], sizeBytes: number): void {
  if (sizeBytes <= LIMIT_BYTES[type]) return;
  throw new ClaudeConfigError(
    `The attachment ${name} has ${sizeBytes} bytes; the limit for ${type} is ${LIMIT_BYTES[type]}`,
    { option: "attachments", target: name, hint: "Send a smaller one, or let the agent read it from its directory." },
  );
}

function decodeText(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new ClaudeConfigError(`The attachment ${name} is neither an image, a PDF nor UTF-8 text`, {
      option: "attachments",
      target: name,
      hint: "Attach png, jpeg, gif, webp, pdf or text.",
      cause: error,
    });
  }
}

function decodeBase64(text: string, name: string): Buffer {
  if (/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(text)) return Buffer.from(text, "base64");
  throw new ClaudeConfigError(`The data of the attachment ${name} is not base64`, {
    option: "attachments",
    target: name,
    hint: "Give the bytes, or their base64 without a prefix.",
  });
}

const MEDIA_TYPES: Readonly<Record<string, Exclude<AttachmentSource["mediaType"], "text/plain">>> = {
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
    const { code, message } = error as NodeJS.ErrnoException;
    throw new SkeinError(
      code === "ENOENT" ? `There is no file ${path}` : `Cannot read the attachment ${path}: ${message}`,
      {
        kind: "filesystem",
        target: path,
        hint: "Check that the path is a file you may read.",
        cause: error,
      },
    );
  }
}
