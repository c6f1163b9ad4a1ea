import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAttachment, readAttachment } from "./attachment.ts";

const PIXEL = Buffer.from("89504e470d0a1a0a", "hex");

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "skein-attachments-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("an attachment", () => {
  test.each([
    ["picture.png", { type: "image", mediaType: "image/png", data: PIXEL.toString("base64") }],
    ["PHOTO.JPEG", { type: "image", mediaType: "image/jpeg", data: PIXEL.toString("base64") }],
    ["paper.pdf", { type: "pdf", data: PIXEL.toString("base64") }],
  ])("is made of the file %s", async (name, expected) => {
    await writeFile(join(folder, name), PIXEL);
    expect(await readAttachment(join(folder, name))).toEqual({ name, ...expected });
  });

  test("is text where the ending is no other", async () => {
    await writeFile(join(folder, "notes.md"), "# Grüße\n");
    expect(await readAttachment(join(folder, "notes.md"))).toEqual({
      type: "text",
      name: "notes.md",
      text: "# Grüße\n",
    });
  });

  test("is the same from bytes and from base64", () => {
    const source = { name: "p.webp", mediaType: "image/webp" } as const;
    const fromBytes = createAttachment({ ...source, data: new Uint8Array(PIXEL) });
    expect(createAttachment({ ...source, data: PIXEL.toString("base64") })).toEqual(fromBytes);
  });
});

describe("what the API would refuse is refused first", () => {
  test.each([
    ["large.png", 5 * 1024 * 1024],
    ["large.pdf", 32 * 1024 * 1024],
    ["large.txt", 1024 * 1024],
  ])("%s over its limit", async (name, limitBytes) => {
    await writeFile(join(folder, name), "");
    await truncate(join(folder, name), limitBytes + 1);
    await expect(readAttachment(join(folder, name))).rejects.toMatchObject({ kind: "config", option: "attachments" });
    const data = new Uint8Array(limitBytes + 1);
    const mediaType = { "large.png": "image/png", "large.pdf": "application/pdf", "large.txt": "text/plain" }[
      name
    ] as "image/png";
    expect(() => createAttachment({ name, mediaType, data })).toThrow(`has ${limitBytes + 1} bytes`);
  });

  test("text that is none", () => {
    expect(() => createAttachment({ name: "x", mediaType: "text/plain", data: PIXEL })).toThrow("neither an image");
  });

  test("base64 that is none", () => {
    expect(() => createAttachment({ name: "x", mediaType: "image/gif", data: "data:image/gif;base64,AA" })).toThrow(
      "not base64",
    );
  });

  test("a file that is not there, and a folder", async () => {
    await expect(readAttachment(join(folder, "none.png"))).rejects.toMatchObject({ kind: "filesystem" });
    await expect(readAttachment(folder)).rejects.toMatchObject({ kind: "filesystem" });
  });
});
