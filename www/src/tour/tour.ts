/** Plays the first minute: scene after scene, or one alone. What the visitor looks at follows the chat. */
import { player } from "../chat/chat";
import { surfaceRecordings } from "../data/surfaces";
import { settledCalls } from "../files/work";
import { asking, chosenFile, emptyFolder, fileProposals, fillFolder, resetFiles } from "../files/workspace";
import { write } from "../instance/instances";
import { store } from "../instance/store";
import { room } from "../lib/room";
import { chosen } from "../proposal/chosen";
import { isOpen } from "../proposal/desk";
import { resetFlow } from "../proposal/effects";
import * as link from "../server/link";
import { isLive } from "../server/live";
import { surfaces } from "../surface/surfaces";
import { folder, isTour, page } from "./own";
import { built, type Scene, scenes } from "./scenes";
import { off, tourState, update } from "./state";

/** Milliseconds to look at what a scene has come to, and those of a key. */
const pause = 2_600;
const perKey = 130;

/** Which playing is on; those before it end by themselves. */
let run = 0;

class Stopped extends Error {}

class Tour {
  /** From a scene on to the last, or one scene alone. */
  start(step = 0, alone = false): void {
    run += 1;
    asking.set(true);
    tourState.set({ ...off, step, alone, playing: true });
    void this.#play(run, step, alone).catch((error) => {
      if (!(error instanceof Stopped)) throw error;
    });
  }

  play(): void {
    const { step = 0, done } = tourState.get();
    if (done) {
      this.restart();
      return;
    }
    update({ playing: true });
    if (!player.state.get().done) player.play();
    if (surfaceOf(step) && surfaces.state.get().position > 0 && !surfaces.state.get().done) surfaces.play();
  }

  pause(): void {
    update({ playing: false });
    player.pause();
    surfaces.pause();
  }

  restart(): void {
    const { step = 0, alone } = tourState.get();
    this.start(alone ? step : 0, alone);
  }

  leave(): void {
    run += 1;
    player.load("");
    tourState.set(off);
  }

  async #play(own: number, first: number, alone: boolean): Promise<void> {
    await prepare(first);
    for (let step = first; step < (alone ? first + 1 : scenes.length); step++) {
      alive(own);
      if (step > first) {
        const { turns } = tourState.get();
        const { parts, turn } = player.state.get();
        update({ step, turns: [...turns, { step: step - 1, parts, turn }] });
      }
      const scene = scenes[step];
      if (scene !== undefined) await this.#playScene(own, scene);
      if (step < scenes.length - 1 && !alone) await wait(own, pause);
    }
    update({ playing: false, done: true });
  }

  async #playScene(own: number, { answer, room: place, after, types, surface }: Scene): Promise<void> {
    if (surface !== undefined)
      surfaces.choose(surface, surfaceRecordings.find(({ id }) => id === surface)?.stream ?? "");
    room.set(place);
    if (place === "instance" && store.names().includes(page)) store.active = page;
    player.load(answer);
    player.play();
    await Promise.all([
      until(own, () => player.state.get().done),
      types === undefined ? undefined : typeName(own, types),
    ]);
    await settledCalls();
    alive(own);
    const written = fileProposals.get().filter(isOpen).at(-1);
    if (place === "files" && written !== undefined) chosenFile.set(written.target);
    if (surface !== undefined) {
      surfaces.play();
      await until(own, () => surfaces.state.get().done);
    }
    if (after === undefined) return;
    await wait(own, pause / 4);
    if (written !== undefined) chosen.set(written.id);
    room.set(after);
  }
}

export const tour = new Tour();

const surfaceOf = (step: number) => scenes[step]?.surface;

/** All as it is before a scene. */
async function prepare(first: number): Promise<void> {
  if (isLive) await sweep();
  if (store.names().includes(page)) link.removeInstance(page);
  if (first > 0) for (const call of built) link.applyCall(call);
  resetFlow();
  // The files of a backend are not only this visitor's.
  if (isLive) await fillFolder(folder);
  else await resetFiles();
}

function alive(own: number): void {
  if (run !== own) throw new Stopped();
}

/** Waits until something holds. */
async function until(own: number, condition: () => boolean): Promise<void> {
  while (!condition()) {
    await new Promise((resolve) => setTimeout(resolve, 40));
    alive(own);
  }
}

/** Waits; not while the tour is paused. */
async function wait(own: number, milliseconds: number): Promise<void> {
  for (let left = milliseconds; left > 0; ) {
    const before = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 40));
    alive(own);
    if (tourState.get().playing) left -= performance.now() - before;
  }
}

/** Types a name as the visitor would, until the visitor does. */
async function typeName(own: number, name: string): Promise<void> {
  const path = "state.params.name";
  await wait(own, 800);
  for (let length = 1; length <= name.length; length++) {
    const isVisitors = (store.get(page, path) ?? "") !== name.slice(0, length - 1);
    if (isVisitors || document.activeElement?.closest(".stage")) return;
    write(page, path, name.slice(0, length));
    await wait(own, perKey);
  }
}

/** The maximum number of tours that a backend keeps; older ones are removed. */
const mostTours = 20;

/** Takes away what old tours have left. */
async function sweep(): Promise<void> {
  const old = store.names().filter(isTour).slice(0, -mostTours);
  for (const name of old.filter((name) => name !== page)) {
    link.removeInstance(name);
    await emptyFolder(`${name}/`);
  }
}
