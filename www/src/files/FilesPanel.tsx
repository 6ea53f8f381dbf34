import { useEffect, useLayoutEffect } from "react";
import { useCell } from "../lib/cell";
import { Icon } from "../lib/Icon";
import { Switch } from "../lib/Switch";
import { isOpen, useProposals } from "../proposal/desk";
import { ProposalCard } from "../proposal/ProposalCard";
import { t } from "../words/words";
import { FileTree } from "./FileTree";
import { FileViewer } from "./FileViewer";
import { asking, chosenFile, files, resetFiles, workspace } from "./workspace";

/** The workspace: its files, and the changes that wait for approval. */
export function FilesPanel() {
  const { place, why, paths, version } = useCell(files);
  const proposals = useProposals()
    .filter((proposal) => proposal.kind === "file" && isOpen(proposal))
    .reverse();
  const chosen = useCell(chosenFile);
  useEffect(() => void workspace(), []);

  const waiting = new Set(proposals.map(({ target }) => target));
  const all = [...new Set([...paths, ...waiting])];
  // The shown file stays open, whatever arrives. If it is deleted, no other file is opened.
  const selected = all.find((path) => path === chosen);
  const first = proposals[0]?.target ?? paths[0];
  useLayoutEffect(() => {
    if (chosen === undefined && first !== undefined) chosenFile.set(first);
  }, [chosen, first]);
  const here = proposals.filter(({ target }) => target === selected);

  return (
    <div className="room files-room">
      <div className="panel-head">
        <h2>{t("Workspace")}</h2>
        <p className="hint" role="status">
          {place === undefined && t("Opening…")}
          {place === "opfs" && t("Kept in this browser's private file system: it survives a reload.")}
          {place === "backend" && t("Kept by the backend: every open page has the same files.")}
          {place === "memory" && `${t("In memory only, gone with the page.")} ${why}`}
        </p>
        <Switch label={t("Ask before writing")} on={useCell(asking)} onChange={asking.set} />
        <button type="button" className="small" onClick={() => void resetFiles()}>
          <Icon name="restart" />
          {t("Reset files")}
        </button>
      </div>
      <div className="files-columns">
        <FileTree paths={all} selected={selected} waiting={waiting} onSelect={chosenFile.set} />
        <div className="file-main">
          {selected === undefined ? (
            <p className="nothing">
              {all.length > 0
                ? t("The file that was shown is gone. Choose another one.")
                : t("No files. Play an answer in the chat: what it writes comes here.")}
            </p>
          ) : (
            <>
              <h3 className="file-path">{selected}</h3>
              {here.map((proposal) => (
                <ProposalCard key={proposal.id} proposal={proposal} />
              ))}
              {(here.length === 0 || paths.includes(selected)) && <FileViewer path={selected} version={version} />}
            </>
          )}
        </div>
      </div>
    </div>
  );
}
