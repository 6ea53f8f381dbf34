/** The address book of the demo's own tools: invented people, kept in memory until the page is closed. */
import { cell } from "../lib/cell";

export interface Contact {
  name: string;
  city: string;
  email: string;
}

export const contacts = cell<readonly Contact[]>([
  { name: "Ines Oliveira", city: "Lyon", email: "ines@example.com" },
  { name: "Jonas Berg", city: "Oslo", email: "jonas@example.com" },
  { name: "王小雨", city: "上海", email: "xiaoyu@example.com" },
  { name: "Amara Okafor", city: "Leeds", email: "amara@example.com" },
]);
