/** Answers as a model wrote them, to be played. */
import type { Plain } from "../words/words";
import bilingual from "./recordings/bilingual.md?raw";
import changes from "./recordings/changes.md?raw";
import contacts from "./recordings/contacts.md?raw";
import cut from "./recordings/cut.md?raw";
import faults from "./recordings/faults.md?raw";
import tour from "./recordings/tour.md?raw";

export interface Recording {
  id: string;
  title: Plain;
  question: string;
  answer: string;
}

/** The choice for a text that the user pastes. */
export const ownAnswer = "own";

/** The choice for a live model. */
export const liveAnswer = "live";

export const recordings: readonly [Recording, ...Recording[]] = [
  {
    id: "tour",
    title: "Write, edit, delete",
    question: "Please add a README, use the folder notes/ everywhere, and tidy up the drafts.",
    answer: tour,
  },
  {
    id: "changes",
    title: "One file, two changes",
    question: "Read the notes folder, and say so if it is missing.",
    answer: changes,
  },
  {
    id: "faults",
    title: "Six blocks, five mistakes",
    question: "Add a greeting, my SSH key, a util module and an empty file.",
    answer: faults,
  },
  {
    id: "bilingual",
    title: "Two calls in one block, 中文 and emoji",
    question: "请把界面文字翻译成中文和英文。",
    answer: bilingual,
  },
  {
    id: "contacts",
    title: "Tools of the demo's own",
    question: "Who do I know in Lyon? Add the sister of Ines, too.",
    answer: contacts,
  },
  {
    id: "cut",
    title: "An answer that breaks off",
    question: "Write a guide to tea, please.",
    answer: cut,
  },
];
