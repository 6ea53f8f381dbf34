import { useEffect, useRef, useState } from "react";
import { liveAnswer, ownAnswer, recordings } from "../data/recordings";
import { useCell } from "../lib/cell";
import { Playback } from "../lib/Playback";
import { EndpointForm } from "../model/EndpointForm";
import { scenes } from "../tour/scenes";
import { tourState } from "../tour/state";
import { TourBar, TourStart } from "../tour/TourBar";
import { t } from "../words/words";
import { Counters } from "./Counters";
import { player } from "./chat";
import { LivePrompt } from "./LivePrompt";
import { OwnText } from "./OwnText";
import { SourcePicker } from "./SourcePicker";
import { Suggestions } from "./Suggestions";
import { Transcript, Turn } from "./Transcript";

/** The chat: an answer arrives, and its tool blocks show as pills. */
export function ChatPanel() {
  const [choice, setChoice] = useState(recordings[0].id);
  const [ownText, setOwnText] = useState("");
  const [question, setQuestion] = useState<string>();
  const state = useCell(player.state);
  const recording = recordings.find(({ id }) => id === choice);
  const live = choice === liveAnswer;
  const { step, turns } = useCell(tourState);
  const scene = step === undefined ? undefined : scenes[step];
  const inTour = scene !== undefined;
  const answer = recording?.answer ?? (live ? "" : ownText);

  /** Whether the answer is to be played as soon as it is loaded. */
  const atOnce = useRef(false);

  useEffect(() => {
    // The tour loads its own answers.
    if (inTour) return;
    player.load(answer);
    if (atOnce.current) player.play();
    atOnce.current = false;
    return () => {
      if (tourState.get().step === undefined) player.dispose();
    };
  }, [answer, inTour]);

  function play(id: string) {
    if (id === choice) player.play();
    else atOnce.current = true;
    setChoice(id);
  }

  const begun = state.playing || state.position > 0;
  return (
    <section className="panel chat" aria-labelledby="chat-title">
      <div className="panel-head">
        <h2 id="chat-title">{t("Chat")}</h2>
        <p className="hint">{t("Answers arrive in pieces; their tool blocks are checked as they come.")}</p>
      </div>
      <Transcript
        question={scene?.question ?? (live ? question : begun ? recording?.question : undefined)}
        parts={state.parts}
        turn={state.turn}
        writing={state.playing}
      >
        {scene === undefined && !begun && !live && <TourStart />}
        {scene === undefined && !begun && <Suggestions live={live} onPlay={play} />}
        {turns.map((turn) => (
          <Turn key={turn.step} question={scenes[turn.step]?.question} parts={turn.parts} turn={turn.turn} />
        ))}
      </Transcript>
      {scene !== undefined && (
        <div className="composer">
          <TourBar />
        </div>
      )}
      <div className="composer" hidden={scene !== undefined}>
        <SourcePicker
          choice={choice}
          onChoose={(id) => {
            setChoice(id);
            setQuestion(undefined);
          }}
        />
        {choice === ownAnswer && <OwnText text={ownText} onChange={setOwnText} />}
        {scene !== undefined ? null : live ? (
          <LivePrompt playing={state.playing} onAsk={setQuestion} />
        ) : (
          <Playback player={player} playing={state.playing} done={state.done} empty={state.total === 0} />
        )}
        <details className="model" open={live || undefined}>
          <summary>{t("Your own model, for live answers and corrections")}</summary>
          <EndpointForm />
        </details>
        <Counters state={state} />
      </div>
    </section>
  );
}
