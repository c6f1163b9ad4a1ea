import type { ReactNode } from "react";
import type { ProjectList as Projects } from "../../../../src/monitor/api-types.ts";
import { baseName } from "../../parts/format.ts";
import { Loading } from "../../parts/note.tsx";
import { visibleText } from "../../parts/visible-text.ts";
import { SessionCost } from "./session-rows.tsx";
import styles from "./sessions.module.css";

/** The projects that have sessions, the last active first. */
export function ProjectList({
  projects,
  chosen,
  onChoose,
}: {
  readonly projects: Projects["projects"] | undefined;
  readonly chosen: string | undefined;
  readonly onChoose: (project: string | undefined) => void;
}): ReactNode {
  if (!projects) {
    return (
      <div className={styles["projects"]}>
        <Loading what="the projects" />
      </div>
    );
  }
  const all = projects.reduce((sum, { sessions }) => sum + sessions, 0);
  return (
    <nav className={styles["projects"]} aria-label="Projects">
      <button
        type="button"
        className={styles["project"]}
        aria-pressed={chosen === undefined}
        onClick={() => onChoose(undefined)}
      >
        <span className={styles["projectName"]}>All projects</span>
        <span className="number quiet">{all}</span>
      </button>
      {projects.map(({ project, sessions, usage }) => (
        <button
          key={project}
          type="button"
          className={styles["project"]}
          aria-pressed={chosen === project}
          title={project}
          onClick={() => onChoose(project === chosen ? undefined : project)}
        >
          <span className={styles["projectName"]}>{visibleText(baseName(project))}</span>
          <span className="number quiet">{sessions}</span>
          <span className={styles["projectPath"]}>{visibleText(project)}</span>
          <span className={styles["projectCost"]}>
            <SessionCost usage={usage} />
          </span>
        </button>
      ))}
    </nav>
  );
}
