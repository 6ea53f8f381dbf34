/** Where the first minute is. */
import type { Part } from "../chat/parts";
import { cell } from "../lib/cell";

export interface TourState {
  /** The scene that plays or was played last; undefined before and after the tour. */
  step: number | undefined;
  /** Only this scene. */
  alone: boolean;
  playing: boolean;
  done: boolean;
  /** The scenes before, as they were played. */
  turns: readonly { step: number; parts: readonly Part[]; turn: string }[];
}

export const off: TourState = { step: undefined, alone: false, playing: false, done: false, turns: [] };
export const tourState = cell(off);
export const update = (changes: Partial<TourState>) => tourState.set({ ...tourState.get(), ...changes });
