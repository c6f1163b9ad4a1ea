import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Where `skein serve` listens, for `npx vite dashboard` beside it. */
const SERVER = process.env["SKEIN_SERVER"] ?? "http://127.0.0.1:4269";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  plugins: [react()],
  logLevel: "warn",
  build: {
    outDir: fileURLToPath(new URL("../dist/dashboard", import.meta.url)),
    emptyOutDir: true,
    target: "es2022",
    // The server's Content-Security-Policy allows files of its own alone: nothing is written into the page or into a style sheet.
    assetsInlineLimit: 0,
    license: { fileName: "THIRD-PARTY-NOTICES.md" },
    reportCompressedSize: false,
  },
  worker: { format: "es" },
  server: { proxy: { "/api": { target: SERVER, ws: true } } },
});
