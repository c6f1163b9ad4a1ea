import { expect, it } from "vitest";
import { attachmentName } from "./attachment-name.ts";

it("names a file as the server takes it, and none twice", () => {
  expect(attachmentName("image.png", [])).toBe("image.png");
  expect(attachmentName("image.png", ["image.png", "image-2.png"])).toBe("image-3.png");
  expect(attachmentName("Bildschirmfoto–2026 (1).png", [])).toBe("Bildschirmfoto_2026 _1_.png");
  expect(attachmentName("Größe ä.png", [])).toBe("Gro_e a.png");
  expect(attachmentName("../../etc/passwd", [])).toBe("passwd");
  expect(attachmentName("日本.txt", [])).toBe("__.txt");
  expect(attachmentName("", [])).toBe("file");
  const long = attachmentName(`${"a".repeat(300)}.json`, []);
  expect([long.length, long.endsWith("a.json")]).toEqual([100, true]);
});
