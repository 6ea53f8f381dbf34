import { useState } from "react";
import { t } from "../words/words";
import { Icon } from "./Icon";
import type { Pump } from "./Pump";
import { Slider } from "./Slider";

const speeds = [20, 40, 80, 160, 320, 640, 1280, 2560, Number.POSITIVE_INFINITY];
const speedLabel = (speed: number) =>
  Number.isFinite(speed) ? t("{number} characters/s", { number: speed }) : t("full speed");

/** A player of recordings. */
export interface Playable {
  readonly pump: Pump;
  play(): void;
  pause(): void;
  restart(): void;
}

interface Props {
  player: Playable;
  playing: boolean;
  done: boolean;
  empty: boolean;
}

export function Playback({ player, playing, done, empty }: Props) {
  const { pump } = player;
  const [chunkSize, setChunkSize] = useState(pump.chunkSize);
  const [speed, setSpeed] = useState(pump.speed);

  return (
    <fieldset className="controls" aria-label={t("Playback")}>
      <div className="buttons">
        <button
          type="button"
          className="primary"
          disabled={empty}
          onClick={() => (playing ? player.pause() : player.play())}
        >
          <Icon name={playing ? "pause" : "play"} />
          {playing ? t("Pause") : done ? t("Play again") : t("Play")}
        </button>
        <button type="button" disabled={empty} onClick={() => player.restart()}>
          <Icon name="restart" />
          {t("Restart")}
        </button>
      </div>
      <div className="sliders">
        <Slider
          label={t("Chunk size")}
          min={1}
          max={64}
          value={chunkSize}
          text={chunkSize === 1 ? t("1 character") : t("{number} characters", { number: chunkSize })}
          onChange={(size) => {
            pump.chunkSize = size;
            setChunkSize(size);
          }}
        />
        <Slider
          label={t("Speed")}
          min={0}
          max={speeds.length - 1}
          value={speeds.indexOf(speed)}
          text={speedLabel(speed)}
          onChange={(step) => {
            const next = speeds[step] ?? speed;
            pump.speed = next;
            setSpeed(next);
          }}
        />
      </div>
    </fieldset>
  );
}
