import { useState } from "react";
import { Icon } from "../lib/Icon";
import type { Player } from "./Player";
import { Slider } from "./Slider";

const speeds = [20, 40, 80, 160, 320, 640, 1280, 2560, Number.POSITIVE_INFINITY];
const speedLabel = (speed: number) => (Number.isFinite(speed) ? `${speed} characters/s` : "full speed");

interface Props {
  player: Player;
  playing: boolean;
  done: boolean;
  empty: boolean;
}

export function Controls({ player, playing, done, empty }: Props) {
  const [chunkSize, setChunkSize] = useState(player.chunkSize);
  const [speed, setSpeed] = useState(player.speed);

  return (
    <fieldset className="controls" aria-label="Playback">
      <div className="buttons">
        <button
          type="button"
          className="primary"
          disabled={empty}
          onClick={() => (playing ? player.pause() : player.play())}
        >
          <Icon name={playing ? "pause" : "play"} />
          {playing ? "Pause" : done ? "Play again" : "Play"}
        </button>
        <button type="button" disabled={empty} onClick={() => player.restart()}>
          <Icon name="restart" />
          Restart
        </button>
      </div>
      <div className="sliders">
        <Slider
          label="Chunk size"
          min={1}
          max={64}
          value={chunkSize}
          text={chunkSize === 1 ? "1 character" : `${chunkSize} characters`}
          onChange={(size) => {
            player.chunkSize = size;
            setChunkSize(size);
          }}
        />
        <Slider
          label="Speed"
          min={0}
          max={speeds.length - 1}
          value={speeds.indexOf(speed)}
          text={speedLabel(speed)}
          onChange={(step) => {
            const next = speeds[step] ?? speed;
            player.speed = next;
            setSpeed(next);
          }}
        />
      </div>
    </fieldset>
  );
}
