import { Icon } from "../lib/Icon";
import { t } from "../words/words";

interface Props {
  paths: readonly string[];
  selected: string | undefined;
  /** Paths for which something waits. */
  waiting: ReadonlySet<string>;
  onSelect(path: string): void;
}

interface Folder {
  name: string;
  path: string;
  folders: Folder[];
  files: string[];
}

/** The files by folder. Folders open and close; a file with a change that waits is marked. */
export function FileTree({ paths, ...rest }: Props) {
  return (
    <nav className="file-tree" aria-label={t("Files")}>
      <Level folder={treeOf(paths)} {...rest} />
    </nav>
  );
}

function Level({ folder, ...rest }: Omit<Props, "paths"> & { folder: Folder }) {
  const { selected, waiting, onSelect } = rest;
  return (
    <ul>
      {folder.folders.map((inner) => (
        <li key={inner.path}>
          <details open>
            <summary>
              <Icon name="folder" />
              {inner.name}
            </summary>
            <Level folder={inner} {...rest} />
          </details>
        </li>
      ))}
      {folder.files.map((path) => (
        <li key={path}>
          <button
            type="button"
            className="file"
            aria-current={path === selected ? "true" : undefined}
            onClick={() => onSelect(path)}
          >
            <Icon name="file" />
            {path.slice(path.lastIndexOf("/") + 1)}
            {waiting.has(path) && <span className="badge">{t("waits")}</span>}
          </button>
        </li>
      ))}
    </ul>
  );
}

function treeOf(paths: readonly string[]): Folder {
  const root: Folder = { name: "", path: "", folders: [], files: [] };
  for (const path of paths) {
    let at = root;
    for (const name of path.split("/").slice(0, -1)) {
      const inner = at.folders.find((folder) => folder.name === name);
      if (inner) at = inner;
      else {
        const made = { name, path: `${at.path}${name}/`, folders: [], files: [] };
        at.folders.push(made);
        at = made;
      }
    }
    at.files.push(path);
  }
  return root;
}
