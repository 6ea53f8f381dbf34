/** The buttons of the first minute. What plays it is loaded when it is first begun. */
import { player } from "../chat/chat";
import type { Playable } from "../lib/Playback";
import { off, tourState } from "./state";

/** Characters a second. */
const speed = 320;

/** One after the other, in the order in which they were pressed. */
const load = async () => (await import("./tour")).tour;

interface TourPlayer extends Playable {
  /** From a scene on to the last, or one scene alone. */
  start(step?: number, alone?: boolean): void;
  leave(): void;
}

export const tour: TourPlayer = {
  pump: player.pump,
  start(step = 0, alone = false) {
    player.pump.speed = speed;
    tourState.set({ ...off, step, alone, playing: true });
    void load().then((one) => one.start(step, alone));
  },
  play: () => void load().then((one) => one.play()),
  pause: () => void load().then((one) => one.pause()),
  restart: () => void load().then((one) => one.restart()),
  leave: () => void load().then((one) => one.leave()),
};
