/** The chat's player, whose calls go to the workspace. It outlives what shows it. */
import { takeCalls } from "../files/work";
import { Player } from "./Player";

export const player = new Player();

player.onBlock = ({ call, calls }) => takeCalls(calls ?? (call ? [call] : []));
