/** A document with many blocks, to see that it stays usable. */

const rooms = ["Kitchen", "Hall", "Studio", "Library", "Cellar"];

export const large = (count: number) => ({
  meta: { pageKey: "large", title: "A thousand rooms", step: { current: 1, total: 1 }, status: "idle" },
  state: {
    params: Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        [`name_${at}`, `Room ${at + 1}`],
        [`seats_${at}`, 2 + (at % 9)],
      ]).flat(),
    ),
    runtime: {},
  },
  layout: { type: "grid", columns: 2 },
  blocks: Array.from({ length: count }, (_, at) => ({
    id: `room_${at}`,
    type: "form",
    title: `${rooms[at % rooms.length]} ${at + 1}`,
    bind: "state.params",
    props: {
      columns: 2,
      fields: [
        { key: `name_${at}`, label: "Name", type: "text" },
        { key: `seats_${at}`, label: "Seats", type: "number" },
      ],
    },
  })),
  actions: [],
});
