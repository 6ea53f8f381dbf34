/** The chat's player. It outlives what shows it. */
import { Player } from "./Player";

export const player = new Player();
