import { Tooltip } from "@base-ui/react/tooltip";
import { CSPProvider } from "@base-ui/react/csp-provider";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import "./theme/tokens.css";
import "./theme/base.css";
import { applyTheme } from "./theme/use-theme.ts";

applyTheme();

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      {/* The server's Content-Security-Policy lets no element bring a style sheet of its own. */}
      <CSPProvider disableStyleElements>
        <Tooltip.Provider delay={400}>
          <App />
        </Tooltip.Provider>
      </CSPProvider>
    </StrictMode>,
  );
}
