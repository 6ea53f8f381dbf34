import { useEffect, useState } from "react";
import { ownAnswer, recordings } from "../data/recordings";
import { useCell } from "../lib/cell";
import { Controls } from "./Controls";
import { Counters } from "./Counters";
import { EventLog } from "./EventLog";
import { OwnText } from "./OwnText";
import { Player } from "./Player";
import { SourcePicker } from "./SourcePicker";
import { Transcript } from "./Transcript";

const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** The chat: an answer arrives, and its tool blocks show as pills. */
export function ChatPanel() {
  const [player] = useState(() => new Player());
  const [choice, setChoice] = useState(recordings[0].id);
  const [ownText, setOwnText] = useState("");
  const state = useCell(player.state);
  const recording = recordings.find(({ id }) => id === choice);
  const answer = recording?.answer ?? ownText;

  useEffect(() => {
    player.load(answer);
    if (recording && !calm()) player.play();
    return () => player.dispose();
  }, [player, answer, recording]);

  return (
    <section className="panel chat" aria-labelledby="chat-title">
      <div className="panel-head">
        <h2 id="chat-title">Chat</h2>
        <p className="hint">Cut anywhere. Nothing is written: files are shown only.</p>
      </div>
      <Controls player={player} playing={state.playing} done={state.done} empty={state.total === 0}>
        <SourcePicker choice={choice} onChoose={setChoice} />
      </Controls>
      {choice === ownAnswer && <OwnText text={ownText} onChange={setOwnText} />}
      <Transcript question={recording?.question} parts={state.parts} writing={state.playing} />
      <Counters state={state} />
      <EventLog log={state.log} />
    </section>
  );
}
